// Follows tensors through views and formulas to where their elements come from.
#include "titan/Codegen/Loops/IndexExpr.h"
#include "titan/Codegen/Loops/LoopPlan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::titan;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

SmallVector<AffineExpr> titan::applyMap(AffineMap map, ArrayRef<AffineExpr> at,
                                        ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> result;
  for (AffineExpr expr : map.getResults())
    result.push_back(simplifyIndex(expr.replaceDims(at), extents));
  return result;
}

AffineExpr titan::getLinearPlace(Value value, ArrayRef<AffineExpr> at,
                                 ArrayRef<int64_t> extents) {
  return simplifyIndex(linearize(at, getShape(value), value.getContext()),
                       extents);
}

// The place in the source of a reshape.
static SmallVector<AffineExpr> reshapePlace(ArrayRef<AffineExpr> at,
                                            ArrayRef<int64_t> shape,
                                            ArrayRef<int64_t> sourceShape,
                                            ArrayRef<int64_t> extents,
                                            MLIRContext *context) {
  AffineExpr linear = simplifyIndex(linearize(at, shape, context), extents);
  SmallVector<AffineExpr> place = delinearize(linear, sourceShape);
  for (AffineExpr &expr : place)
    expr = simplifyIndex(expr, extents);
  return place;
}

static SmallVector<AffineExpr> slicePlace(tensor::ExtractSliceOp slice,
                                          ArrayRef<AffineExpr> at) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<AffineExpr> place;
  unsigned next = 0;
  for (unsigned i = 0; i < dropped.size(); ++i) {
    int64_t offset = slice.getStaticOffset(i),
            stride = slice.getStaticStride(i);
    AffineExpr own = getAffineConstantExpr(offset, slice.getContext());
    if (!dropped[i])
      own = own + at[next++] * stride;
    place.push_back(own);
  }
  return place;
}

Source LoopPlan::resolve(Value value, ArrayRef<AffineExpr> at,
                         ArrayRef<int64_t> extents, Value self) const {
  Source source;
  source.at.assign(at.begin(), at.end());
  MLIRContext *context = value.getContext();
  auto reshaped = [&](Value from) {
    return resolve(
        from,
        reshapePlace(at, getShape(value), getShape(from), extents, context),
        extents, self);
  };
  source.value = value;
  if (isa<BlockArgument>(value) || (isStored(value) && value != self)) {
    source.kind = Source::Kind::Memory;
    return source;
  }
  Operation *op = value.getDefiningOp();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return reshaped(expand.getSrc());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return reshaped(collapse.getSrc());
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return resolve(cast.getSource(), at, extents, self);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic) ||
        llvm::any_of(slice.getStaticStrides(), ShapedType::isDynamic))
      return source;
    SmallVector<AffineExpr> place = slicePlace(slice, at);
    for (AffineExpr &expr : place)
      expr = simplifyIndex(expr, extents);
    return resolve(slice.getSource(), place, extents, self);
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    source.kind = Source::Kind::Number;
    source.value = fill.getInputs().front();
    return source;
  }
  if (isa<tensor::EmptyOp>(op)) {
    source.kind = Source::Kind::Undefined;
    return source;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || isFoldOp(generic))
    return source;
  unsigned index = cast<OpResult>(value).getResultNumber();
  AffineMap map =
      generic.getMatchingIndexingMap(generic.getDpsInitOperand(index));
  if (!map.isPermutation())
    return source;
  source.kind = Source::Kind::Formula;
  source.generic = generic;
  source.at = map.getNumDims() == 0
                  ? SmallVector<AffineExpr>()
                  : applyMap(inversePermutation(map), at, extents);
  return source;
}

Value LoopPlan::getLookupBase(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}
