// The part of verification that an op's schema decides.
#include "StoredArguments.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::titan;

static LogicalResult verifyArgument(Operation *op,
                                    const SchemaParameter &parameter,
                                    const OpArgument &argument) {
  const auto &[operands, attribute] = argument;
  if (operands.empty() && !attribute) {
    // A list of tensors may be empty, and an empty group cannot be told from
    // an absent one.
    bool mayBeEmpty = parameter.kind == ParameterKind::Tensors ||
                      parameter.kind == ParameterKind::OptionalTensor ||
                      parameter.kind == ParameterKind::Generator;
    if (parameter.defaultText.empty() && !parameter.isNullable && !mayBeEmpty)
      return op->emitOpError()
             << "expected an argument for '" << parameter.name << "'";
    return success();
  }
  switch (parameter.kind) {
  case ParameterKind::TensorOrScalar:
  case ParameterKind::SymInt:
  case ParameterKind::Scalar:
    if (!operands.empty() && attribute)
      return op->emitOpError() << "expected '" << parameter.name
                               << "' as an operand or a literal, not both";
    return success();
  case ParameterKind::SymInts: {
    auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
    int64_t dynamic =
        array ? llvm::count(array.asArrayRef(), ShapedType::kDynamic) : 0;
    if (dynamic != static_cast<int64_t>(operands.size()))
      return op->emitOpError()
             << "expected an operand for each of the " << dynamic
             << " symbolic entries of '" << parameter.name << "', found "
             << operands.size();
    return success();
  }
  case ParameterKind::OptionalTensors: {
    auto present = dyn_cast_or_null<DenseBoolArrayAttr>(attribute);
    int64_t expected = present ? llvm::count(present.asArrayRef(), true) : 0;
    if (expected != static_cast<int64_t>(operands.size()))
      return op->emitOpError()
             << "expected an operand for each of the " << expected
             << " present elements of '" << parameter.name << "', found "
             << operands.size();
    return success();
  }
  default:
    return success();
  }
}

LogicalResult titan::verifyTorchOp(Operation *op,
                                   ArrayRef<SchemaParameter> schema) {
  SmallVector<OpArgument, 8> arguments = getStoredArguments(op, schema);
  for (auto [parameter, argument] : llvm::zip_equal(schema, arguments))
    if (failed(verifyArgument(op, parameter, argument)))
      return failure();
  return success();
}
