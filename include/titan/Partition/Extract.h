// From a plan to functions.
#ifndef TITAN_PARTITION_EXTRACT_H
#define TITAN_PARTITION_EXTRACT_H

#include "titan/Partition/Partitioner.h"
#include "titan/Partition/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::titan {

/// The two functions that a split makes, in the joint function's module.
struct Halves {
  func::FuncOp forward;
  func::FuncOp backward;
};

/// Makes `@forward` and `@backward` before \p joint from \p plan and erases
/// \p joint (partitioner.md 9). `@forward` takes the primals and forward seeds
/// and returns the forward outputs, then the saved values (tensors, other
/// values, symbols); `@backward` takes the saved values (symbols first),
/// tangents and backward seeds and returns the gradients. Trailing `constant`
/// arguments go to every function that reads them. Names, tags, layouts, roles
/// and `titan.result_positions` of the joint function are kept. Then the
/// backward is put into the order of the autograd engine (10.2) and ops that
/// draw random numbers and stand in both functions get one state (10.1).
FailureOr<Halves> extractHalves(func::FuncOp joint, const Plan &plan,
                                const PartitionOptions &options);

/// Instead of two functions, one: copies of the recomputed ops (names with
/// `_recomputed`) before their first use in the backward (partitioner.md 13.3).
LogicalResult recomputeInPlace(func::FuncOp joint);

} // namespace mlir::titan

#endif // TITAN_PARTITION_EXTRACT_H
