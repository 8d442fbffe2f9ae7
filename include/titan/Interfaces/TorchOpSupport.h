// What all ops that mirror a PyTorch overload share: parsing and printing by
// schema, the part of verification that the schema decides, effects, and a view
// of an op as a call with arguments.
#ifndef TITAN_INTERFACES_TORCHOPSUPPORT_H
#define TITAN_INTERFACES_TORCHOPSUPPORT_H

#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <string>

namespace mlir::titan {

/// The resource that ops which draw random numbers read and advance.
struct RandomResource : public SideEffects::Resource::Base<RandomResource> {
  StringRef getName() final { return "titan.random"; }
};

/// The resource that stands for the order of collectives, assertions and other
/// talk with the world outside the graph.
struct WorldResource : public SideEffects::Resource::Base<WorldResource> {
  StringRef getName() final { return "titan.world"; }
};

/// Whether \p type is one that a PyTorch value is imported as: a ranked tensor,
/// a symbolic number, or a type of the titan dialect.
bool isTorchValueType(Type type);

/// Whether \p type is index, f64 or i1: SymInt, SymFloat, SymBool.
bool isSymbolicNumberType(Type type);

/// Whether \p attribute is an i64, f64 or i1 number.
bool isNumberAttr(Attribute attribute);

/// The operand that result \p result shares storage with, by the `aliasOperand`
/// of an ODS record: -1 means none, -2 the operand of the result's own number.
inline std::optional<unsigned> aliasedOperand(int operand, unsigned result) {
  if (operand == -2)
    return result;
  return operand < 0 ? std::nullopt
                     : std::optional<unsigned>(static_cast<unsigned>(operand));
}

/// Names the SSA results after the values of the source graph, so that printed
/// IR reads like the graph the user knows.
void setSourceResultNames(Operation *op, OpAsmSetValueNameFn setName);

/// Parses `op arg, arg, name = arg {attributes} : (operand types) -> types`,
/// where each argument is an SSA value, a literal, a list in brackets, or
/// `none`, in the order of \p schema; keyword-only parameters are written `name
/// = arg`.
ParseResult parseTorchOp(OpAsmParser &parser, OperationState &result,
                         ArrayRef<SchemaParameter> schema);

/// Prints what parseTorchOp reads.
void printTorchOp(OpAsmPrinter &printer, Operation *op,
                  ArrayRef<SchemaParameter> schema);

/// Checks what the schema alone decides: required arguments are there, of two
/// forms of an argument just one, lists and their operands agree, tensor places
/// hold tensors or numbers.
LogicalResult verifyTorchOp(Operation *op, ArrayRef<SchemaParameter> schema);

/// The effects that follow from the facts and the mutated arguments of \p op.
void getTorchOpEffects(Operation *op,
                       SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// The verifier of ops whose shapes and dtypes are data dependent or unknown.
inline LogicalResult verifyUnchecked(Operation *) { return success(); }

/// An op seen as a call: its arguments by position or name, whatever way they
/// are stored. Cheap to make; borrows the op.
class CallView {
public:
  /// \p op implements TorchOpInterface.
  explicit CallView(Operation *op);

  Operation *getOperation() const { return op; }
  ArrayRef<SchemaParameter> getSchema() const { return schema; }

  /// The position of the parameter called \p name, or none.
  std::optional<unsigned> find(StringRef name) const;

  /// The operands that belong to parameter \p index (none for pure attributes).
  OperandRange getOperands(unsigned index) const;

  /// The first operand of parameter \p index, or null.
  Value getOperand(unsigned index) const;

  /// The attribute of parameter \p index, or null.
  Attribute getAttribute(unsigned index) const;

  /// Whether the argument was given (a default is not filled in).
  bool isPresent(unsigned index) const;

  /// \name Literals by name, the schema's default or \p otherwise if absent.
  /// A symbolic argument counts as absent; ask getOperand first where it
  /// matters.
  /// @{
  std::optional<int64_t> getInt(StringRef name) const;
  bool getBool(StringRef name, bool otherwise) const;
  std::optional<double> getNumber(StringRef name) const;
  StringRef getString(StringRef name) const;
  Type getDtype(StringRef name) const;
  /// Static entries; `ShapedType::kDynamic` where an operand stands. None if
  /// the list is absent.
  std::optional<SmallVector<int64_t>> getInts(StringRef name) const;
  /// The operands of the parameter called \p name.
  SmallVector<Value> getValues(StringRef name) const;
  Value getValue(StringRef name) const;
  /// @}

private:
  Operation *op;
  ArrayRef<SchemaParameter> schema;
};

/// The attribute's name on the op for parameter \p parameter.
inline llvm::StringRef getAttributeName(const SchemaParameter &parameter) {
  return parameter.attributeName;
}

} // namespace mlir::titan

#endif // TITAN_INTERFACES_TORCHOPSUPPORT_H
