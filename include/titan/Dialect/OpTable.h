// The table of all ops that mirror a PyTorch overload, from what they answer
// through their interfaces.
#ifndef TITAN_DIALECT_OPTABLE_H
#define TITAN_DIALECT_OPTABLE_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::titan {

/// Prints every op of the loaded dialects that mirrors a PyTorch overload: its
/// schema, class of work, facts, the operand whose storage its result shares,
/// the formula of its cost, whether \p isLowered knows a lowering to linalg of
/// ops called so, and the word that \p getPath has for how the compiled engine
/// runs it. As lines for a terminal, or as the Markdown
/// page docs/generated/ops.md. The dialects are loaded first if \p context only
/// has them registered.
void printOpTable(
    MLIRContext &context, llvm::raw_ostream &stream, bool markdown,
    llvm::function_ref<bool(llvm::StringRef)> isLowered,
    llvm::function_ref<llvm::StringRef(mlir::Operation *)> getPath);

} // namespace mlir::titan

#endif // TITAN_DIALECT_OPTABLE_H
