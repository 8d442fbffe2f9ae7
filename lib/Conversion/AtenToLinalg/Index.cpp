// Elements whose places are numbers in tensors: each op is one generic that
// reads with `tensor.extract`. Indices count from the end where they are
// negative, but for gather's; one that is out of range fails an assertion, and
// reads the nearest element, never outside.
#include "Nest.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::titan;

// The index \p number, an integer, into a dimension of \p size. A negative one
// counts from the end if \p wraps.
static Value getPlace(ImplicitLocOpBuilder &b, Value number, OpFoldResult size,
                      bool wraps = true) {
  Value index = convertNumber(b, number, b.getI64Type());
  Formula f(b, b.getI64Type());
  Value extent = convertNumber(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), size), f.getType());
  Value zero = f.integer(0);
  if (wraps)
    index = f.select(f.less(index, zero), f.add(index, extent), index);
  std::string message = "an index is out of range";
  if (std::optional<int64_t> known = getConstantIntValue(size))
    message += " of a dimension of " + std::to_string(*known);
  cf::AssertOp::create(
      b, f.both(f.lessEqual(zero, index), f.less(index, extent)), message);
  index = f.minimum(f.maximum(index, zero), f.sub(extent, f.integer(1)));
  return arith::IndexCastOp::create(b, b.getIndexType(), index);
}

static Value getLoop(ImplicitLocOpBuilder &b, unsigned loop) {
  return linalg::IndexOp::create(b, loop);
}

static Type getElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static bool isIndex(RankedTensorType type) {
  return type && type.getElementType().isSignlessInteger() &&
         !type.getElementType().isInteger(1);
}

static bool hasElements(RankedTensorType type) {
  return type && (!type.hasStaticShape() || type.getNumElements() > 0);
}

//===----------------------------------------------------------------------===//
// Along one dimension
//===----------------------------------------------------------------------===//

static Lowered lowerGather(Lowering &l) {
  Value self = l.tensor("self"), index = l.tensor("index");
  int64_t rank = cast<RankedTensorType>(self.getType()).getRank();
  int64_t dim = wrapDim(l.call().getInt("dim").value_or(0), rank);
  SmallVector<OpFoldResult> sizes = l.sizesOf(self);
  Nest nest(l, index);
  nest.readsRaw();
  nest.read(index);
  Type element = getElement(self);
  return SmallVector<Value>{
      nest.map(element, element, [&](Formula &f, ValueRange in) -> Value {
        SmallVector<Value> places;
        for (int64_t d = 0; d < rank; ++d)
          places.push_back(d == dim ? getPlace(f.builder(), in[0], sizes[d],
                                               /*wraps=*/false)
                                    : getLoop(f.builder(), d));
        return tensor::ExtractOp::create(f.builder(), self, places);
      })};
}

static bool canGather(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  RankedTensorType index = getTensorType(op, "index");
  if (!isAllStatic(op) || !hasElements(self) || !isIndex(index) ||
      self.getRank() == 0 || self.getRank() != index.getRank())
    return false;
  // In the other dimensions the loop's counter is the place.
  int64_t dim = wrapDim(CallView(op).getInt("dim").value_or(0), self.getRank());
  for (int64_t d = 0; d < self.getRank(); ++d)
    if (d != dim && index.getDimSize(d) > self.getDimSize(d))
      return false;
  return true;
}

// Rows of \p self along \p dim, in the place of which stand the dimensions of
// \p index.
static Value takeRows(Lowering &l, Value self, Value index, int64_t dim) {
  SmallVector<OpFoldResult> sizes = l.sizesOf(self), result;
  SmallVector<OpFoldResult> indexSizes = l.sizesOf(index);
  unsigned count = indexSizes.size();
  result.append(sizes.begin(), sizes.begin() + dim);
  result.append(indexSizes);
  result.append(sizes.begin() + dim + 1, sizes.end());
  Nest nest(l, result);
  SmallVector<unsigned> loops;
  for (unsigned i = 0; i < count; ++i)
    loops.push_back(dim + i);
  nest.readsRaw();
  nest.read(index, loops);
  Type element = getElement(self);
  return nest.map(element, element, [&](Formula &f, ValueRange in) -> Value {
    SmallVector<Value> places;
    for (unsigned d = 0; d < sizes.size(); ++d) {
      if (static_cast<int64_t>(d) == dim)
        places.push_back(getPlace(f.builder(), in[0], sizes[d]));
      else
        places.push_back(getLoop(
            f.builder(), static_cast<int64_t>(d) < dim ? d : d + count - 1));
    }
    return tensor::ExtractOp::create(f.builder(), self, places);
  });
}

static Lowered lowerIndexSelect(Lowering &l) {
  Value self = l.tensor("self");
  int64_t rank = cast<RankedTensorType>(self.getType()).getRank();
  return SmallVector<Value>{
      takeRows(l, self, l.tensor("index"),
               wrapDim(l.call().getInt("dim").value_or(0), rank))};
}

static Lowered lowerEmbedding(Lowering &l) {
  return SmallVector<Value>{
      takeRows(l, l.tensor("weight"), l.tensor("indices"), 0)};
}

//===----------------------------------------------------------------------===//
// index.Tensor: a tensor of places for some of the dimensions
//===----------------------------------------------------------------------===//

namespace {
/// The indices of an op by dimension; null where the dimension stays.
struct IndexList {
  SmallVector<Value> byDim;
  /// Where the dimensions of the indices stand in the result.
  int64_t first = 0;

  explicit IndexList(Operation *op);
};
} // namespace

