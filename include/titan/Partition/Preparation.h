// What happens to a joint function before it is partitioned.
#ifndef TITAN_PARTITION_PREPARATION_H
#define TITAN_PARTITION_PREPARATION_H

#include "titan/Partition/Compat.h"

namespace mlir::titan {

/// Erases ops that nothing reads and that have no effect (partitioner.md 3.1).
void eraseDeadOps(func::FuncOp function);

/// Merges equal ops into the first of them (partitioner.md 3.2, 27.1 to 27.3).
/// Names and order of what stays are kept; an element that the first op's tuple
/// did not have gets its name from the one that goes. Returns what went, in
/// graph order.
std::vector<MergedValue> mergeEqualOps(func::FuncOp function,
                                       const CompatRules &rules);

/// Settles the tags of \p graph (its copy of them): region boundaries and
/// backward hooks, collectives, effects, sources of double mutations
/// (partitioner.md 3.3 to 3.6, 27.6, 27.7). \p isDefault: for the default
/// partitioner. Fails with a diagnostic where a tag asks the impossible.
LogicalResult settleTags(JointGraph &graph, const CompatRules &rules,
                         bool isDefault);

/// Whether a tag says to recompute.
inline bool mustRecompute(const GraphNode &node) {
  return node.policy == Policy::MustRecompute ||
         node.policy == Policy::PreferRecompute;
}

} // namespace mlir::titan

#endif // TITAN_PARTITION_PREPARATION_H
