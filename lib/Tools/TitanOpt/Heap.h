// How the process takes memory from the system.
#ifndef TITAN_LIB_TOOLS_TITANOPT_HEAP_H
#define TITAN_LIB_TOOLS_TITANOPT_HEAP_H

namespace mlir::titan {

/// Makes the heap grow in few large steps and lets the system back its first
/// part with large pages: to fault in thousands of small ones takes a tenth of
/// the time that a graph of a few thousand ops does. A hint; without glibc and
/// Linux it does nothing. To be called before the first large allocation.
void prepareHeap();

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_HEAP_H
