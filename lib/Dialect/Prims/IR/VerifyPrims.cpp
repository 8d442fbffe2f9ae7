#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

LogicalResult prims::verifySameType(Operation *op) {
  TypeCheck check(op);
  return check.expectLike(0, check.getFirstTensor());
}

LogicalResult prims::verifyConvert(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  return type ? check.expectType(0, type.getShape(),
                                 check.getCall().getDtype("dtype"))
              : success();
}

LogicalResult prims::verifyBroadcast(Operation *op) {
  TypeCheck check(op);
  SmallVector<StringRef> names;
  for (const SchemaParameter &parameter : check.getCall().getSchema())
    names.push_back(parameter.name);
  FailureOr<std::optional<Shape>> shape = check.broadcastArguments(names);
  if (failed(shape))
    return failure();
  return *shape ? check.expectShape(0, **shape) : success();
}

// Dimension i of `a` becomes dimension `broadcast_dimensions[i]` of the result.
LogicalResult prims::verifyBroadcastInDim(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getTensor("a");
  auto shape = check.getInts("shape");
  auto dims = check.getInts("broadcast_dimensions");
  if (!type || !shape || !dims)
    return success();
  if (static_cast<int64_t>(dims->size()) != type.getRank())
    return check.error() << type.getRank() << " broadcast dimensions, found "
                         << dims->size();
  int64_t last = -1;
  for (auto [size, dim] : llvm::zip(type.getShape(), *dims)) {
    if (dim <= last || dim >= static_cast<int64_t>(shape->size()))
      return check.error() << "rising broadcast dimensions below "
                           << shape->size() << ", found " << dim;
    last = dim;
    if (size != 1 && !agree(size, (*shape)[dim]))
      return check.error() << "size " << size << " in dimension " << dim
                           << " to stay, found " << (*shape)[dim];
  }
  return check.expectType(0, *shape, type.getElementType());
}

LogicalResult prims::verifyIota(Operation *op) {
  TypeCheck check(op);
  int64_t length = check.getInt("length").value_or(ShapedType::kDynamic);
  return check.expectType(0, length, check.getCall().getDtype("dtype"));
}

LogicalResult prims::verifyReduction(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  auto dims = check.getInts("dims");
  if (!type)
    return success();
  SmallVector<bool> reduced(type.getRank(), !dims);
  for (int64_t dim : dims.value_or(SmallVector<int64_t>())) {
    std::optional<unsigned> place = check.wrapDim(dim, type.getRank());
    if (!place)
      return failure();
    if (type.getRank())
      reduced[*place] = true;
  }
  Shape shape;
  for (auto [size, gone] : llvm::zip(type.getShape(), reduced))
    if (!gone)
      shape.push_back(size);
  if (failed(check.expectShape(0, shape)))
    return failure();
  return check.expectDtype(0, check.getCall().getDtype("output_dtype"));
}

// A random tensor of shape `size`.
LogicalResult prims::verifyDrawn(Operation *op) {
  TypeCheck check(op);
  auto size = check.getInts("size");
  return size ? check.expectShape(0, *size) : success();
}
