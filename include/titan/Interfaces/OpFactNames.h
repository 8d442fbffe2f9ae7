// Names of classes of work, facts and formulas, for tables and reports: lower
// case, words joined by hyphens.
#ifndef TITAN_INTERFACES_OPFACTNAMES_H
#define TITAN_INTERFACES_OPFACTNAMES_H

#include "titan/Interfaces/OpFacts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::titan {

llvm::StringRef stringifyWorkClass(WorkClass work);
llvm::StringRef stringifyFlopFormula(FlopFormula formula);

/// The facts in \p facts, in the order of the enumeration.
llvm::SmallVector<llvm::StringRef> listFacts(OpFact facts);

} // namespace mlir::titan

#endif // TITAN_INTERFACES_OPFACTNAMES_H
