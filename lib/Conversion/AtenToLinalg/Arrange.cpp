// The same elements at other places in storage of their own: parts taken and
// put, repeated, turned, cut by a diagonal.
#include "Nest.h"
#include "Slices.h"

using namespace mlir;
using namespace mlir::titan;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t getDim(Lowering &l, int64_t rank) {
  return wrapDim(l.call().getInt("dim").value_or(0), rank);
}

//===----------------------------------------------------------------------===//
// Taken apart and put together
//===----------------------------------------------------------------------===//

// The results tell the sizes of the parts; parts that nobody reads may lack.
static Lowered lowerSplit(Lowering &l) {
  Value self = l.tensor("self");
  int64_t dim = getDim(l, getType(self).getRank()), start = 0;
  SmallVector<Value> parts;
  for (unsigned i = 0; i < l.operation()->getNumResults(); ++i) {
    int64_t size = l.resultType(i).getDimSize(dim);
    parts.push_back(
        extractSlice(l, self, l.resultType(i), dim, start, 1, size));
    start += size;
  }
  return parts;
}

static bool canSplit(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  if (!isAllStatic(op) || !self || self.getRank() == 0)
    return false;
  int64_t dim = wrapDim(CallView(op).getInt("dim").value_or(0), self.getRank());
  int64_t total = 0;
  for (Type type : op->getResultTypes()) {
    auto part = cast<RankedTensorType>(type);
    if (part.getRank() != self.getRank())
      return false;
    total += part.getDimSize(dim);
  }
  return total <= self.getDimSize(dim);
}

static Lowered lowerUnbind(Lowering &l) {
  Value self = l.tensor("self");
  int64_t dim = getDim(l, getType(self).getRank());
  SmallVector<Value> parts;
  for (unsigned i = 0; i < l.operation()->getNumResults(); ++i)
    parts.push_back(extractSlice(l, self, l.resultType(i), dim, i, 1, 1));
  return parts;
}

static Lowered lowerStack(Lowering &l) {
  RankedTensorType type = l.resultType();
  int64_t dim = getDim(l, type.getRank());
  Value whole = l.empty(
      llvm::map_to_vector(type.getShape(),
                          [&](int64_t size) {
                            return OpFoldResult(l.builder().getIndexAttr(size));
                          }),
      type.getElementType());
  for (auto [index, part] : llvm::enumerate(l.call().getValues("tensors")))
    whole = insertSlice(l, l.castElements(part, type.getElementType()), whole,
                        dim, static_cast<int64_t>(index), 1);
  return SmallVector<Value>{whole};
}

//===----------------------------------------------------------------------===//
// Parts of a larger tensor
//===----------------------------------------------------------------------===//

static int64_t getStart(Lowering &l, int64_t size) {
  int64_t start = wrapDim(l.call().getInt("start").value_or(0), size);
  return std::clamp<int64_t>(start, 0, size);
}

static Lowered lowerSliceBackward(Lowering &l) {
  RankedTensorType type = l.resultType();
  int64_t dim = getDim(l, type.getRank());
  return SmallVector<Value>{insertSlice(
      l, l.tensor("grad_output"), makeZeros(l, type), dim,
      getStart(l, type.getDimSize(dim)), l.call().getInt("step").value_or(1))};
}

static Lowered lowerSelectBackward(Lowering &l) {
  RankedTensorType type = l.resultType();
  int64_t dim = getDim(l, type.getRank());
  int64_t index =
      wrapDim(l.call().getInt("index").value_or(0), type.getDimSize(dim));
  return SmallVector<Value>{insertSlice(l, l.tensor("grad_output"),
                                        makeZeros(l, type), dim, index, 1)};
}

static Lowered lowerSliceScatter(Lowering &l) {
  RankedTensorType type = l.resultType();
  int64_t dim = getDim(l, type.getRank());
  return SmallVector<Value>{insertSlice(l, l.tensor("src"), l.tensor("self"),
                                        dim, getStart(l, type.getDimSize(dim)),
                                        l.call().getInt("step").value_or(1))};
}

