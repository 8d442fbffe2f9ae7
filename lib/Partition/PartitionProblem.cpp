#include "titan/Partition/PartitionProblem.h"

#include "titan/Partition/Preparation.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

StringRef titan::describe(BanReason reason) {
  switch (reason) {
  case BanReason::None:
    return "";
  case BanReason::PrimalInput:
    return "primal input";
  case BanReason::ForwardSeed:
    return "seed of the forward's random numbers";
  case BanReason::MarkedSave:
    return "marked must_save";
  case BanReason::NotRecomputable:
    return "not in the recomputable list";
  case BanReason::TooFar:
    return "too far from the backward";
  case BanReason::MaterializedBackward:
    return "used by a non-fusible backward op";
  case BanReason::Reduction:
    return "reduction: its inputs are more than 4 times larger";
  case BanReason::UsedFarApart:
    return "its producer is also used before an op that cannot be fused";
  case BanReason::LongChain:
    return "a link of a long chain of fusible ops";
  case BanReason::Random:
    return "draws random numbers";
  case BanReason::Collective:
    return "communicates with other ranks";
  case BanReason::Effect:
    return "has an effect that must happen once";
  case BanReason::ComputeHeavy:
    return "compute-heavy";
  case BanReason::ReadsOverwritten:
    return "reads an input that the step overwrites";
  }
  llvm_unreachable("unknown reason");
}

StringRef titan::describe(UnsavableReason reason) {
  switch (reason) {
  case UnsavableReason::None:
    return "";
  case UnsavableReason::NoTensor:
    return "non-tensor output";
  case UnsavableReason::EpilogueMutation:
    return "input mutation replayed after forward";
  case UnsavableReason::View:
    return "view: the storage under it is saved instead";
  case UnsavableReason::MarkedRecompute:
    return "marked by checkpoint policy";
  }
  llvm_unreachable("unknown reason");
}

PartitionProblem::PartitionProblem(const JointGraph &graph,
                                   const CompatRules &rules)
    : graph(graph), rules(rules), traits(rules.classify(graph)),
      bans(graph.size(), BanReason::None) {
  classify();
  measureDistance();
  findStorage();
  for (Node node = 0; node < graph.size() && !hasRecomputeTags; ++node)
    hasRecomputeTags = mustRecompute(graph[node]);
  applyBans();
}

void PartitionProblem::classify() {
  classes.needsTangent.resize(graph.size(), 0);
  for (Node index = 0; index < graph.size(); ++index) {
    const GraphNode &node = graph[index];
    switch (node.argument) {
    case ArgumentKind::Primal:
      classes.inputs.push_back(index);
      break;
    case ArgumentKind::Tangent:
      classes.tangents.push_back(index);
      classes.needsTangent[index] = 1;
      break;
    case ArgumentKind::BackwardSeed:
      classes.backwardSeeds.push_back(index);
      break;
    default:
      break;
    }
    if (mustBeInBackward(graph, node, rules))
      classes.needsTangent[index] = 1;
    if (classes.needsTangent[index])
      for (Node user : graph.getUsers(index))
        classes.needsTangent[user] = 1;
  }
  for (Node index = 0; index < graph.size(); ++index)
    if (graph[index].argument == ArgumentKind::ForwardSeed)
      classes.inputs.push_back(index);

  classes.requiredBackward = classes.needsTangent;
  for (Node gradient : graph.getGradients())
    classes.requiredBackward[gradient] = 1;

  Slice forward = takeSlice(graph, rules, Side::Forward, classes.inputs,
                            graph.getForwardOutputs());
  classes.requiredForward = std::move(forward.computes);
  for (Node input : classes.inputs)
    classes.requiredForward[input] = 1;
  for (Node index = 0; index < graph.size(); ++index)
    if (graph[index].argument == ArgumentKind::Constant &&
        forward.isRead[index])
      classes.requiredForward[index] = 1;
  classes.forwardOrder.resize(graph.size(), 0);
  for (Node index = 0; index < graph.size(); ++index)
    if (classes.requiredForward[index]) {
      classes.forwardOrder[index] = classes.forwardNodes.size();
      classes.forwardNodes.push_back(index);
    }
}

