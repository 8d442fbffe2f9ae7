// The question that a partition answers: which values may be saved at what
// price, and which ops may run twice.
#ifndef TITAN_PARTITION_PARTITIONPROBLEM_H
#define TITAN_PARTITION_PARTITIONPROBLEM_H

#include "titan/Partition/Compat.h"
#include "titan/Partition/FlowNetwork.h"
#include "titan/Partition/Slice.h"

namespace mlir::titan {

/// Why an op must not run in the backward again.
enum class BanReason : uint8_t {
  None,
  PrimalInput,
  ForwardSeed,
  MarkedSave,
  NotRecomputable,
  TooFar,
  MaterializedBackward,
  Reduction,
  UsedFarApart,
  LongChain,
  Random,
  Collective,
  Effect,
  ComputeHeavy,
  ReadsOverwritten,
};

/// \p reason as a clause: "used by a non-fusible backward op".
llvm::StringRef describe(BanReason reason);

/// Why a value cannot be saved.
enum class UnsavableReason : uint8_t {
  None,
  NoTensor,
  EpilogueMutation,
  /// Titan: the storage under the view is saved instead, for the same price.
  View,
  /// Titan: a tag says to recompute.
  MarkedRecompute,
};
llvm::StringRef describe(UnsavableReason reason);

/// Which nodes belong where before anything is decided (partitioner.md 4).
struct Classification {
  /// Depends on a tangent or must run in the backward.
  std::vector<uint8_t> needsTangent;
  /// That, or is returned by the backward.
  std::vector<uint8_t> requiredBackward;
  /// The forward outputs need it.
  std::vector<uint8_t> requiredForward;
  /// The place among the nodes that the forward needs.
  std::vector<uint32_t> forwardOrder;
  /// The nodes that the forward needs, in order.
  std::vector<JointGraph::Node> forwardNodes;
  /// Steps to the nearest node outside the forward; kFarFromBackward if none.
  std::vector<uint32_t> distance;
  /// Primals, then forward seeds.
  std::vector<JointGraph::Node> inputs;
  std::vector<JointGraph::Node> tangents;
  std::vector<JointGraph::Node> backwardSeeds;
};

inline constexpr uint32_t kFarFromBackward = 1'000'000'000;

/// A choice of values to save, in graph order.
struct PartitionSolution {
  std::vector<JointGraph::Node> saved;
  /// The network's vertices and edges and the cut's value; zero if there is
  /// none.
  CutSize cut;
};

/// Built from a graph whose tags are settled; then checked, solved, and the
/// solution verified. Borrows graph and rules.
class PartitionProblem {
public:
  using Node = JointGraph::Node;

  PartitionProblem(const JointGraph &graph, const CompatRules &rules);

  const JointGraph &getGraph() const { return graph; }
  const CompatRules &getRules() const { return rules; }
  const Classification &getClasses() const { return classes; }
  bool hasBackward() const;
  /// Whether the backward, as PyTorch extracts it, has every effect that it
  /// could have, done before or not (partitioner.md 27.5).
  bool repeatsEffects() const;

  /// What bans the node from recomputation.
  BanReason getBan(Node node) const { return bans[node]; }
  /// Bans a node unless it is exempt (partitioner.md 7.3); says whether it is
  /// banned by that.
  bool ban(Node node, BanReason reason);
  bool isBanned(Node node) const { return bans[node] != BanReason::None; }

  /// Whether producer \p from and consumer \p to could share a kernel.
  bool isFusible(Node from, Node to) const;

  /// What saving the node costs; FlowNetwork::kUnbounded if it cannot be saved.
  int64_t getCapacity(Node node) const;
  UnsavableReason getUnsavableReason(Node node) const;
  /// Bytes of the storage that saving the node keeps alive; nothing where it is
  /// alive anyway (inputs, constants, forward outputs).
  int64_t getStorageBytes(Node node) const;
  bool isResident(Node node) const { return residentRoots[graph[node].root]; }

  /// Says what is wrong with the forward or the tags, if anything is, at the
  /// user's line.
  LogicalResult check() const;
  /// Says what is wrong with \p solution, if anything is: a gradient that could
  /// not be computed, a saved value that depends on a tangent, an op that would
  /// run twice although it must not.
  LogicalResult verify(ArrayRef<Node> saved) const;
  /// The same as an answer, without a diagnostic.
  bool isLegal(ArrayRef<Node> saved) const;

private:
  void classify();
  void measureDistance();
  void findStorage();
  void applyBans();
  BanReason findBan(Node node) const;
  BanReason findTitanBan(Node node) const;
  bool isMaterialized(Node node) const;
  bool isMaterializedBackward(Node node) const;
  bool isSmallOutput(Node node) const;
  int64_t weighByDistance(Node node) const;
  std::string findFlaw(ArrayRef<Node> saved, Node &culprit) const;

  const JointGraph &graph;
  const CompatRules &rules;
  std::vector<NodeTraits> traits;
  Classification classes;
  std::vector<BanReason> bans;
  /// A tag asks for recomputation somewhere.
  bool hasRecomputeTags = false;
  /// By root: the storage outlives the step's forward anyway.
  std::vector<uint8_t> residentRoots;
  /// By root: the forward writes to it.
  std::vector<uint8_t> overwrittenRoots;
};

/// Bans what fused kernels could not recompute together: users of one value
/// with something unfusible between them, and every hundredth link of a long
/// chain of fusible ops (partitioner.md 7.4, 7.5).
void banUsedFarApart(PartitionProblem &problem);
void banLongChains(PartitionProblem &problem);

/// The minimum cut, closest to the sink (partitioner.md 8). Fails if no cut is
/// finite, with a diagnostic unless \p isQuiet.
FailureOr<PartitionSolution> solveMinCut(const PartitionProblem &problem,
                                         bool isQuiet = false);

/// What the forward's ops compute and the backward may read, without regard to
/// cost (partitioner.md 13.1).
PartitionSolution solveDefault(const PartitionProblem &problem);

} // namespace mlir::titan

#endif // TITAN_PARTITION_PARTITIONPROBLEM_H
