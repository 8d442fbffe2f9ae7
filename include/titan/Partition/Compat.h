// Whose rules decide: what the partitioner asks of the ops of a graph under
// each compatibility, and PyTorch's history where no interface of an op can say
// it.
#ifndef TITAN_PARTITION_COMPAT_H
#define TITAN_PARTITION_COMPAT_H

#include "titan/Analysis/JointGraph.h"
#include "titan/Partition/Partitioner.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// What the cut's rules ask of a node's op.
struct NodeTraits {
  /// May be recomputed as far as its op is concerned.
  bool isRecomputable : 1 = false;
  /// Free to recompute: never banned (PyTorch: a fixed list of views).
  bool isView : 1 = false;
  /// May share a kernel with a neighbour that may, too.
  bool isFusible : 1 = false;
  /// Shares a kernel with whatever produces its inputs (`aten.cat`).
  bool absorbsInputs : 1 = false;
  /// No rule bans it (`aten.lift_fresh`).
  bool isNeverBanned : 1 = false;
};

/// The rules of one compatibility. The fields are what differs between them;
/// docs/Partitioning.md has the table.
struct CompatRules {
  CompatKind kind = CompatKind::Titan;

  /// \name What bans a value from recomputation (partitioner.md 7.1)
  /// @{
  bool banUsedFarApart = true;
  bool banLongChains = true;
  bool banMaterializedBackward = true;
  bool banNotRecomputable = true;
  bool banReductions = true;
  /// Ban what is farther from the backward than this; none: no such rule.
  std::optional<uint32_t> maxDistance;
  /// The distance rule rests once a graph carries recompute tags.
  bool distanceYieldsToTags = false;
  /// Views are exempt from bans and from the rule on materialized values.
  bool viewsAreExempt = true;
  /// The list of recomputable ops speaks before the exemptions.
  bool listSpeaksFirst = false;
  /// @}

  /// \name What saving costs
  /// @{
  /// PyTorch's weight: the value's own bytes, times 1.1 a step from the
  /// backward, twice where saving keeps it out of a fused kernel. Else: the
  /// bytes of the storage, once however many values share it, nothing if it is
  /// resident anyway.
  bool weighsByDistance = true;
  /// Parameters and buffers cost nothing.
  bool staticIsFree = true;
  /// @}

  /// \name Preparation
  /// @{
  /// Equal values keep apart if one shares storage with an output.
  bool keepsOutputsApart = true;
  /// A value that gradients need never merges with one that none needs.
  bool keepsGradientsApart = true;
  /// Of two keys with equal Python hashes the first keeps the table's slot.
  bool hasHashCollisions = false;
  /// Equal random ops may merge unless they are on PyTorch's list of old.
  bool seededMayMerge = false;
  /// Collectives, effects and sources of double mutations are saved.
  bool forcesSaves = true;
  /// @}

  /// Tags on views count, PREFER_SAVE and the offload policies mean to save, a
  /// tuple and its elements are one unit, effects are never repeated.
  bool honorsAllTags = false;
  /// The default partitioner takes a tensor without any backward user for one
  /// whose backward users are all symbolic (`all([])`).
  bool skipsUnusedTensors = false;

  /// If set, what is recomputable and fusible is decided by this list of op
  /// names alone (acceptance graphs A3, A4).
  std::optional<std::vector<std::string>> recomputableOps;

  static CompatRules get(CompatKind kind);

  /// The traits of every node of \p graph.
  std::vector<NodeTraits> classify(const JointGraph &graph) const;
};

/// makePlan by rules of one's own.
FailureOr<Plan> makePlan(func::FuncOp joint, PartitionerKind partitioner,
                         const CompatRules &rules);

/// Whether merging equal instances of \p op would change what the step draws or
/// sees, although the op may look pure (partitioner.md 3.2).
bool mayNotMerge(Operation *op, const CompatRules &rules);

/// The attribute that stands for \p attribute in a Python hash: equal just
/// where PyTorch's CSE table confuses two (`hash(-1) == hash(-2)`).
class PythonHashKeys {
public:
  Attribute get(Attribute attribute);

private:
  llvm::DenseMap<Attribute, Attribute> keys;
};

} // namespace mlir::titan

#endif // TITAN_PARTITION_COMPAT_H