static Lowered lowerSelectScatter(Lowering &l) {
  RankedTensorType type = l.resultType();
  int64_t dim = getDim(l, type.getRank());
  int64_t index =
      wrapDim(l.call().getInt("index").value_or(0), type.getDimSize(dim));
  return SmallVector<Value>{
      insertSlice(l, l.tensor("src"), l.tensor("self"), dim, index, 1)};
}

// Whether \p part can be put into the result as its element type is.
static bool canPut(Operation *op, StringRef part) {
  RankedTensorType from = getTensorType(op, part);
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType self = getTensorType(op, "self");
  return isAllStatic(op) && from && to.getRank() > 0 &&
         from.getElementType() == to.getElementType() &&
         (!self || self == to) &&
         areLiterals(op, {"start", "end", "step", "index"});
}

// Padding of -1 cuts off; pairs count from the last dimension.
static Lowered lowerPad(Lowering &l) {
  ImplicitLocOpBuilder &b = l.builder();
  Value self = l.tensor("self");
  RankedTensorType from = getType(self), to = l.resultType();
  SmallVector<int64_t> pad = *l.call().getInts("pad");
  SmallVector<OpFoldResult> sizes, targetSizes,
      ones(from.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sources, targets;
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    size_t pair = 2 * (from.getRank() - 1 - dim);
    int64_t before = pair < pad.size() ? pad[pair] : 0;
    int64_t after = pair + 1 < pad.size() ? pad[pair + 1] : 0;
    kept.push_back(from.getDimSize(dim) + std::min<int64_t>(before, 0) +
                   std::min<int64_t>(after, 0));
    sizes.push_back(b.getIndexAttr(kept.back()));
    sources.push_back(b.getIndexAttr(std::max<int64_t>(-before, 0)));
    targets.push_back(b.getIndexAttr(std::max<int64_t>(before, 0)));
    targetSizes.push_back(b.getIndexAttr(to.getDimSize(dim)));
  }
  Value part = tensor::ExtractSliceOp::create(b, from.clone(kept), self,
                                              sources, sizes, ones);
  Attribute value = dyn_cast_if_present<Attribute>(l.operand("value"));
  Value number = value ? makeLiteral(b, value, to.getElementType())
                       : Formula(b, to.getElementType()).integer(0);
  Value whole = l.filled(targetSizes, number);
  return SmallVector<Value>{
      tensor::InsertSliceOp::create(b, part, whole, targets, sizes, ones)};
}

static bool canPad(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  auto pad = CallView(op).getInts("pad");
  return isAllStatic(op) && self && pad && areLiterals(op, {"pad", "value"}) &&
         static_cast<int64_t>(pad->size()) <= 2 * self.getRank();
}

//===----------------------------------------------------------------------===//
// Repeated and turned
//===----------------------------------------------------------------------===//

// The result over r x s loops a dimension, flattened to r * s.
static Lowered lowerRepeat(Lowering &l, StringRef name) {
  Value self = l.tensor("self");
  SmallVector<int64_t> repeats = *l.call().getInts(name);
  RankedTensorType from = getType(self);
  auto rank = static_cast<size_t>(l.resultType().getRank());
  repeats.insert(repeats.begin(), rank - std::min(rank, repeats.size()), 1);
  size_t lead = rank - from.getRank();
  SmallVector<OpFoldResult> sizes;
  SmallVector<unsigned> loops;
  for (size_t dim = 0; dim < rank; ++dim) {
    sizes.push_back(l.builder().getIndexAttr(repeats[dim]));
    if (dim < lead)
      continue;
    loops.push_back(sizes.size());
    sizes.push_back(l.builder().getIndexAttr(from.getDimSize(dim - lead)));
  }
  Nest nest(l, sizes);
  nest.read(self, loops);
  Type element = from.getElementType();
  Value value = nest.map(element, element,
                         [](Formula &, ValueRange in) { return in[0]; });
  return fitResults(l, {value});
}

// As many pieces for every element along a dimension.
static Lowered lowerRepeatInterleave(Lowering &l) {
  Value self = l.tensor("self");
  SmallVector<OpFoldResult> sizes = l.sizesOf(self);
  int64_t dim = getDim(l, getType(self).getRank());
  SmallVector<unsigned> loops = firstLoops(sizes.size() + 1);
  sizes.insert(sizes.begin() + dim + 1,
               l.builder().getIndexAttr(*l.call().getInt("repeats")));
  loops.erase(loops.begin() + dim + 1);
  Nest nest(l, sizes);
  nest.read(self, loops);
  Type element = getType(self).getElementType();
  Value value = nest.map(element, element,
                         [](Formula &, ValueRange in) { return in[0]; });
  return fitResults(l, {value});
}

