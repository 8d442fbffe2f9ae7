// The program titan-opt as a library, for tools that add dialects or passes.
#ifndef TITAN_TOOLS_TITANOPT_TITANOPT_H
#define TITAN_TOOLS_TITANOPT_TITANOPT_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

namespace mlir::titan {

/// Prints the table of ops for `--list-ops`, for a terminal or as Markdown.
using OpPrinter = std::function<void(llvm::raw_ostream &, bool markdown)>;

/// Runs titan-opt with the dialects in \p registry and the passes registered
/// with MLIR; returns the exit code (docs/generated/options.md).
int titanOptMain(int argc, char **argv, DialectRegistry &registry,
                 const OpPrinter &printOps);

} // namespace mlir::titan

#endif // TITAN_TOOLS_TITANOPT_TITANOPT_H
