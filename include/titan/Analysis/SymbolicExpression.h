// Expressions over symbolic sizes as PyTorch prints them: `2*s0`, `(s0//2)`,
// `Max(1, u0)`.
#ifndef TITAN_ANALYSIS_SYMBOLICEXPRESSION_H
#define TITAN_ANALYSIS_SYMBOLICEXPRESSION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::titan {

/// The value of the integer expression \p text with \p symbol for its symbols.
/// Knows + - * // % ** parentheses, and FloorDiv, Mod, PythonMod,
/// ModularIndexing, CleanDiv, CeilDiv, Max and Min. Sums and products saturate.
/// None if the text is no such expression or divides by zero.
std::optional<int64_t>
evaluateExpression(llvm::StringRef text,
                   llvm::function_ref<int64_t(llvm::StringRef)> symbol);

/// Calls \p visit for each symbol (`s0`, `u12`: an s, u, z or f and digits) of
/// \p text, in order, repeated as often as it stands there.
void visitSymbols(llvm::StringRef text,
                  llvm::function_ref<void(llvm::StringRef)> visit);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_SYMBOLICEXPRESSION_H
