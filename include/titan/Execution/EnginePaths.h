// On what code the compiled engine runs an op.
#ifndef TITAN_EXECUTION_ENGINEPATHS_H
#define TITAN_EXECUTION_ENGINEPATHS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::titan {

enum class EnginePath {
  /// No engine runs it.
  None,
  /// In a kernel that is compiled for the graph.
  Compiled,
  /// On a kernel of the engine's own, most of them built on oneDNN, where types
  /// and layouts are what that knows; else on the reference kernel.
  Library,
  /// On the kernel of the reference engine.
  Reference,
};

/// The path of ops called so and of their kind, as far as a name can tell:
/// types without a lowering, and sizes that only the run tells, lead to the
/// reference kernel. \p op need not have operands.
EnginePath getEnginePath(Operation *op);

/// `compiled`, `library`, `reference`, or nothing.
StringRef stringifyEnginePath(EnginePath path);

/// The ops with library kernels, sorted: those that the compiled engine adds,
/// which a program that runs nothing need not link.
ArrayRef<StringLiteral> getLibraryOps();

} // namespace mlir::titan

#endif // TITAN_EXECUTION_ENGINEPATHS_H