static Lowered lowerFlip(Lowering &l, StringRef name) {
  Value self = l.tensor(name);
  RankedTensorType type = getType(self);
  Nest nest(l, self);
  SmallVector<AffineExpr> places;
  for (unsigned dim = 0; dim < nest.getNumLoops(); ++dim)
    places.push_back(nest.loop(dim));
  for (int64_t dim :
       l.call().getInts("dims").value_or(SmallVector<int64_t>())) {
    int64_t at = wrapDim(dim, type.getRank());
    places[at] = type.getDimSize(at) - 1 - nest.loop(at);
  }
  nest.readAt(self, places);
  Type element = type.getElementType();
  return SmallVector<Value>{nest.map(
      element, element, [](Formula &, ValueRange in) { return in[0]; })};
}

// The last \p shift positions come first.
static Value rollDim(Lowering &l, Value self, int64_t dim, int64_t shift) {
  RankedTensorType type = getType(self);
  int64_t size = type.getDimSize(dim);
  shift = size == 0 ? 0 : ((shift % size) + size) % size;
  if (shift == 0)
    return self;
  auto take = [&](int64_t start, int64_t count) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = count;
    return extractSlice(l, self, type.clone(shape), dim, start, 1, count);
  };
  Value whole = l.empty(l.sizesOf(self), type.getElementType());
  whole = insertSlice(l, take(size - shift, shift), whole, dim, 0, 1);
  return insertSlice(l, take(0, size - shift), whole, dim, shift, 1);
}

static Lowered lowerRoll(Lowering &l) {
  Value self = l.tensor("self");
  SmallVector<int64_t> shifts = *l.call().getInts("shifts");
  SmallVector<int64_t> dims =
      l.call().getInts("dims").value_or(SmallVector<int64_t>());
  if (dims.empty()) {
    RankedTensorType type = getType(self);
    self = l.reshape(self, type.clone({type.getNumElements()}));
    dims = {0};
  }
  if (!self)
    return failure();
  for (auto [shift, dim] : llvm::zip(shifts, dims))
    self = rollDim(l, self, wrapDim(dim, getType(self).getRank()), shift);
  return fitResults(l, {self});
}

//===----------------------------------------------------------------------===//
// Diagonals
//===----------------------------------------------------------------------===//

static Value getLoop(Formula &f, unsigned loop) {
  return convertNumber(f.builder(), linalg::IndexOp::create(f.builder(), loop),
                       f.builder().getI64Type());
}

// What is above or below a diagonal becomes zero.
static Lowered lowerTriangle(Lowering &l, bool isLower) {
  Value self = l.tensor("self");
  Type element = getType(self).getElementType();
  int64_t diagonal = l.call().getInt("diagonal").value_or(0);
  Nest nest(l, self);
  unsigned rank = nest.getNumLoops();
  nest.read(self);
  return SmallVector<Value>{
      nest.map(element, element, [&](Formula &f, ValueRange in) {
        Formula index(f.builder(), f.builder().getI64Type());
        Value distance = index.sub(getLoop(f, rank - 1), getLoop(f, rank - 2));
        Value at = index.integer(diagonal);
        Value keeps = isLower ? index.lessEqual(distance, at)
                              : index.greaterEqual(distance, at);
        return f.select(keeps, in[0], f.integer(0));
      })};
}

static Lowered lowerEye(Lowering &l) {
  Type element = l.resultElementType();
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : l.resultType().getShape())
    sizes.push_back(l.builder().getIndexAttr(size));
  Nest nest(l, sizes);
  return SmallVector<Value>{
      nest.map(element, element, [](Formula &f, ValueRange) {
        Formula index(f.builder(), f.builder().getI64Type());
        return f.select(index.equal(getLoop(f, 0), getLoop(f, 1)), f.integer(1),
                        f.integer(0));
      })};
}

