// Works on the graph's copy of the tags: what the user wrote stays in the IR.
#include "titan/Analysis/Effects.h"
#include "titan/Partition/Preparation.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

static bool isEffectTuple(const GraphNode &node) {
  return node.kind == NodeKind::Tuple && node.work == WorkClass::Effectful &&
         !node.has(OpFact::Mutable);
}

static bool hasRecomputedUser(const JointGraph &graph, Node node) {
  return llvm::any_of(graph.getUsers(node),
                      [&](Node user) { return mustRecompute(graph[user]); });
}

// Between two checkpointed regions without an op in between the tensor on the
// boundary is saved; so is a region's output with a backward hook, which may
// need its own gradient to be recomputed (cleanup_recompute_tags).
static void settleBoundaries(JointGraph &graph, bool isDefault) {
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    if (mustRecompute(node)) {
      bool entersLater = llvm::any_of(graph.getUsers(index), [&](Node user) {
        const GraphNode &other = graph[user];
        return mustRecompute(other) && other.region && node.region &&
               *other.region > *node.region;
      });
      if (entersLater ||
          (node.hasBackwardHook && !hasRecomputedUser(graph, index)))
        node.policy = Policy::MustSave;
      continue;
    }
    // An untagged value that enters a region is that region's input; elements
    // of a tagged tuple are inside.
    bool isInside = node.kind == NodeKind::Element &&
                    graph[node.producer].region.has_value();
    if (isDefault && !node.region && !isInside &&
        hasRecomputedUser(graph, index))
      node.policy = Policy::MustSave;
  }
}

// Recomputing a collective is a decision for all ranks
// (force_save_collectives).
static void saveCollectives(JointGraph &graph) {
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    if (node.work != WorkClass::Collective || node.kind == NodeKind::Element ||
        mustRecompute(node))
      continue;
    if (node.kind != NodeKind::Tuple) {
      node.policy = Policy::MustSave;
      continue;
    }
    for (Node user : graph.getUsers(index))
      if (graph[user].kind == NodeKind::Element)
        graph[user].policy = Policy::MustSave;
  }
}

// A forward effect cannot join the backward's chain of tokens
// (force_save_effectful_ops).
static LogicalResult saveEffects(JointGraph &graph) {
  LogicalResult result = success();
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    if (!isEffectTuple(node) || node.phase == Phase::Backward)
      continue;
    if (node.policy == Policy::MustRecompute) {
      result = emitError(graph.getLocation(index))
               << "'" << graph.getName(index)
               << "' is tagged must_recompute, but it has an effect that must "
                  "happen once; remove the tag";
      continue;
    }
    for (Node user : graph.getUsers(index))
      if (graph[user].kind == NodeKind::Element)
        graph[user].policy = Policy::MustSave;
  }
  return result;
}

// If forward and backward both write an input, the source of the forward's
// write may not be computed again from what the forward left there
// (force_save_bw_mutation_src). Such writes end the graph.
static void saveMutationSources(JointGraph &graph) {
  llvm::DenseSet<Node> writtenInBackward;
  for (Node index = graph.size(); index-- > 0;) {
    GraphNode &node = graph[index];
    ArrayRef<Node> arguments = graph.getPositionalInputs(index);
    if (!node.has(OpFact::Mutable) || arguments.size() < 2)
      return;
    if (node.phase == Phase::MustBeInBackward)
      writtenInBackward.insert(arguments[0]);
    if (node.phase == Phase::MustBeInForward &&
        writtenInBackward.contains(arguments[0]))
      graph[arguments[1]].policy = Policy::MustSave;
  }
}

static bool isInBackward(const GraphNode &node) {
  return node.phase == Phase::Backward || node.phase == Phase::MustBeInBackward;
}