bool PartitionProblem::repeatsEffects() const {
  return !rules.honorsAllTags && !graph.isStepGraph();
}

bool PartitionProblem::hasBackward() const {
  return llvm::is_contained(classes.requiredBackward, 1);
}

void PartitionProblem::measureDistance() {
  classes.distance.resize(graph.size(), 0);
  for (Node node = graph.size(); node-- > 0;) {
    if (!classes.requiredForward[node])
      continue;
    uint32_t distance = kFarFromBackward;
    for (Node user : graph.getUsers(node))
      distance = std::min(distance, classes.distance[user] + 1);
    classes.distance[node] = distance;
  }
}

void PartitionProblem::findStorage() {
  residentRoots.resize(graph.size(), 0);
  overwrittenRoots.resize(graph.size(), 0);
  for (Node index = 0; index < graph.size(); ++index)
    if (graph[index].argument == ArgumentKind::Primal ||
        graph[index].argument == ArgumentKind::ForwardSeed ||
        graph[index].argument == ArgumentKind::Constant)
      residentRoots[index] = 1;
  for (Node output : graph.getForwardOutputs())
    residentRoots[graph[output].root] = 1;
  for (Node index = 0; index < graph.size(); ++index) {
    const GraphNode &node = graph[index];
    ArrayRef<Node> arguments = graph.getPositionalInputs(index);
    if (node.has(OpFact::Mutable) && node.kind != NodeKind::Element &&
        !mustBeInBackward(graph, node, rules) && !arguments.empty())
      overwrittenRoots[graph[arguments[0]].root] = 1;
  }
}

int64_t PartitionProblem::getStorageBytes(Node node) const {
  Node root = graph[node].root;
  return residentRoots[root] ? 0 : graph[root].bytes;
}

//===----------------------------------------------------------------------===//
// Bans
//===----------------------------------------------------------------------===//

bool PartitionProblem::isFusible(Node from, Node to) const {
  return traits[to].absorbsInputs ||
         (traits[from].isFusible && traits[to].isFusible);
}

bool PartitionProblem::isMaterialized(Node node) const {
  if (!graph[node].op || graph[node].isOutput())
    return true;
  return llvm::any_of(graph.getUsers(node),
                      [&](Node user) { return !isFusible(node, user); });
}

// Whether a backward op that cannot be fused reads the value, through views or
// by itself. The function's return is such an op.
bool PartitionProblem::isMaterializedBackward(Node start) const {
  if (rules.viewsAreExempt && traits[start].isView)
    return false;
  SmallVector<Node> work{start};
  llvm::SmallDenseSet<Node> seen{start};
  while (!work.empty()) {
    Node node = work.pop_back_val();
    if (graph[node].isOutput())
      return true;
    for (Node user : graph.getUsers(node)) {
      if (!classes.requiredForward[user] && !isFusible(node, user))
        return true;
      bool passes = traits[user].isView &&
                    (rules.viewsAreExempt || !classes.requiredForward[user]);
      if (passes && seen.insert(user).second)
        work.push_back(user);
    }
  }
  return false;
}

bool PartitionProblem::isSmallOutput(Node node) const {
  FlowSum inputs = 0;
  for (Node input : graph.getPositionalInputs(node))
    inputs += graph[input].bytes;
  return FlowSum(graph[node].bytes) * 4 < inputs;
}

