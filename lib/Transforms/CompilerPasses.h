// The passes on the forward and the backward function, as far as a job
// configuration may name them.
#ifndef TITAN_LIB_TRANSFORMS_COMPILERPASSES_H
#define TITAN_LIB_TRANSFORMS_COMPILERPASSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::titan {

/// Checks a list of compiler passes as torchtitan does, in its order: rules
/// between passes first, names after. No such pass can be run yet, which is an
/// error of its own. \p hasDecomposition: inductor_decomposition is among the
/// joint passes.
llvm::Error checkCompilerPasses(llvm::ArrayRef<std::string> names,
                                bool hasDecomposition);

/// `['a', 'b']`, as Python prints a list of names.
std::string formatNames(llvm::ArrayRef<llvm::StringRef> names);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_COMPILERPASSES_H