// For each storage that the forward writes, the last op that does.
static llvm::DenseMap<Node, Node> findForwardWrites(const JointGraph &graph) {
  llvm::DenseMap<Node, Node> lastWrite;
  for (Node index = 0; index < graph.size(); ++index) {
    const GraphNode &node = graph[index];
    if (node.kind == NodeKind::Element || !node.has(OpFact::Mutable) ||
        isInBackward(node))
      continue;
    for (OpOperand *operand : getMutatedOperands(node.op))
      if (std::optional<Node> target = graph.lookup(operand->get()))
        lastWrite[graph[*target].root] = index;
  }
  return lastWrite;
}

// A write happens once: its result is saved even where a pass tagged it like
// all ops around it.
static void saveWrites(JointGraph &graph) {
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    if (node.has(OpFact::Mutable) && mustRecompute(node) &&
        node.valueKind == ValueKind::Tensor && !isInBackward(node))
      node.policy = Policy::MustSave;
  }
}

// What the forward reads of a storage before it writes to it cannot be computed
// again afterwards: the value itself is saved, whatever its tag says
// (pytorch/pytorch#197039).
static void saveReadsBeforeWrites(JointGraph &graph) {
  llvm::DenseMap<Node, Node> lastWrite = findForwardWrites(graph);
  if (lastWrite.empty())
    return;
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    Node producer = node.producer;
    bool isOverwritten =
        llvm::any_of(graph.getInputs(producer), [&](Node input) {
          auto write = lastWrite.find(graph[input].root);
          return write != lastWrite.end() && write->second > producer;
        });
    if (isOverwritten && node.op && node.root == index &&
        node.valueKind == ValueKind::Tensor && !node.has(OpFact::Mutable))
      node.policy = Policy::MustSave;
  }
}

// A write that needs a tangent can only happen in the backward, whether the
// source said so or not.
static void placeWrites(JointGraph &graph) {
  std::vector<uint8_t> needsTangent(graph.size(), 0);
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &node = graph[index];
    if (node.argument == ArgumentKind::Tangent)
      needsTangent[index] = 1;
    if (!needsTangent[index])
      continue;
    if (node.has(OpFact::Mutable) && !node.phase)
      node.phase = Phase::MustBeInBackward;
    for (Node user : graph.getUsers(index))
      needsTangent[user] = 1;
  }
}

// A tuple and its elements are one op: an element without a tag has the
// tuple's, and a tag that asks for recomputation asks it of the op.
static LogicalResult uniteTuples(JointGraph &graph) {
  LogicalResult result = success();
  for (Node index = 0; index < graph.size(); ++index) {
    GraphNode &element = graph[index];
    if (element.kind != NodeKind::Element)
      continue;
    GraphNode &tuple = graph[element.producer];
    if (!element.policy) {
      element.policy = tuple.policy;
      element.region = tuple.region;
      continue;
    }
    if (tuple.policy == Policy::MustSave && mustRecompute(element)) {
      if (element.policy == Policy::MustRecompute)
        result = emitError(graph.getLocation(index))
                 << "'" << graph.getName(index)
                 << "' is tagged must_recompute, but it is an element of '"
                 << graph.getName(element.producer)
                 << "', which is tagged must_save; keep one of the two tags";
      element.policy = Policy::MustSave;
      continue;
    }
    if (mustRecompute(element) && !tuple.policy)
      tuple.policy = element.policy;
  }
  return result;
}

LogicalResult titan::settleTags(JointGraph &graph, const CompatRules &rules,
                                bool isDefault) {
  placeWrites(graph);
  if (rules.honorsAllTags && failed(uniteTuples(graph)))
    return failure();
  if (rules.honorsAllTags || graph.isStepGraph()) {
    saveWrites(graph);
    saveReadsBeforeWrites(graph);
  }
  bool hasTags = false;
  for (Node index = 0; index < graph.size() && !hasTags; ++index)
    hasTags = mustRecompute(graph[index]);
  if (hasTags)
    settleBoundaries(graph, isDefault);
  if (!rules.forcesSaves)
    return success();
  saveCollectives(graph);
  if (failed(saveEffects(graph)))
    return failure();
  saveMutationSources(graph);
  return success();
}
