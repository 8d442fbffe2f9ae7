// How high memory stands while the forward and the backward function run.
#ifndef TITAN_ANALYSIS_PEAKMEMORY_H
#define TITAN_ANALYSIS_PEAKMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cstdint>
#include <vector>

namespace mlir::titan {

/// The peak of live storage over a schedule: each storage counted once, from
/// the op that makes it to the last op that reads it or a view of it; arguments
/// and results of the step resident throughout. No allocator rounding.
struct PeakMemory {
  /// Bytes at the peak, resident bytes included.
  int64_t bytes = 0;
  /// Bytes of parameters, buffers, inputs and constants.
  int64_t residentBytes = 0;
  /// Bytes of saved storage between forward and backward that is not resident.
  int64_t savedBytes = 0;
  /// The op during which memory stands highest; null in an empty step.
  Operation *op = nullptr;
  bool inBackward = false;
  /// The values (roots of storage) alive at the peak, the largest first, ties
  /// in graph order, with their bytes.
  std::vector<std::pair<Value, int64_t>> live;
};

/// \p backward may be null: then \p forward is a whole joint or step function.
PeakMemory computePeakMemory(func::FuncOp forward, func::FuncOp backward);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_PEAKMEMORY_H
