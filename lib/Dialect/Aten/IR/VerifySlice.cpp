// Views of some elements, and their gradients, which put a part back.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

static std::optional<unsigned>
getDim(const TypeCheck &check, RankedTensorType type, StringRef name = "dim") {
  return check.wrapDim(check.getInt(name).value_or(0), type.getRank());
}

LogicalResult aten::verifySelect(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (self.getRank() == 0)
    return check.error() << "a tensor of 1 dimension or more, found " << self;
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  int64_t size = self.getDimSize(*dim);
  std::optional<int64_t> index = check.getInt("index");
  if (index && !ShapedType::isDynamic(size) &&
      (*index < -size || *index >= size))
    return check.error() << "an index from " << -size << " to " << size - 1
                         << ", found " << *index;
  Shape shape(self.getShape());
  shape.erase(shape.begin() + *dim);
  return check.expectType(0, shape, self.getElementType());
}

// The length of [start, end) in steps, none if it is not known.
static int64_t getSliceLength(const TypeCheck &check, int64_t size) {
  for (StringRef name : {"start", "end", "step"})
    if (check.isSymbolic(name))
      return ShapedType::kDynamic;
  if (ShapedType::isDynamic(size))
    return ShapedType::kDynamic;
  auto clamp = [&](std::optional<int64_t> given, int64_t otherwise) {
    int64_t value = given.value_or(otherwise);
    if (value < 0)
      value += size;
    return std::clamp<int64_t>(value, 0, size);
  };
  int64_t start = clamp(check.getInt("start"), 0);
  int64_t end = std::max(clamp(check.getInt("end"), size), start);
  int64_t step = check.getInt("step").value_or(1);
  return (end - start + step - 1) / step;
}

static FailureOr<std::optional<Shape>> getSlice(const TypeCheck &check,
                                                ArrayRef<int64_t> from) {
  std::optional<int64_t> step = check.getInt("step");
  if (step && *step <= 0) {
    check.error() << "a positive step, found " << *step;
    return failure();
  }
  std::optional<unsigned> dim =
      check.wrapDim(check.getInt("dim").value_or(0), from.size());
  if (!dim)
    return failure();
  Shape shape(from);
  if (!shape.empty())
    shape[*dim] = getSliceLength(check, shape[*dim]);
  return std::optional<Shape>(shape);
}

LogicalResult aten::verifySlice(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  auto shape = getSlice(check, self.getShape());
  if (failed(shape))
    return failure();
  return check.expectType(0, **shape, self.getElementType());
}

LogicalResult aten::verifyNarrow(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  Shape shape(self.getShape());
  shape[*dim] = check.getInt("length").value_or(ShapedType::kDynamic);
  return check.expectType(0, shape, self.getElementType());
}

// The size of the diagonal of a rows x columns matrix.
static int64_t getDiagonal(int64_t rows, int64_t columns, int64_t offset) {
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
    return ShapedType::kDynamic;
  int64_t size = offset >= 0 ? std::min(rows, columns - offset)
                             : std::min(rows + offset, columns);
  return std::max<int64_t>(size, 0);
}

LogicalResult aten::verifyDiagonal(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  std::optional<unsigned> a = getDim(check, self, "dim1");
  std::optional<unsigned> b =
      a ? check.wrapDim(check.getInt("dim2").value_or(1), self.getRank())
        : std::nullopt;
  if (!b)
    return failure();
  if (*a == *b)
    return check.error() << "two dimensions, found " << *a << " twice";
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(self.getShape()))
    if (dim != *a && dim != *b)
      shape.push_back(size);
  shape.push_back(getDiagonal(self.getDimSize(*a), self.getDimSize(*b),
                              check.getInt("offset").value_or(0)));
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifyUnfold(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> size = check.getInt("size");
  std::optional<int64_t> step = check.getInt("step");
  if (!self || !size || !step || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self, "dimension");
  if (!dim)
    return failure();
  if (*step <= 0)
    return check.error() << "a positive step, found " << *step;
  Shape shape(self.getShape());
  if (!ShapedType::isDynamic(shape[*dim])) {
    if (*size > shape[*dim])
      return check.error() << "a window of at most " << shape[*dim]
                           << " elements, found " << *size;
    shape[*dim] = (shape[*dim] - *size) / *step + 1;
  }
  shape.push_back(*size);
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifyAsStrided(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto size = check.getInts("size"), stride = check.getInts("stride");
  if (!self || !size || !stride)
    return success();
  if (size->size() != stride->size())
    return check.error() << "a stride for each of the " << size->size()
                         << " sizes, found " << stride->size();
  return check.expectType(0, *size, self.getElementType());
}

//===----------------------------------------------------------------------===//
// Many results
//===----------------------------------------------------------------------===//

// The results are `self` with these sizes in dimension `dim`.
static LogicalResult expectParts(const TypeCheck &check, RankedTensorType self,
                                 unsigned dim, ArrayRef<int64_t> sizes) {
  if (failed(check.expectAtMostResults(sizes.size())))
    return failure();
  Shape shape(self.getShape());
  for (auto [index, size] : llvm::enumerate(sizes)) {
    shape[dim] = size;
    if (failed(check.expectType(index, shape, self.getElementType())))
      return failure();
  }
  return success();
}

static LogicalResult expectEvenParts(const TypeCheck &check,
                                     RankedTensorType self, unsigned dim,
                                     int64_t part) {
  int64_t size = self.getDimSize(dim);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(part))
    return success();
  SmallVector<int64_t> sizes;
  for (int64_t rest = size; rest > 0; rest -= part)
    sizes.push_back(std::min(rest, part));
  if (sizes.empty())
    sizes.push_back(0);
  return expectParts(check, self, dim, sizes);
}

