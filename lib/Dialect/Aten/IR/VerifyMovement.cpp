// Elements put together, repeated, picked by index and scattered.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

static Type getIndexType(Operation *op) {
  return IntegerType::get(op->getContext(), 64);
}

static std::optional<unsigned> getDim(const TypeCheck &check, unsigned rank) {
  return check.wrapDim(check.getInt("dim").value_or(0), rank);
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

LogicalResult aten::verifyCat(Operation *op) {
  TypeCheck check(op);
  auto types = check.getTensors("tensors");
  if (!types)
    return success();
  // PyTorch lets tensors of shape [0] through, whatever the others' rank.
  llvm::erase_if(*types, [](RankedTensorType type) {
    return type.getRank() == 1 && type.getDimSize(0) == 0;
  });
  if (types->empty())
    return success();
  Shape shape(types->front().getShape());
  Type dtype = types->front().getElementType();
  std::optional<unsigned> dim = getDim(check, shape.size());
  if (!dim)
    return failure();
  if (shape.empty())
    return check.error() << "tensors of 1 dimension or more, found "
                         << types->front();
  for (RankedTensorType type : llvm::drop_begin(*types)) {
    dtype = promoteTypes(dtype, type.getElementType());
    Shape other(type.getShape());
    if (other.size() == shape.size()) {
      int64_t &sum = shape[*dim], size = std::exchange(other[*dim], sum);
      if (agree(shape, other)) {
        bool known =
            !ShapedType::isDynamic(sum) && !ShapedType::isDynamic(size);
        sum = known ? sum + size : ShapedType::kDynamic;
        continue;
      }
    }
    return check.error() << "tensors that differ in dimension " << *dim
                         << " only, found " << types->front() << " and "
                         << type;
  }
  return check.expectType(0, shape, dtype);
}

LogicalResult aten::verifyStack(Operation *op) {
  TypeCheck check(op);
  auto types = check.getTensors("tensors");
  if (!types)
    return success();
  if (types->empty())
    return check.error() << "a tensor to stack, found none";
  Shape shape(types->front().getShape());
  for (RankedTensorType type : *types)
    if (!agree(type.getShape(), shape))
      return check.error() << "tensors of one shape, found " << types->front()
                           << " and " << type;
  std::optional<unsigned> dim = getDim(check, shape.size() + 1);
  if (!dim)
    return failure();
  shape.insert(shape.begin() + *dim, types->size());
  return check.expectShape(0, shape);
}

LogicalResult aten::verifyRepeat(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  bool isTile = check.getCall().find("dims").has_value();
  auto repeats = check.getInts(isTile ? "dims" : "repeats");
  if (!self || !repeats)
    return success();
  if (isTile && repeats->size() < static_cast<size_t>(self.getRank()))
    repeats->insert(repeats->begin(), self.getRank() - repeats->size(), 1);
  if (repeats->size() < static_cast<size_t>(self.getRank()))
    return check.error() << "at least " << self.getRank() << " repeats, found "
                         << repeats->size();
  Shape shape(repeats->size() - self.getRank(), 1);
  llvm::append_range(shape, self.getShape());
  for (auto [size, count] : llvm::zip(shape, *repeats)) {
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(count);
    size = known ? size * count : ShapedType::kDynamic;
  }
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifyDiagEmbed(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self || self.getRank() == 0)
    return success();
  unsigned rank = self.getRank() + 1;
  std::optional<unsigned> a =
      check.wrapDim(check.getInt("dim1").value_or(-2), rank);
  std::optional<unsigned> b =
      a ? check.wrapDim(check.getInt("dim2").value_or(-1), rank) : std::nullopt;
  if (!b)
    return failure();
  if (*a == *b)
    return check.error() << "two dimensions, found " << *a << " twice";
  int64_t size = self.getShape().back();
  if (!ShapedType::isDynamic(size))
    size += std::abs(check.getInt("offset").value_or(0));
  Shape shape(self.getShape().drop_back());
  for (unsigned dim : {std::min(*a, *b), std::max(*a, *b)})
    shape.insert(shape.begin() + dim, size);
  return check.expectType(0, shape, self.getElementType());
}

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

static LogicalResult expectIndices(const TypeCheck &check, StringRef name) {
  RankedTensorType index = check.getTensor(name);
  if (!index || isIntegral(index.getElementType()))
    return success();
  return check.error() << "'" << name << "' to hold integers, found "
                       << index.getElementType();
}

LogicalResult aten::verifyEmbedding(Operation *op) {
  TypeCheck check(op);
  RankedTensorType weight = check.getTensor("weight");
  RankedTensorType indices = check.getTensor("indices");
  if (!weight || !indices)
    return success();
  if (failed(check.expectRank("weight", 2)) ||
      failed(expectIndices(check, "indices")))
    return failure();
  Shape shape(indices.getShape());
  shape.push_back(weight.getDimSize(1));
  return check.expectType(0, shape, weight.getElementType());
}

LogicalResult aten::verifyEmbeddingBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType grad = check.getTensor("grad_output");
  if (!grad || grad.getRank() == 0 || failed(expectIndices(check, "indices")))
    return success(!grad || succeeded(expectIndices(check, "indices")));
  return check.expectType(
      0,
      {check.getInt("num_weights").value_or(ShapedType::kDynamic),
       grad.getShape().back()},
      grad.getElementType());
}

LogicalResult aten::verifyIndexSelect(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType index = check.getTensor("index");
  if (!self || !index)
    return success();
  std::optional<unsigned> dim = getDim(check, self.getRank());
  if (!dim || failed(expectIndices(check, "index")))
    return failure();
  if (index.getRank() > 1)
    return check.error() << "'index' to have at most 1 dimension, found "
                         << index;
  Shape shape(self.getShape());
  if (!shape.empty())
    shape[*dim] = index.getRank() ? index.getDimSize(0) : 1;
  return check.expectType(0, shape, self.getElementType());
}

