// The threads of the compiled engine: those that its libraries use, too.
#ifndef TITAN_EXECUTION_THREADS_H
#define TITAN_EXECUTION_THREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace mlir::titan {

/// Sets how many threads a division may use, for the whole process; one or
/// more. Without it, OMP_NUM_THREADS or the number of cores decides.
void setNumThreads(int64_t count);
int64_t getNumThreads();

/// Calls \p body with parts of [0, \p count) that together are all of it, each
/// in one thread, and returns when all are done. A part begins at a multiple of
/// \p grain, so work of no more than a grain, and work inside of a part, stays
/// in the thread that asks. How it is divided depends on the number of threads:
/// what \p body writes must not.
void parallelFor(int64_t count, int64_t grain,
                 llvm::function_ref<void(int64_t begin, int64_t end)> body);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_THREADS_H
