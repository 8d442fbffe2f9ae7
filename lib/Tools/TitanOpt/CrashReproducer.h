// What is left when the program itself fails.
#ifndef TITAN_LIB_TOOLS_TITANOPT_CRASHREPRODUCER_H
#define TITAN_LIB_TOOLS_TITANOPT_CRASHREPRODUCER_H

#include "llvm/ADT/StringRef.h"

namespace mlir::titan {

/// Prepares for an internal error (a fatal signal, a fatal error of LLVM, no
/// memory): then a file with the command line and the input is written to the
/// temporary directory and named, and the process exits with code 4.
/// \p argv must outlive the process's work.
void installCrashReproducer(int argc, char **argv);

/// Tells what was read, so that a reproducer carries it. \p input must outlive
/// the work on it; an empty string takes it back.
void setReproducerInput(llvm::StringRef input);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_CRASHREPRODUCER_H
