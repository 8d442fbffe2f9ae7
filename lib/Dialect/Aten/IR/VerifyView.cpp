// Views that keep all elements: the same number in another shape or order.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// `view` takes the shape from `size`, `reshape` from `shape`.
LogicalResult aten::verifyView(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto size = check.getInts(check.getCall().find("shape") ? "shape" : "size");
  if (!self || !size)
    return success();
  int64_t count = countElements(self.getShape());
  int64_t *inferred = llvm::find(*size, -1);
  if (llvm::count(*size, -1) > 1)
    return check.error() << "at most one size to be inferred, found "
                         << formatShape(*size);
  if (inferred != size->end()) {
    *inferred = 1;
    int64_t rest = countElements(*size);
    bool known = !ShapedType::isDynamic(rest) && !ShapedType::isDynamic(count);
    if (known && rest > 0 && count % rest)
      return check.error() << "a multiple of " << rest << " elements, found "
                           << count << " in " << self;
    *inferred = known && rest > 0 ? count / rest : ShapedType::kDynamic;
  } else if (!agree(countElements(*size), count)) {
    return check.error() << "a shape of " << count << " elements, found "
                         << formatShape(*size);
  }
  return check.expectType(0, *size, self.getElementType());
}

LogicalResult aten::verifyPermute(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto dims = check.getInts("dims");
  if (!self || !dims)
    return success();
  unsigned rank = self.getRank();
  if (dims->size() != rank)
    return check.error() << rank << " dimensions, found " << dims->size();
  SmallVector<bool> seen(rank, false);
  Shape shape;
  for (int64_t dim : *dims) {
    std::optional<unsigned> place = check.wrapDim(dim, rank);
    if (!place)
      return failure();
    if (std::exchange(seen[*place], true))
      return check.error() << "each dimension once, found " << dim << " twice";
    shape.push_back(self.getDimSize(*place));
  }
  return check.expectType(0, shape, self.getElementType());
}

static LogicalResult expectSwapped(const TypeCheck &check,
                                   RankedTensorType self, int64_t a,
                                   int64_t b) {
  Shape shape(self.getShape());
  std::optional<unsigned> placeA = check.wrapDim(a, self.getRank());
  std::optional<unsigned> placeB =
      placeA ? check.wrapDim(b, self.getRank()) : std::nullopt;
  if (!placeB)
    return failure();
  if (!shape.empty())
    std::swap(shape[*placeA], shape[*placeB]);
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifyTranspose(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> a = check.getInt("dim0"), b = check.getInt("dim1");
  return self && a && b ? expectSwapped(check, self, *a, *b) : success();
}

LogicalResult aten::verifyT(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (self.getRank() > 2)
    return check.error() << "a tensor of at most 2 dimensions, found " << self;
  return self.getRank() == 2 ? expectSwapped(check, self, 0, 1)
                             : check.expectLike(0, self);
}

LogicalResult aten::verifyMovedim(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> from = check.getInt("source");
  std::optional<int64_t> to = check.getInt("destination");
  if (!self || !from || !to)
    return success();
  std::optional<unsigned> source = check.wrapDim(*from, self.getRank());
  std::optional<unsigned> target =
      source ? check.wrapDim(*to, self.getRank()) : std::nullopt;
  if (!target)
    return failure();
  Shape shape(self.getShape());
  if (!shape.empty()) {
    int64_t size = shape[*source];
    shape.erase(shape.begin() + *source);
    shape.insert(shape.begin() + *target, size);
  }
  return check.expectType(0, shape, self.getElementType());
}

// -1 keeps a size; new dimensions come in front.
LogicalResult aten::verifyExpand(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto size = check.getInts("size");
  if (!self || !size)
    return success();
  if (size->size() < static_cast<size_t>(self.getRank()))
    return check.error() << "at least " << self.getRank() << " sizes, found "
                         << size->size();
  size_t lead = size->size() - self.getRank();
  for (size_t i = 0; i < size->size(); ++i) {
    int64_t &to = (*size)[i];
    if (i < lead) {
      if (to == -1)
        return check.error()
               << "a size for the new dimension " << i << ", found -1";
      continue;
    }
    int64_t from = self.getDimSize(i - lead);
    if (to == -1)
      to = from;
    else if (from != 1 && !agree(from, to))
      return check.error() << "size " << from << " of dimension " << i - lead
                           << " to stay, found " << to;
  }
  return check.expectType(0, *size, self.getElementType());
}

LogicalResult aten::verifyUnsqueeze(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> dim = check.getInt("dim");
  if (!self || !dim)
    return success();
  std::optional<unsigned> place = check.wrapDim(*dim, self.getRank() + 1);
  if (!place)
    return failure();
  Shape shape(self.getShape());
  shape.insert(shape.begin() + *place, 1);
  return check.expectType(0, shape, self.getElementType());
}

// A dimension is dropped only if its size is 1; an unknown size may be.
static LogicalResult expectSqueezed(const TypeCheck &check,
                                    RankedTensorType self,
                                    ArrayRef<bool> candidates) {
  Shape shape;
  for (auto [size, candidate] : llvm::zip(self.getShape(), candidates)) {
    if (candidate && ShapedType::isDynamic(size))
      return check.expectDtype(0, self.getElementType());
    if (!candidate || size != 1)
      shape.push_back(size);
  }
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifySqueeze(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  std::optional<unsigned> index = check.getCall().find("dim");
  SmallVector<int64_t> dims;
  if (std::optional<int64_t> dim = check.getInt("dim"))
    dims.push_back(*dim);
  else if (auto list = check.getInts("dim"))
    dims = *list;
  SmallVector<bool> candidates(self.getRank(), !index);
  for (int64_t dim : dims) {
    std::optional<unsigned> place = check.wrapDim(dim, self.getRank());
    if (!place)
      return failure();
    if (self.getRank())
      candidates[*place] = true;
  }
  return expectSqueezed(check, self, candidates);
}

LogicalResult aten::verifyViewDtype(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  Type dtype = check.getCall().getDtype("dtype");
  if (!self || !dtype)
    return success();
  if (!self.getElementType().isIntOrFloat() || !dtype.isIntOrFloat())
    return check.expectDtype(0, dtype);
  auto bytesOf = [](Type type) {
    return std::max(type.getIntOrFloatBitWidth() / 8, 1u);
  };
  int64_t from = bytesOf(self.getElementType()), to = bytesOf(dtype);
  Shape shape(self.getShape());
  if (from != to) {
    if (shape.empty())
      return check.error() << "a dtype of the same width for a tensor of rank "
                              "0, found "
                           << dtype;
    int64_t &last = shape.back();
    if (!ShapedType::isDynamic(last)) {
      if (last * from % to)
        return check.error() << "the bytes of the last dimension to divide by "
                             << to << ", found " << last * from;
      last = last * from / to;
    }
  }
  return check.expectType(0, shape, dtype);
}

LogicalResult aten::verifyViewAsComplex(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (!isFloating(self.getElementType()) || self.getRank() == 0 ||
      !agree(self.getShape().back(), 2))
    return check.error() << "a floating point tensor whose last dimension is "
                            "2, found "
                         << self;
  return check.expectType(0, self.getShape().drop_back(),
                          ComplexType::get(self.getElementType()));
}

LogicalResult aten::verifyViewAsReal(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  auto complex = dyn_cast<ComplexType>(self.getElementType());
  if (!complex)
    return check.error() << "a complex tensor, found " << self;
  Shape shape(self.getShape());
  shape.push_back(2);
  return check.expectType(0, shape, complex.getElementType());
}
