// Element by element: the result has the shape that the operands are broadcast
// to, and the dtype that they are promoted to.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// The dtype of a function whose values are no integers.
static Dtype toFloat(Dtype dtype) {
  bool isInteger =
      dtype.kind == Dtype::Kind::Exact && isa<IntegerType>(dtype.type);
  return isInteger ? Dtype::anyFloat() : dtype;
}

static SmallVector<StringRef> getTensorNames(const CallView &call) {
  SmallVector<StringRef> names;
  for (const SchemaParameter &parameter : call.getSchema())
    if (parameter.kind == ParameterKind::Tensor ||
        parameter.kind == ParameterKind::TensorOrScalar ||
        parameter.kind == ParameterKind::OptionalTensor)
      names.push_back(parameter.name);
  return names;
}

// All tensors, and the numbers that stand for one of them.
static SmallVector<StringRef> getPeers(const CallView &call) {
  SmallVector<StringRef> names = getTensorNames(call);
  for (const SchemaParameter &parameter : call.getSchema())
    if (parameter.kind == ParameterKind::Scalar &&
        llvm::is_contained({"self", "other", "exponent", "min", "max"},
                           parameter.name))
      names.push_back(parameter.name);
  return names;
}

static LogicalResult expectBroadcast(const TypeCheck &check,
                                     ArrayRef<StringRef> names, Dtype dtype) {
  FailureOr<std::optional<Shape>> shape = check.broadcastArguments(names);
  if (failed(shape))
    return failure();
  if (*shape && failed(check.expectShape(0, **shape)))
    return failure();
  return check.expectDtype(0, dtype);
}

LogicalResult aten::verifySameType(Operation *op) {
  TypeCheck check(op);
  return check.expectLike(0, check.getFirstTensor());
}

LogicalResult aten::verifySameShape(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  return type ? check.expectShape(0, type.getShape()) : success();
}

LogicalResult aten::verifyUnaryFloat(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  if (failed(check.expectShape(0, type.getShape())))
    return failure();
  return check.expectDtype(0, toFloat(Dtype::exactly(type.getElementType())));
}

LogicalResult aten::verifyPredicate(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  Type flag = IntegerType::get(op->getContext(), 1);
  return type ? check.expectType(0, type.getShape(), flag) : success();
}

LogicalResult aten::verifyRealValued(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  return check.expectType(0, type.getShape(),
                          complex ? complex.getElementType()
                                  : type.getElementType());
}

LogicalResult aten::verifyBroadcast(Operation *op) {
  TypeCheck check(op);
  SmallVector<StringRef> names = getPeers(check.getCall());
  return expectBroadcast(check, names, check.promoteArguments(names));
}

LogicalResult aten::verifyBroadcastFloat(Operation *op) {
  TypeCheck check(op);
  SmallVector<StringRef> names = getPeers(check.getCall());
  return expectBroadcast(check, names, toFloat(check.promoteArguments(names)));
}

LogicalResult aten::verifyDivideMode(Operation *op) {
  TypeCheck check(op);
  StringRef mode = check.getCall().getString("rounding_mode");
  std::optional<unsigned> index = check.getCall().find("rounding_mode");
  if (!check.getCall().isPresent(*index))
    return verifyBroadcastFloat(op);
  if (mode != "floor" && mode != "trunc")
    return check.error() << "a rounding mode of 'floor' or 'trunc', found '"
                         << mode << "'";
  return verifyBroadcast(op);
}

LogicalResult aten::verifyCompare(Operation *op) {
  TypeCheck check(op);
  Type flag = IntegerType::get(op->getContext(), 1);
  return expectBroadcast(check, getPeers(check.getCall()),
                         Dtype::exactly(flag));
}

LogicalResult aten::verifyBitwise(Operation *op) {
  TypeCheck check(op);
  for (StringRef name : getTensorNames(check.getCall()))
    if (RankedTensorType type = check.getTensor(name);
        type && !isa<IntegerType>(type.getElementType()))
      return check.error() << "'" << name << "' to hold integers or bools, "
                           << "found " << type.getElementType();
  return verifyBroadcast(op);
}

