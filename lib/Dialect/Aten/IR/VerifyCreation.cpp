// Tensors from sizes, random tensors, and what is read off a tensor on the
// host's side.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// `dtype = ` says the element type; without it the default dtype stands, which
// a graph does not carry.
LogicalResult aten::verifyCreation(Operation *op) {
  TypeCheck check(op);
  auto size = check.getInts("size");
  if (size && failed(check.expectShape(0, *size)))
    return failure();
  return check.expectDtype(0, check.getCall().getDtype("dtype"));
}

// A tensor of any size, in the dtype of `self` unless another is given.
LogicalResult aten::verifyNew(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto size = check.getInts("size");
  if (size && failed(check.expectShape(0, *size)))
    return failure();
  Type dtype = check.getCall().getDtype("dtype");
  return check.expectDtype(0, dtype  ? dtype
                              : self ? self.getElementType()
                                     : Type());
}

LogicalResult aten::verifyVector(Operation *op) {
  TypeCheck check(op);
  if (failed(check.expectShape(
          0, {check.getInt("steps").value_or(ShapedType::kDynamic)})))
    return failure();
  return check.expectDtype(0, check.getCall().getDtype("dtype"));
}

// The number of steps from start to end, where all three are integers.
LogicalResult aten::verifyArange(Operation *op) {
  TypeCheck check(op);
  int64_t length = ShapedType::kDynamic;
  auto literal = [&](StringRef name, int64_t otherwise) {
    std::optional<unsigned> index = check.getCall().find(name);
    if (!index || !check.getCall().isPresent(*index))
      return std::optional<int64_t>(otherwise);
    return check.getInt(name);
  };
  auto start = literal("start", 0), end = literal("end", 0);
  auto step = literal("step", 1);
  if (step && *step == 0)
    return check.error() << "a step other than 0, found 0";
  if (start && end && step) {
    int64_t span = *end - *start;
    if ((span > 0 && *step < 0) || (span < 0 && *step > 0))
      return check.error() << "a step from " << *start << " towards " << *end
                           << ", found " << *step;
    int64_t magnitude = std::abs(*step);
    length = (std::abs(span) + magnitude - 1) / magnitude;
  }
  if (failed(check.expectShape(0, length)))
    return failure();
  return check.expectDtype(0, check.getCall().getDtype("dtype"));
}

LogicalResult aten::verifyScalarTensor(Operation *op) {
  TypeCheck check(op);
  return check.expectType(0, {}, check.getCall().getDtype("dtype"));
}

LogicalResult aten::verifyEye(Operation *op) {
  TypeCheck check(op);
  return check.expectType(0,
                          {check.getInt("n").value_or(ShapedType::kDynamic),
                           check.getInt("m").value_or(ShapedType::kDynamic)},
                          check.getCall().getDtype("dtype"));
}

LogicalResult aten::verifyDropout(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  if (!input)
    return success();
  if (std::optional<double> p = check.getCall().getNumber("p");
      p && (*p < 0 || *p > 1))
    return check.error() << "a probability from 0 to 1, found " << *p;
  if (failed(check.expectLike(0, input)))
    return failure();
  return check.expectType(1, input.getShape(),
                          IntegerType::get(op->getContext(), 1));
}

//===----------------------------------------------------------------------===//
// On the host's side
//===----------------------------------------------------------------------===//

static LogicalResult expectSymbol(const TypeCheck &check, bool isIndex) {
  Type found = check.getOperation()->getResult(0).getType();
  if (isIndex ? !found.isIndex() : !isSymbolicNumberType(found))
    return check.error() << (isIndex ? "an index" : "a symbolic number")
                         << " as the result, found " << found;
  return success();
}

LogicalResult aten::verifySymbolicSize(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> dim = check.getInt("dim");
  if (self && dim && !check.wrapDim(*dim, self.getRank()))
    return failure();
  return expectSymbol(check, /*isIndex=*/true);
}

LogicalResult aten::verifyItem(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (self && !agree(countElements(self.getShape()), 1))
    return check.error() << "a tensor of one element, found " << self;
  return expectSymbol(check, /*isIndex=*/false);
}
