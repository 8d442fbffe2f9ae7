// Reductions: the dimensions in `dim` become 1 or go away, all of them where
// none is named.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// The dimensions to reduce, in order; failure with a message if one is not
// there or is named twice.
static FailureOr<SmallVector<bool>>
getReduced(const TypeCheck &check, RankedTensorType type, StringRef name) {
  unsigned rank = type.getRank();
  SmallVector<int64_t> dims;
  bool named = false;
  if (std::optional<unsigned> index = check.getCall().find(name)) {
    if (check.getCall().getSchema()[*index].kind == ParameterKind::Int) {
      if (std::optional<int64_t> dim = check.getInt(name)) {
        dims.push_back(*dim);
        named = true;
      }
    } else if (auto list = check.getInts(name); list && !list->empty()) {
      dims = *list;
      named = true;
    }
  }
  SmallVector<bool> reduced(rank, !named);
  for (int64_t dim : dims) {
    std::optional<unsigned> place = check.wrapDim(dim, rank);
    if (!place)
      return failure();
    if (rank && std::exchange(reduced[*place], true)) {
      check.error() << "each dimension at most once, found " << dim << " twice";
      return failure();
    }
  }
  return reduced;
}

static Shape reduceShape(ArrayRef<int64_t> shape, ArrayRef<bool> reduced,
                         bool keep) {
  Shape result;
  for (auto [size, gone] : llvm::zip(shape, reduced)) {
    if (!gone)
      result.push_back(size);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

// Checks the shape of the first `count` results and their dtypes.
static LogicalResult expectReduced(Operation *op, ArrayRef<Dtype> dtypes) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  StringRef name = check.getCall().find("dims") ? "dims" : "dim";
  FailureOr<SmallVector<bool>> reduced = getReduced(check, type, name);
  if (failed(reduced))
    return failure();
  Shape shape = reduceShape(type.getShape(), *reduced,
                            check.getCall().getBool("keepdim", false));
  for (auto [index, dtype] : llvm::enumerate(dtypes))
    if (failed(check.expectShape(index, shape)) ||
        failed(check.expectDtype(index, dtype)))
      return failure();
  return success();
}

static Type getInput(Operation *op) {
  RankedTensorType type = TypeCheck(op).getFirstTensor();
  return type ? type.getElementType() : Type();
}

static Type getIndexType(Operation *op) {
  return IntegerType::get(op->getContext(), 64);
}

// What `dtype = ` or `output_dtype = ` asks for, else `otherwise`.
static Dtype getRequested(Operation *op, Dtype otherwise) {
  CallView call(op);
  for (StringRef name : {"dtype", "output_dtype"})
    if (Type type = call.getDtype(name))
      return Dtype::exactly(type);
  return otherwise;
}

// Sums of integers and bools are i64.
static Dtype getSumDtype(Operation *op) {
  Type type = getInput(op);
  if (isa_and_nonnull<IntegerType>(type))
    type = getIndexType(op);
  return getRequested(op, Dtype::exactly(type));
}

LogicalResult aten::verifySum(Operation *op) {
  return expectReduced(op, getSumDtype(op));
}

LogicalResult aten::verifyMean(Operation *op) {
  Type type = getInput(op);
  bool wanted = getRequested(op, {}).kind != Dtype::Kind::Unknown;
  if (isa_and_nonnull<IntegerType>(type) && !wanted)
    return TypeCheck(op).error()
           << "a floating point or complex tensor, found one of " << type;
  return expectReduced(op, getRequested(op, Dtype::exactly(type)));
}

LogicalResult aten::verifyFloatReduction(Operation *op) {
  Type type = getInput(op);
  Dtype dtype = isa_and_nonnull<IntegerType>(type) ? Dtype::anyFloat()
                                                   : Dtype::exactly(type);
  return expectReduced(op, dtype);
}

static Dtype getMagnitude(Type type) {
  if (auto complex = dyn_cast_or_null<ComplexType>(type))
    return Dtype::exactly(complex.getElementType());
  return isa_and_nonnull<IntegerType>(type) ? Dtype::anyFloat()
                                            : Dtype::exactly(type);
}

LogicalResult aten::verifyVectorNorm(Operation *op) {
  return expectReduced(op, getRequested(op, getMagnitude(getInput(op))));
}

LogicalResult aten::verifyVariance(Operation *op) {
  SmallVector<Dtype> dtypes = {getMagnitude(getInput(op))};
  if (op->getNumResults() == 2)
    dtypes.push_back(Dtype::exactly(getInput(op)));
  return expectReduced(op, dtypes);
}

LogicalResult aten::verifyExtremum(Operation *op) {
  Dtype dtype = Dtype::exactly(getInput(op));
  return expectReduced(op, SmallVector<Dtype>(op->getNumResults(), dtype));
}

LogicalResult aten::verifyExtremumWithIndices(Operation *op) {
  return expectReduced(
      op, {Dtype::exactly(getInput(op)), Dtype::exactly(getIndexType(op))});
}

LogicalResult aten::verifyArgExtremum(Operation *op) {
  return expectReduced(op, Dtype::exactly(getIndexType(op)));
}

LogicalResult aten::verifyAny(Operation *op) {
  // Of unsigned bytes PyTorch makes unsigned bytes.
  Type type = getInput(op);
  auto byte = dyn_cast_or_null<IntegerType>(type);
  if (!byte || !byte.isUnsigned() || byte.getWidth() != 8)
    type = IntegerType::get(op->getContext(), 1);
  // An empty list of dimensions reduces nothing here.
  auto dims = CallView(op).getInts("dim");
  if (dims && dims->empty())
    return TypeCheck(op).expectDtype(0, type);
  return expectReduced(op, Dtype::exactly(type));
}

LogicalResult aten::verifyCount(Operation *op) {
  return expectReduced(op, Dtype::exactly(getIndexType(op)));
}

//===----------------------------------------------------------------------===//
// Along one dimension, which stays
//===----------------------------------------------------------------------===//

static LogicalResult expectDimension(const TypeCheck &check) {
  RankedTensorType type = check.getFirstTensor();
  std::optional<int64_t> dim = check.getInt("dim");
  if (type && dim && !check.wrapDim(*dim, type.getRank()))
    return failure();
  return success();
}

LogicalResult aten::verifyRunningSum(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  if (failed(expectDimension(check)) ||
      failed(check.expectShape(0, type.getShape())))
    return failure();
  return check.expectDtype(0, getSumDtype(op));
}

LogicalResult aten::verifyRunningExtremum(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  if (failed(expectDimension(check)) || failed(check.expectLike(0, type)))
    return failure();
  return check.expectType(1, type.getShape(), getIndexType(op));
}

LogicalResult aten::verifySoftmax(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  if (failed(expectDimension(check)) ||
      failed(check.expectShape(0, type.getShape())))
    return failure();
  Type element = type.getElementType();
  if (check.getCall().getBool("half_to_float", false))
    element = Float32Type::get(op->getContext());
  return check.expectDtype(0, getRequested(op, Dtype::exactly(element)));
}

LogicalResult aten::verifySoftmaxBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType grad = check.getTensor("grad_output");
  RankedTensorType output = check.getTensor("output");
  if (!grad || !output)
    return success();
  if (failed(expectDimension(check)))
    return failure();
  if (!agree(grad.getShape(), output.getShape()))
    return check.error() << "'grad_output' of shape "
                         << formatShape(output.getShape()) << " as 'output', "
                         << "found " << formatShape(grad.getShape());
  return check.expectType(0, output.getShape(),
                          check.getCall().getDtype("input_dtype"));
}

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

