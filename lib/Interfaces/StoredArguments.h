// All arguments of one op at once, for code that goes through the schema from
// front to back; CallView answers for single ones.
#ifndef TITAN_INTERFACES_STOREDARGUMENTS_H
#define TITAN_INTERFACES_STOREDARGUMENTS_H

#include "titan/Interfaces/TorchOpSupport.h"

namespace mlir::titan {

/// What an op stores for one parameter of its schema.
struct OpArgument {
  OperandRange operands;
  Attribute attribute;

  /// Whether the argument was given (a default is not filled in).
  bool isPresent() const { return !operands.empty() || attribute; }
};

/// The arguments of \p op, one a parameter of \p schema, which is its own.
inline SmallVector<OpArgument, 8>
getStoredArguments(Operation *op, ArrayRef<SchemaParameter> schema) {
  auto call = cast<TorchOpInterface>(op);
  SmallVector<OpArgument, 8> arguments;
  unsigned group = 0;
  for (const SchemaParameter &parameter : schema) {
    std::pair<unsigned, unsigned> place(0, 0);
    if (hasOperands(parameter.kind))
      place = call.getOperandGroup(group++);
    Attribute attribute;
    if (hasAttribute(parameter.kind))
      attribute =
          op->getInherentAttr(parameter.attributeName).value_or(Attribute());
    arguments.push_back(
        {op->getOperands().slice(place.first, place.second), attribute});
  }
  return arguments;
}

} // namespace mlir::titan

#endif // TITAN_INTERFACES_STOREDARGUMENTS_H