// Every dimension of `index` but one is at most as long as that of `other`.
static LogicalResult expectWithin(const TypeCheck &check, StringRef name,
                                  unsigned dim) {
  RankedTensorType index = check.getTensor("index");
  RankedTensorType other = check.getTensor(name);
  // A tensor of rank 0 counts as one of rank 1.
  if (!index || !other || index.getRank() == 0 || other.getRank() == 0 ||
      countElements(index.getShape()) == 0)
    return success();
  if (index.getRank() != other.getRank())
    return check.error() << "'index' to have " << other.getRank()
                         << " dimensions as '" << name << "', found " << index;
  for (auto [i, size] : llvm::enumerate(index.getShape())) {
    int64_t limit = other.getDimSize(i);
    if (i != dim && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(limit) && size > limit)
      return check.error() << "'index' to be at most " << limit
                           << " in dimension " << i << ", found " << size;
  }
  return success();
}

LogicalResult aten::verifyGather(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType index = check.getTensor("index");
  if (!self || !index)
    return success();
  std::optional<unsigned> dim = getDim(check, self.getRank());
  if (!dim || failed(expectIndices(check, "index")) ||
      failed(expectWithin(check, "self", *dim)))
    return failure();
  return check.expectType(0, index.getShape(), self.getElementType());
}

LogicalResult aten::verifyScatter(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  std::optional<unsigned> dim = getDim(check, self.getRank());
  if (!dim || failed(expectIndices(check, "index")) ||
      failed(expectWithin(check, "self", *dim)) ||
      failed(expectWithin(check, "src", ~0u)))
    return failure();
  if (RankedTensorType source = check.getTensor("src");
      source && source.getElementType() != self.getElementType())
    return check.error() << "'src' to hold " << self.getElementType()
                         << " as 'self', found " << source.getElementType();
  return check.expectLike(0, self);
}

LogicalResult aten::verifyIndexAdd(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (!getDim(check, self.getRank()) || failed(expectIndices(check, "index")))
    return failure();
  return check.expectLike(0, self);
}

// numpy's advanced indexing: the indices are broadcast to one shape, which
// takes the place of the indexed dimensions if they stand together, and comes
// first if they do not.
static std::optional<Shape> getIndexed(const TypeCheck &check,
                                       RankedTensorType self, bool &hasFailed) {
  const CallView &call = check.getCall();
  std::optional<unsigned> parameter = call.find("indices");
  auto present =
      dyn_cast_or_null<DenseBoolArrayAttr>(call.getAttribute(*parameter));
  auto types = check.getTensors("indices");
  if (!present || !types)
    return std::nullopt;
  if (present.size() > self.getRank()) {
    check.error() << "at most " << self.getRank() << " indices, found "
                  << present.size();
    hasFailed = true;
    return std::nullopt;
  }
  Shape indexed;
  SmallVector<unsigned> places;
  unsigned next = 0;
  for (auto [dim, isPresent] : llvm::enumerate(present.asArrayRef())) {
    if (!isPresent)
      continue;
    RankedTensorType type = (*types)[next++];
    // A mask takes as many dimensions as it has, and its count is data.
    if (!isIntegral(type.getElementType()))
      return std::nullopt;
    std::optional<Shape> wider = broadcast(indexed, type.getShape());
    if (!wider) {
      check.error() << "indices that broadcast, found " << formatShape(indexed)
                    << " and " << type;
      hasFailed = true;
      return std::nullopt;
    }
    indexed = *wider;
    places.push_back(dim);
  }
  if (places.empty())
    return Shape(self.getShape());
  bool together = places.back() - places.front() + 1 == places.size();
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(self.getShape()))
    if (!llvm::is_contained(places, dim))
      shape.push_back(size);
  shape.insert(shape.begin() + (together ? places.front() : 0), indexed.begin(),
               indexed.end());
  return shape;
}

LogicalResult aten::verifyIndex(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  bool hasFailed = false;
  std::optional<Shape> shape = getIndexed(check, self, hasFailed);
  if (hasFailed || (shape && failed(check.expectShape(0, *shape))))
    return failure();
  return check.expectDtype(0, self.getElementType());
}

LogicalResult aten::verifyIndexPut(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType values = check.getTensor("values");
  if (!self)
    return success();
  bool hasFailed = false;
  std::optional<Shape> shape = getIndexed(check, self, hasFailed);
  if (hasFailed)
    return failure();
  if (shape && values) {
    std::optional<Shape> wider = broadcast(*shape, values.getShape());
    if (!wider || !agree(*wider, *shape))
      return check.error() << "'values' to be broadcast to shape "
                           << formatShape(*shape) << ", found " << values;
  }
  if (values && values.getElementType() != self.getElementType())
    return check.error() << "'values' to hold " << self.getElementType()
                         << " as 'self', found " << values.getElementType();
  return check.expectLike(0, self);
}

LogicalResult aten::verifyTake(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType index = check.getTensor("index");
  if (!self || !index)
    return success();
  if (failed(expectIndices(check, "index")))
    return failure();
  return check.expectType(0, index.getShape(), self.getElementType());
}

LogicalResult aten::verifyOneHot(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  Shape shape(self.getShape());
  int64_t classes = check.getInt("num_classes").value_or(-1);
  shape.push_back(classes < 0 ? ShapedType::kDynamic : classes);
  return check.expectType(0, shape, getIndexType(op));
}