LogicalResult aten::verifySplit(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  int64_t size = check.getInt("split_size").value_or(ShapedType::kDynamic);
  if (!ShapedType::isDynamic(size) && size <= 0)
    return size == 0 && self.getDimSize(*dim) == 0
               ? success()
               : LogicalResult(check.error()
                               << "a positive split size, found " << size);
  return expectEvenParts(check, self, *dim, size);
}

LogicalResult aten::verifyChunk(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> chunks = check.getInt("chunks");
  if (!self || !chunks || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  if (*chunks <= 0)
    return check.error() << "a positive number of chunks, found " << *chunks;
  int64_t size = self.getDimSize(*dim);
  // Of nothing there are as many empty chunks as were asked for.
  if (size == 0)
    return check.expectAtMostResults(*chunks);
  return expectEvenParts(
      check, self, *dim,
      ShapedType::isDynamic(size) ? size : (size + *chunks - 1) / *chunks);
}

LogicalResult aten::verifySplitWithSizes(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto sizes = check.getInts("split_sizes");
  if (!self || !sizes || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  if (!llvm::is_contained(*sizes, ShapedType::kDynamic)) {
    int64_t sum = 0;
    for (int64_t size : *sizes)
      sum += size;
    if (!agree(sum, self.getDimSize(*dim)))
      return check.error() << "split sizes that add up to "
                           << self.getDimSize(*dim) << ", found " << sum;
  }
  return op->getNumResults() ? expectParts(check, self, *dim, *sizes)
                             : success();
}

LogicalResult aten::verifyUnbind(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (self.getRank() == 0)
    return check.error() << "a tensor of 1 dimension or more, found " << self;
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  if (int64_t size = self.getDimSize(*dim); !ShapedType::isDynamic(size))
    if (failed(check.expectAtMostResults(size)))
      return failure();
  Shape shape(self.getShape());
  shape.erase(shape.begin() + *dim);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (failed(check.expectType(i, shape, self.getElementType())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Putting a part back
//===----------------------------------------------------------------------===//

// The gradient of a view has the shape of what was viewed.
LogicalResult aten::verifyViewBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType grad = check.getFirstTensor();
  auto size = check.getInts(check.getCall().find("input_sizes") ? "input_sizes"
                                                                : "input_size");
  if (!grad || !size)
    return success();
  return check.expectType(0, *size, grad.getElementType());
}

LogicalResult aten::verifySliceScatter(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType source = check.getTensor("src");
  if (!self || !source)
    return success();
  auto shape = getSlice(check, self.getShape());
  if (failed(shape))
    return failure();
  if (!agree(source.getShape(), **shape))
    return check.error() << "'src' of shape " << formatShape(**shape)
                         << ", found " << formatShape(source.getShape());
  return check.expectLike(0, self);
}

LogicalResult aten::verifySelectScatter(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType source = check.getTensor("src");
  if (!self || !source || self.getRank() == 0)
    return success();
  std::optional<unsigned> dim = getDim(check, self);
  if (!dim)
    return failure();
  Shape shape(self.getShape());
  shape.erase(shape.begin() + *dim);
  if (!agree(source.getShape(), shape))
    return check.error() << "'src' of shape " << formatShape(shape)
                         << ", found " << formatShape(source.getShape());
  return check.expectLike(0, self);
}
