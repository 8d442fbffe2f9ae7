// What a function computes that gets some values and returns others.
#ifndef TITAN_PARTITION_SLICE_H
#define TITAN_PARTITION_SLICE_H

#include "titan/Partition/Compat.h"

namespace mlir::titan {

/// One of the two functions that a joint function becomes.
enum class Side : uint8_t { Forward, Backward };

/// Whether \p node may not stand in the forward: it says so, or it writes
/// memory and belongs to the backward; in a step graph, every op of the
/// backward.
bool mustBeInBackward(const JointGraph &graph, const GraphNode &node,
                      const CompatRules &rules);

/// Whether \p node may not stand in the backward.
bool mustBeInForward(const GraphNode &node);

/// The result of takeSlice, a flag for every node.
struct Slice {
  /// The slice computes the node.
  std::vector<uint8_t> computes;
  /// The slice computes or returns something that reads the node.
  std::vector<uint8_t> isRead;
  /// Outputs that cannot be computed from the inputs.
  std::vector<JointGraph::Node> missing;
};

/// The ops that make \p outputs from \p inputs, with constants for free, and
/// all ops with effects that can run on this side at all (partitioner.md 9.1).
/// Effects that \p elsewhere computes are left out unless something reads them.
/// Where an output is what an op of the other side, a kernel too, writes to
/// memory, the memory as it is on this side is returned instead, if it has the
/// output's type.
Slice takeSlice(const JointGraph &graph, const CompatRules &rules, Side side,
                ArrayRef<JointGraph::Node> inputs,
                ArrayRef<JointGraph::Node> outputs,
                const Slice *elsewhere = nullptr);

} // namespace mlir::titan

#endif // TITAN_PARTITION_SLICE_H