// The diagonal is the last dimension of the result.
static Lowered lowerDiagonal(Lowering &l) {
  Value self = l.tensor("self");
  RankedTensorType type = getType(self);
  int64_t rank = type.getRank(), offset = l.call().getInt("offset").value_or(0);
  int64_t first = wrapDim(l.call().getInt("dim1").value_or(0), rank);
  int64_t second = wrapDim(l.call().getInt("dim2").value_or(1), rank);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : l.resultType().getShape())
    sizes.push_back(l.builder().getIndexAttr(size));
  Nest nest(l, sizes);
  SmallVector<AffineExpr> places;
  unsigned next = 0;
  AffineExpr along = nest.loop(rank - 2);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == first)
      places.push_back(along + std::max<int64_t>(-offset, 0));
    else if (dim == second)
      places.push_back(along + std::max<int64_t>(offset, 0));
    else
      places.push_back(nest.loop(next++));
  }
  nest.readAt(self, places);
  Type element = type.getElementType();
  return SmallVector<Value>{nest.map(
      element, element, [](Formula &, ValueRange in) { return in[0]; })};
}

void titan::addArrangeLowerings(LoweringTable &table) {
  auto isStaticMatrix = [](Operation *op) {
    RankedTensorType self = getTensorType(op, "self");
    return isAllStatic(op) && self && self.getRank() >= 2 &&
           areLiterals(op, {"diagonal"});
  };
  table.add({"aten.split", "aten.split_with_sizes", "aten.chunk"}, lowerSplit,
            canSplit);
  table.add({"aten.unbind"}, lowerUnbind, [](Operation *op) {
    RankedTensorType self = getTensorType(op, "self");
    return isAllStatic(op) && self && self.getRank() > 0;
  });
  table.add({"aten.stack"}, lowerStack, [](Operation *op) {
    return isAllStatic(op) && op->getNumOperands() > 0;
  });
  auto putsGrad = [](Operation *op) { return canPut(op, "grad_output"); };
  auto putsSource = [](Operation *op) { return canPut(op, "src"); };
  table.add({"aten.slice_backward"}, lowerSliceBackward, putsGrad);
  table.add({"aten.select_backward"}, lowerSelectBackward, putsGrad);
  table.add({"aten.slice_scatter"}, lowerSliceScatter, putsSource);
  table.add({"aten.select_scatter"}, lowerSelectScatter, putsSource);
  table.add({"aten.constant_pad_nd"}, lowerPad, canPad);
  table.add(
      {"aten.repeat"}, [](Lowering &l) { return lowerRepeat(l, "repeats"); },
      [](Operation *op) {
        return isAllStatic(op) && getTensorType(op, "self") &&
               areLiterals(op, {"repeats"});
      });
  table.add({"aten.repeat_interleave.self_int"}, lowerRepeatInterleave,
            [](Operation *op) {
              return isAllStatic(op) && getTensorType(op, "self") &&
                     CallView(op).getInt("dim") &&
                     CallView(op).getInt("repeats");
            });
  auto flips = [](StringRef name) {
    return [name](Operation *op) {
      RankedTensorType self = getTensorType(op, name);
      return isAllStatic(op) && self && self.getNumElements() > 0;
    };
  };
  table.add(
      {"aten.flip"}, [](Lowering &l) { return lowerFlip(l, "self"); },
      flips("self"));
  table.add(
      {"prims.rev"}, [](Lowering &l) { return lowerFlip(l, "a"); }, flips("a"));
  table.add({"aten.roll"}, lowerRoll, [](Operation *op) {
    return isAllStatic(op) && getTensorType(op, "self") &&
           areLiterals(op, {"shifts"});
  });
  table.add(
      {"aten.tril"}, [](Lowering &l) { return lowerTriangle(l, true); },
      isStaticMatrix);
  table.add(
      {"aten.triu"}, [](Lowering &l) { return lowerTriangle(l, false); },
      isStaticMatrix);
  table.add({"aten.eye"}, lowerEye, [](Operation *op) {
    return isAllStatic(op) &&
           cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 2;
  });
  table.add({"aten.diagonal"}, lowerDiagonal, [](Operation *op) {
    RankedTensorType self = getTensorType(op, "self");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return isAllStatic(op) && self && self.getRank() >= 2 &&
           type.getNumElements() > 0;
  });
}