static LogicalResult expectMask(const TypeCheck &check, StringRef name) {
  RankedTensorType mask = check.getTensor(name);
  if (!mask || mask.getElementType().isInteger(1))
    return success();
  auto byte = dyn_cast<IntegerType>(mask.getElementType());
  if (byte && byte.isUnsigned() && byte.getWidth() == 8)
    return success();
  return check.error() << "'" << name << "' to hold bools, found "
                       << mask.getElementType();
}

LogicalResult aten::verifyWhere(Operation *op) {
  TypeCheck check(op);
  if (failed(expectMask(check, "condition")))
    return failure();
  return expectBroadcast(check, {"condition", "self", "other"},
                         check.promoteArguments({"self", "other"}));
}

LogicalResult aten::verifyMaskedFill(Operation *op) {
  TypeCheck check(op);
  if (failed(expectMask(check, "mask")))
    return failure();
  return expectBroadcast(check, {"self", "mask"},
                         check.promoteArguments({"self"}));
}

LogicalResult aten::verifyBroadcastToFirst(Operation *op) {
  TypeCheck check(op);
  SmallVector<StringRef> names = getTensorNames(check.getCall());
  return expectBroadcast(check, names, check.promoteArguments(names.front()));
}

LogicalResult aten::verifyComplex(Operation *op) {
  TypeCheck check(op);
  SmallVector<StringRef> names = getTensorNames(check.getCall());
  if (failed(check.expectSameDtype(names[0], names[1])))
    return failure();
  RankedTensorType part = check.getTensor(names[0]);
  Type type = part && isFloating(part.getElementType())
                  ? ComplexType::get(part.getElementType())
                  : Type();
  return expectBroadcast(check, names, Dtype::exactly(type));
}

LogicalResult aten::verifyGlu(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getTensor("self");
  if (!type)
    return success();
  std::optional<unsigned> dim =
      check.wrapDim(check.getInt("dim").value_or(-1), type.getRank());
  if (!dim)
    return failure();
  Shape shape(type.getShape());
  if (shape.empty() || (!ShapedType::isDynamic(shape[*dim]) && shape[*dim] % 2))
    return check.error() << "dimension " << *dim << " to be even, found "
                         << type;
  if (!ShapedType::isDynamic(shape[*dim]))
    shape[*dim] /= 2;
  return check.expectType(0, shape, type.getElementType());
}

LogicalResult aten::verifyConvert(Operation *op) {
  TypeCheck check(op);
  RankedTensorType type = check.getFirstTensor();
  if (!type)
    return success();
  Type dtype = check.getCall().getDtype("dtype");
  return check.expectType(0, type.getShape(),
                          dtype ? dtype : type.getElementType());
}

LogicalResult aten::verifyCopyFrom(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType source = check.getTensor("src");
  if (self && source) {
    std::optional<Shape> shape = broadcast(self.getShape(), source.getShape());
    if (!shape || !agree(*shape, self.getShape()))
      return check.error() << "'src' to be broadcast to shape "
                           << formatShape(self.getShape()) << ", found "
                           << source;
  }
  return check.expectLike(0, self);
}

LogicalResult aten::verifyTypeAs(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  RankedTensorType other = check.getTensor("other");
  return self && other
             ? check.expectType(0, self.getShape(), other.getElementType())
             : success();
}

LogicalResult aten::verifyInPlace(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  FailureOr<std::optional<Shape>> shape =
      check.broadcastArguments(getTensorNames(check.getCall()));
  if (failed(shape))
    return failure();
  if (self && *shape && !agree(**shape, self.getShape()))
    return check.error() << "operands to be broadcast to shape "
                         << formatShape(self.getShape()) << " of 'self', found "
                         << formatShape(**shape);
  return check.expectLike(0, self);
}
