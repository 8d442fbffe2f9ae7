// Ops that take elements to other places: each is one generic whose indexing
// map says from where, or a slice.
#include "Slices.h"

using namespace mlir;
using namespace mlir::titan;

static RankedTensorType getSelfType(Operation *op, StringRef name = "self") {
  Value self = CallView(op).getValue(name);
  return self ? dyn_cast<RankedTensorType>(self.getType()) : RankedTensorType();
}

static int64_t wrap(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

// The tensor of \p sizes whose element at (d0, d1, ...) is that of \p source at
// \p places.
static Value gather(Lowering &l, Value source, ArrayRef<OpFoldResult> sizes,
                    ArrayRef<AffineExpr> places) {
  ImplicitLocOpBuilder &b = l.builder();
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  Value target = l.empty(sizes, element);
  AffineMap maps[] = {AffineMap::get(sizes.size(), 0, places, b.getContext()),
                      b.getMultiDimIdentityMap(sizes.size())};
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange(target.getType()), ValueRange(source),
             ValueRange(target), maps, iterators,
             [](OpBuilder &nested, Location loc, ValueRange elements) {
               linalg::YieldOp::create(nested, loc, elements[0]);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

// Dimension i of the result is dimension \p order[i] of the source.
static FailureOr<SmallVector<Value>> permute(Lowering &l, Value source,
                                             ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> from = l.sizesOf(source), sizes;
  SmallVector<AffineExpr> places(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    sizes.push_back(from[dim]);
    places[dim] = l.builder().getAffineDimExpr(i);
  }
  return SmallVector<Value>{gather(l, source, sizes, places)};
}

static SmallVector<int64_t> getOrder(const CallView &call, StringRef name,
                                     int64_t rank) {
  SmallVector<int64_t> order =
      call.getInts(name).value_or(SmallVector<int64_t>());
  for (int64_t &dim : order)
    dim = wrap(dim, rank);
  return order;
}

static FailureOr<SmallVector<Value>> lowerPermute(Lowering &l) {
  int64_t rank = l.resultType().getRank();
  return permute(l, l.tensor("self"), getOrder(l.call(), "dims", rank));
}

static FailureOr<SmallVector<Value>> swapDims(Lowering &l, int64_t first,
                                              int64_t second) {
  int64_t rank = l.resultType().getRank();
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (rank > 1)
    std::swap(order[wrap(first, rank)], order[wrap(second, rank)]);
  return permute(l, l.tensor("self"), order);
}

static FailureOr<SmallVector<Value>> lowerTranspose(Lowering &l) {
  return swapDims(l, l.call().getInt("dim0").value_or(0),
                  l.call().getInt("dim1").value_or(0));
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> lowerExpand(Lowering &l) {
  ImplicitLocOpBuilder &b = l.builder();
  TypedValue<RankedTensorType> self = l.tensor("self");
  RankedTensorType from = self.getType(), to = l.resultType();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> places;
  int64_t lead = to.getRank() - from.getRank();
  for (int64_t i = 0; i < to.getRank(); ++i) {
    sizes.push_back(b.getIndexAttr(to.getDimSize(i)));
    if (i >= lead)
      places.push_back(from.getDimSize(i - lead) == 1 && to.getDimSize(i) != 1
                           ? b.getAffineConstantExpr(0)
                           : b.getAffineDimExpr(i));
  }
  return SmallVector<Value>{gather(l, self, sizes, places)};
}

static bool isStatic(Operation *op) {
  RankedTensorType self = getSelfType(op);
  return self && self.hasStaticShape() &&
         cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> lowerSlice(Lowering &l) {
  TypedValue<RankedTensorType> self = l.tensor("self");
  int64_t rank = self.getType().getRank();
  int64_t dim = wrap(l.call().getInt("dim").value_or(0), rank);
  int64_t size = self.getType().getDimSize(dim);
  int64_t start = wrap(l.call().getInt("start").value_or(0), size);
  int64_t step = l.call().getInt("step").value_or(1);
  start = std::clamp<int64_t>(start, 0, size);
  return SmallVector<Value>{extractSlice(l, self, l.resultType(), dim, start,
                                         step, l.resultType().getDimSize(dim))};
}

static FailureOr<SmallVector<Value>> lowerSelect(Lowering &l) {
  TypedValue<RankedTensorType> self = l.tensor("self");
  int64_t rank = self.getType().getRank();
  int64_t dim = wrap(l.call().getInt("dim").value_or(0), rank);
  int64_t index = wrap(l.call().getInt("index").value_or(0),
                       self.getType().getDimSize(dim));
  return SmallVector<Value>{
      extractSlice(l, self, l.resultType(), dim, index, 1, 1)};
}

// Whether the arguments called \p names are literals (or absent).
static std::function<bool(Operation *)>
hasLiterals(std::initializer_list<StringLiteral> names) {
  return [names = SmallVector<StringLiteral>(names)](Operation *op) {
    CallView call(op);
    return isStatic(op) && llvm::all_of(names, [&](StringRef name) {
             std::optional<unsigned> index = call.find(name);
             return !index || !call.getOperand(*index);
           });
  };
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> lowerCat(Lowering &l) {
  ImplicitLocOpBuilder &b = l.builder();
  RankedTensorType type = l.resultType();
  int64_t dim = wrap(l.call().getInt("dim").value_or(0), type.getRank());
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  Value whole = l.empty(sizes, type.getElementType());
  int64_t start = 0;
  for (Value part : l.call().getValues("tensors")) {
    auto partType = cast<RankedTensorType>(part.getType());
    // PyTorch lets an empty tensor of rank 1 stand among all others.
    if (partType.getNumElements() == 0)
      continue;
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    offsets[dim] = b.getIndexAttr(start);
    whole = tensor::InsertSliceOp::create(
        b, l.castElements(part, type.getElementType()), whole, offsets,
        l.sizesOf(part), strides);
    start += partType.getDimSize(dim);
  }
  return SmallVector<Value>{whole};
}

static bool canCat(Operation *op) {
  return llvm::all_of(op->getOperandTypes(),
                      [](Type type) {
                        auto tensor = dyn_cast<RankedTensorType>(type);
                        return tensor && tensor.hasStaticShape();
                      }) &&
         cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
}

void titan::addMovementLowerings(LoweringTable &table) {
  table.add({"aten.permute"}, lowerPermute,
            [](Operation *op) { return getSelfType(op) != nullptr; });
  table.add({"aten.transpose"}, lowerTranspose,
            [](Operation *op) { return getSelfType(op) != nullptr; });
  table.add(
      {"aten.t"}, [](Lowering &l) { return swapDims(l, 0, 1); },
      [](Operation *op) { return getSelfType(op) != nullptr; });
  table.add({"aten.expand", "aten.expand_copy"}, lowerExpand, isStatic);
  table.add({"aten.slice.Tensor"}, lowerSlice,
            hasLiterals({"start", "end", "step"}));
  table.add({"aten.select.int"}, lowerSelect, hasLiterals({"index"}));
  table.add({"aten.cat"}, lowerCat, canCat);
}