BanReason PartitionProblem::findBan(Node index) const {
  const GraphNode &node = graph[index];
  if (node.kind == NodeKind::Argument)
    return BanReason::None;
  if (rules.honorsAllTags)
    return findTitanBan(index);
  bool isListed = traits[index].isRecomputable;
  if (rules.listSpeaksFirst && rules.banNotRecomputable && !isListed)
    return BanReason::NotRecomputable;
  if (node.kind == NodeKind::Element)
    return BanReason::None;
  if (node.policy == Policy::MustSave && rules.viewsAreExempt)
    return BanReason::MarkedSave;
  if (traits[index].isNeverBanned)
    return BanReason::None;
  if (rules.banNotRecomputable && !isListed)
    return BanReason::NotRecomputable;
  if (rules.banMaterializedBackward && isMaterializedBackward(index))
    return BanReason::MaterializedBackward;
  if (rules.maxDistance && classes.distance[index] > *rules.maxDistance &&
      !(rules.distanceYieldsToTags && hasRecomputeTags))
    return BanReason::TooFar;
  if (rules.banReductions && isSmallOutput(index))
    return BanReason::Reduction;
  return BanReason::None;
}

static bool asksToSave(std::optional<Policy> policy) {
  return policy == Policy::MustSave || policy == Policy::PreferSave ||
         policy == Policy::MustCpuOffload || policy == Policy::PreferCpuOffload;
}

BanReason PartitionProblem::findTitanBan(Node index) const {
  const GraphNode &node = graph[index];
  if (asksToSave(node.policy) && node.kind != NodeKind::Tuple)
    return BanReason::MarkedSave;
  if (node.kind == NodeKind::Element)
    return BanReason::None;
  if (!traits[index].isRecomputable)
    switch (node.work) {
    case WorkClass::Random:
      return BanReason::Random;
    case WorkClass::Collective:
      return BanReason::Collective;
    case WorkClass::Effectful:
      return BanReason::Effect;
    case WorkClass::ComputeHeavy:
      return BanReason::ComputeHeavy;
    default:
      return node.has(OpFact::Seeded) ? BanReason::Random
                                      : BanReason::NotRecomputable;
    }
  // What the forward leaves in an overwritten input is not what it read there.
  if (node.root == index &&
      llvm::any_of(graph.getInputs(index), [&](Node input) {
        return graph[input].valueKind == ValueKind::Tensor &&
               overwrittenRoots[graph[input].root];
      }))
    return BanReason::ReadsOverwritten;
  if (rules.banReductions && !traits[index].isView && isSmallOutput(index))
    return BanReason::Reduction;
  return BanReason::None;
}

bool PartitionProblem::ban(Node index, BanReason reason) {
  const GraphNode &node = graph[index];
  if (rules.viewsAreExempt && traits[index].isView &&
      !(rules.honorsAllTags && reason == BanReason::MarkedSave))
    return false;
  bool isFloat = node.valueKind == ValueKind::Symbol && node.value &&
                 node.value.getType().isF64();
  if (mustRecompute(node) || isFloat)
    return false;
  if (!isBanned(index))
    bans[index] = reason;
  return true;
}