// An absent index is missing among the operands and -1 (or a unit) in the
// attribute beside them, so positions come from the op's own account.
static std::optional<SmallVector<Value>> listIndices(Operation *op) {
  CallView call(op);
  std::optional<unsigned> parameter = call.find("indices");
  if (!parameter)
    return std::nullopt;
  SmallVector<Value> given(call.getOperands(*parameter));
  Attribute pattern = call.getAttribute(*parameter);
  if (!pattern)
    return given;
  auto flags = dyn_cast<DenseBoolArrayAttr>(pattern);
  if (!flags)
    return std::nullopt;
  SmallVector<Value> all;
  unsigned next = 0;
  for (bool isGiven : flags.asArrayRef())
    all.push_back(isGiven && next < given.size() ? given[next++] : Value());
  return all;
}

IndexList::IndexList(Operation *op) {
  byDim = listIndices(op).value_or(SmallVector<Value>());
  auto isGiven = [](Value value) { return static_cast<bool>(value); };
  auto begin = llvm::find_if(byDim, isGiven);
  auto end = std::find_if(byDim.rbegin(), byDim.rend(), isGiven).base();
  // Dimensions that do not stand together go to the front.
  bool isAdjacent = begin < end && std::all_of(begin, end, isGiven);
  first = isAdjacent ? begin - byDim.begin() : 0;
}

static Lowered lowerIndex(Lowering &l) {
  Value self = l.tensor("self");
  IndexList list(l.operation());
  RankedTensorType type = l.resultType();
  auto rank =
      static_cast<unsigned>(cast<RankedTensorType>(self.getType()).getRank());
  list.byDim.resize(rank);
  unsigned numGiven = llvm::count_if(
      list.byDim, [](Value value) { return static_cast<bool>(value); });
  unsigned numIndexLoops = type.getRank() - (rank - numGiven);
  Nest nest(l, llvm::map_to_vector(type.getShape(), [&](int64_t size) {
              return OpFoldResult(l.builder().getIndexAttr(size));
            }));
  for (Value index : list.byDim) {
    if (!index)
      continue;
    // Indices are broadcast against each other from the right.
    unsigned own = cast<RankedTensorType>(index.getType()).getRank();
    SmallVector<unsigned> loops;
    for (unsigned i = 0; i < own; ++i)
      loops.push_back(list.first + numIndexLoops - own + i);
    nest.readsRaw();
    nest.read(index, loops);
  }
  SmallVector<OpFoldResult> sizes = l.sizesOf(self);
  Type element = getElement(self);
  return SmallVector<Value>{
      nest.map(element, element, [&](Formula &f, ValueRange in) -> Value {
        SmallVector<Value> places;
        unsigned next = 0, loop = 0;
        for (unsigned d = 0; d < rank; ++d) {
          if (list.byDim[d]) {
            places.push_back(getPlace(f.builder(), in[next++], sizes[d]));
            continue;
          }
          if (loop == static_cast<unsigned>(list.first))
            loop += numIndexLoops;
          places.push_back(getLoop(f.builder(), loop++));
        }
        return tensor::ExtractOp::create(f.builder(), self, places);
      })};
}

// A mask among the indices makes the size of the result depend on data.
static bool canIndex(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  std::optional<SmallVector<Value>> indices = listIndices(op);
  return isAllStatic(op) && hasElements(self) && indices &&
         static_cast<int64_t>(indices->size()) <= self.getRank() &&
         llvm::any_of(*indices, [](Value v) { return bool(v); }) &&
         llvm::all_of(*indices, [](Value index) {
           return !index ||
                  isIndex(dyn_cast<RankedTensorType>(index.getType()));
         });
}

//===----------------------------------------------------------------------===//
// One hot
//===----------------------------------------------------------------------===//

static Lowered lowerOneHot(Lowering &l) {
  Value self = l.tensor("self");
  SmallVector<OpFoldResult> sizes = l.sizesOf(self);
  unsigned rank = sizes.size();
  sizes.push_back(l.builder().getIndexAttr(l.resultType().getShape().back()));
  Nest nest(l, sizes);
  nest.read(self, firstLoops(rank));
  Type element = l.resultElementType();
  return SmallVector<Value>{
      nest.map(element, element, [&](Formula &f, ValueRange in) {
        Value here =
            convertNumber(f.builder(), getLoop(f.builder(), rank), element);
        return convertNumber(f.builder(), f.equal(in[0], here), element);
      })};
}

void titan::addIndexLowerings(LoweringTable &table) {
  table.add({"aten.gather"}, lowerGather, canGather);
  table.add({"aten.index_select"}, lowerIndexSelect, [](Operation *op) {
    RankedTensorType self = getTensorType(op, "self");
    RankedTensorType index = getTensorType(op, "index");
    return hasElements(self) && self.getRank() > 0 && isIndex(index) &&
           index.getRank() == 1;
  });
  table.add({"aten.embedding"}, lowerEmbedding, [](Operation *op) {
    RankedTensorType weight = getTensorType(op, "weight");
    return hasElements(weight) && weight.getRank() == 2 &&
           isIndex(getTensorType(op, "indices"));
  });
  table.add({"aten.index.Tensor", "aten._unsafe_index.Tensor"}, lowerIndex,
            canIndex);
  table.add({"aten.one_hot"}, lowerOneHot, [](Operation *op) {
    return isAllStatic(op) && isIndex(getTensorType(op, "self")) &&
           cast<RankedTensorType>(op->getResult(0).getType())
               .getElementType()
               .isInteger(64);
  });
}
