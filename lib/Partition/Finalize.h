// From the values that a solver chose to the plan.
#ifndef TITAN_LIB_PARTITION_FINALIZE_H
#define TITAN_LIB_PARTITION_FINALIZE_H

#include "titan/Partition/PartitionProblem.h"
#include "titan/Partition/Plan.h"

namespace mlir::titan {

/// The saved lists as the backward function takes them, and both functions' ops
/// (partitioner.md 9.2, 27.5): drops what the backward does not read, adds the
/// symbols that bind the shapes of its inputs. \p isDefault: the default
/// partitioner's rule for dead collectives, and its word for the reason.
Plan finalizePlan(const PartitionProblem &problem,
                  const PartitionSolution &solution, bool isDefault);

/// Bytes of the storage that \p plan keeps alive between forward and backward,
/// each once, without what is alive anyway.
int64_t countStorageBytes(const PartitionProblem &problem, const Plan &plan);

} // namespace mlir::titan

#endif // TITAN_LIB_PARTITION_FINALIZE_H