LogicalResult aten::verifySort(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getTensor("self");
  if (!type)
    return success();
  if (failed(expectDimension(check)) || failed(check.expectLike(0, type)))
    return failure();
  return check.expectType(1, type.getShape(), getIndexType(op));
}

LogicalResult aten::verifyArgSort(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getTensor("self");
  if (!type)
    return success();
  if (failed(expectDimension(check)))
    return failure();
  return check.expectType(0, type.getShape(), getIndexType(op));
}

LogicalResult aten::verifyTopK(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getTensor("self");
  if (!type)
    return success();
  std::optional<unsigned> dim =
      check.wrapDim(check.getInt("dim").value_or(-1), type.getRank());
  if (!dim)
    return failure();
  Shape shape(type.getShape());
  int64_t k = check.getInt("k").value_or(ShapedType::kDynamic);
  if (!shape.empty()) {
    if (!ShapedType::isDynamic(k) && !ShapedType::isDynamic(shape[*dim]) &&
        k > shape[*dim])
      return check.error() << "at most " << shape[*dim]
                           << " elements of dimension " << *dim << ", found "
                           << k;
    shape[*dim] = k;
  }
  if (failed(check.expectType(0, shape, type.getElementType())))
    return failure();
  return check.expectType(1, shape, getIndexType(op));
}

LogicalResult aten::verifySearch(Operation *op) {
  TypeCheck check(op);
  Type index = check.getCall().getBool("out_int32", false)
                   ? IntegerType::get(op->getContext(), 32)
                   : getIndexType(op);
  if (RankedTensorType self = check.getTensor("self");
      self && failed(check.expectShape(0, self.getShape())))
    return failure();
  return check.expectDtype(0, index);
}