void PartitionProblem::applyBans() {
  for (Node index = 0; index < graph.size(); ++index) {
    if (classes.needsTangent[index] || mustRecompute(graph[index]))
      continue;
    ArgumentKind argument = graph[index].argument;
    if (argument == ArgumentKind::Primal)
      ban(index, BanReason::PrimalInput);
    else if (argument == ArgumentKind::ForwardSeed)
      ban(index, BanReason::ForwardSeed);
    if (!classes.requiredForward[index])
      continue;
    if (BanReason reason = findBan(index); reason != BanReason::None)
      ban(index, reason);
  }
  if (rules.banUsedFarApart)
    banUsedFarApart(*this);
  if (rules.banLongChains)
    banLongChains(*this);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

UnsavableReason PartitionProblem::getUnsavableReason(Node index) const {
  const GraphNode &node = graph[index];
  if (node.valueKind == ValueKind::Tuple || node.valueKind == ValueKind::None)
    return UnsavableReason::NoTensor;
  if (node.hasEpilogueMutation)
    return UnsavableReason::EpilogueMutation;
  if (!rules.honorsAllTags)
    return UnsavableReason::None;
  if (mustRecompute(node))
    return UnsavableReason::MarkedRecompute;
  if (node.root == index || isBanned(index) || !traits[index].isRecomputable ||
      node.valueKind != ValueKind::Tensor)
    return UnsavableReason::None;
  // A view gives way to its root if that can be saved itself.
  bool rootIsSavable = !classes.needsTangent[node.root] &&
                       !mustRecompute(graph[node.root]) &&
                       graph[node.root].valueKind == ValueKind::Tensor;
  return rootIsSavable ? UnsavableReason::View : UnsavableReason::None;
}

// get_node_weight of solve_min_cut.
int64_t PartitionProblem::weighByDistance(Node index) const {
  const GraphNode &node = graph[index];
  if (rules.staticIsFree && node.isStatic)
    return 0;
  uint32_t steps = std::clamp<uint32_t>(classes.distance[index], 1, 100);
  double weight = static_cast<double>(node.bytes) * std::pow(1.1, steps);
  constexpr double kLimit = 0x1p61;
  auto bytes = static_cast<int64_t>(std::min(weight, kLimit));
  return isMaterialized(index) ? bytes : 2 * bytes;
}

int64_t PartitionProblem::getCapacity(Node index) const {
  const GraphNode &node = graph[index];
  if (getUnsavableReason(index) != UnsavableReason::None)
    return FlowNetwork::kUnbounded;
  // Numbers of the host take no storage.
  if (node.valueKind == ValueKind::Opaque ||
      (node.valueKind == ValueKind::Symbol && !rules.weighsByDistance))
    return 0;
  if (node.valueKind == ValueKind::Symbol)
    return node.value.getType().isF64() ? 4 : 1;
  if (rules.weighsByDistance)
    return weighByDistance(index);
  return std::min(getStorageBytes(index), FlowNetwork::kUnbounded - 1);
}

//===----------------------------------------------------------------------===//
// Check and verify
//===----------------------------------------------------------------------===//

LogicalResult PartitionProblem::check() const {
  Slice forward = takeSlice(graph, rules, Side::Forward, classes.inputs,
                            graph.getForwardOutputs());
  LogicalResult result = success();
  for (Node output : forward.missing)
    result = emitError(graph.getLocation(output))
             << "'" << graph.getName(output)
             << "' is a forward output, but it needs a tangent or an op of the "
                "backward; give the number of forward outputs with "
                "--num-forward-outputs";
  return result;
}

std::string PartitionProblem::findFlaw(ArrayRef<Node> saved,
                                       Node &culprit) const {
  SmallVector<Node> inputs(saved);
  for (Node node : saved) {
    culprit = node;
    if (classes.needsTangent[node])
      return "is saved, but it depends on a tangent";
  }
  inputs.append(classes.tangents.begin(), classes.tangents.end());
  inputs.append(classes.backwardSeeds.begin(), classes.backwardSeeds.end());
  SmallVector<Node> outputs(graph.getForwardOutputs());
  llvm::append_range(outputs, saved);
  Slice forward =
      takeSlice(graph, rules, Side::Forward, classes.inputs, outputs);
  Slice backward =
      takeSlice(graph, rules, Side::Backward, inputs, graph.getGradients(),
                repeatsEffects() ? nullptr : &forward);
  if (!backward.missing.empty()) {
    culprit = backward.missing.front();
    return "is a gradient that the backward cannot compute from what is saved";
  }
  if (!rules.honorsAllTags)
    return {};
  for (Node node = 0; node < graph.size(); ++node) {
    culprit = node;
    BanReason reason = bans[node];
    if (backward.computes[node] && forward.computes[node] &&
        reason != BanReason::None && reason != BanReason::Reduction)
      return ("would be recomputed, but is banned: " + describe(reason)).str();
  }
  return {};
}

bool PartitionProblem::isLegal(ArrayRef<Node> saved) const {
  Node culprit;
  return findFlaw(saved, culprit).empty();
}

LogicalResult PartitionProblem::verify(ArrayRef<Node> saved) const {
  Node culprit = 0;
  std::string flaw = findFlaw(saved, culprit);
  if (flaw.empty())
    return success();
  return emitError(graph.getLocation(culprit))
         << "'" << graph.getName(culprit) << "' " << flaw;
}
