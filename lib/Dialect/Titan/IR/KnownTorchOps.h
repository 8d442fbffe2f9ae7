// What is known of an op that titan.torch_op carries.
#ifndef TITAN_LIB_DIALECT_TITAN_IR_KNOWNTORCHOPS_H
#define TITAN_LIB_DIALECT_TITAN_IR_KNOWNTORCHOPS_H

#include "titan/Interfaces/OpFacts.h"

#include "llvm/ADT/StringRef.h"

namespace mlir::titan {

/// The answers of one packet (`aten.digamma`, `higher_order.cond`).
struct KnownTorchOp {
  WorkClass work = WorkClass::Unknown;
  OpFact facts = OpFact::None;
  FlopFormula flops = FlopFormula::Unknown;
  /// As `aliasOperand` of an ODS record.
  int aliasOperand = -1;
};

/// What is known of the overload called \p name (`ns.op.overload`); of an op
/// that nobody told us about, nothing.
KnownTorchOp lookupTorchOp(llvm::StringRef name);

} // namespace mlir::titan

#endif // TITAN_LIB_DIALECT_TITAN_IR_KNOWNTORCHOPS_H
