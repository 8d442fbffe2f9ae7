// PyTorch's default partitioner: ops stay where they were written; a scan over
// the forward offers its values, and what the backward does not read falls away
// when the lists are made final.
#include "titan/Partition/PartitionProblem.h"
#include "titan/Partition/Preparation.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

namespace {

class Scan {
public:
  explicit Scan(const PartitionProblem &problem)
      : problem(problem), graph(problem.getGraph()),
        isForward(graph.size(), 0) {
    const Classification &classes = problem.getClasses();
    Node end = 0;
    bool saysForward = false, saysBackward = false;
    for (Node index = 0; index < graph.size(); ++index) {
      const GraphNode &node = graph[index];
      saysForward |= node.phase == Phase::Forward;
      saysBackward |= node.phase == Phase::Backward;
      if (node.phase == Phase::Forward ||
          node.argument == ArgumentKind::Primal ||
          node.argument == ArgumentKind::ForwardSeed)
        end = index + 1;
    }
    // PyTorch's own rule asks for both. Printed text may mark the backward
    // alone, or nothing: then what the forward outputs need is the forward,
    // which was PyTorch 2.2's rule; an element that only the backward reads
    // (a dropout's mask) is made where its tuple is.
    for (Node index = 0; index < graph.size(); ++index) {
      bool isWrittenThere =
          saysForward    ? index < end
          : saysBackward ? graph[index].phase != Phase::Backward
                         : classes.requiredForward[graph[index].producer] != 0;
      isForward[index] = isWrittenThere && !classes.needsTangent[index];
    }
  }

  std::vector<Node> run() {
    std::vector<uint8_t> isSaved(graph.size(), 0);
    for (Node node = 0; node < graph.size(); ++node) {
      if (!isForward[node] || isUnsavable(node))
        continue;
      if (offersUsersInstead(node)) {
        for (Node user : graph.getUsers(node))
          isSaved[user] |= !isForward[user];
        continue;
      }
      isSaved[node] |= isOffered(node);
    }
    std::vector<Node> saved;
    for (Node node = 0; node < graph.size(); ++node)
      if (isSaved[node])
        saved.push_back(node);
    return saved;
  }

private:
  // Tuples are saved by their elements; assertions and profiler marks have no
  // value.
  bool isUnsavable(Node node) const {
    return graph[node].valueKind == ValueKind::Tuple ||
           graph[node].valueKind == ValueKind::None ||
           graph[node].argument == ArgumentKind::Constant ||
           graph[node].argument == ArgumentKind::BackwardSeed;
  }

  bool isImpure(Node node) const {
    return graph[node].isImpure && !graph[node].has(OpFact::Wait);
  }

  bool isOffered(Node node) const {
    const GraphNode &info = graph[node];
    if (info.valueKind != ValueKind::Tensor ||
        info.policy == Policy::MustSave || isImpure(node))
      return true;
    return !mustRecompute(info);
  }

  // A tensor that the backward only asks for its sizes: the sizes are saved.
  bool offersUsersInstead(Node node) const {
    const GraphNode &info = graph[node];
    if (info.valueKind != ValueKind::Tensor ||
        info.policy == Policy::MustSave || isImpure(node))
      return false;
    bool hasBackwardUser = false;
    for (Node user : graph.getUsers(node)) {
      if (isForward[user])
        continue;
      hasBackwardUser = true;
      if (graph[user].valueKind != ValueKind::Symbol)
        return false;
    }
    // The function's return is a user after the forward, and no symbol.
    if (info.isOutput())
      return false;
    return hasBackwardUser || problem.getRules().skipsUnusedTensors;
  }

  const PartitionProblem &problem;
  const JointGraph &graph;
  std::vector<uint8_t> isForward;
};

} // namespace

PartitionSolution titan::solveDefault(const PartitionProblem &problem) {
  PartitionSolution solution;
  solution.saved = Scan(problem).run();
  return solution;
}
