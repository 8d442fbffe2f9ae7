#include "titan/Partition/Slice.h"

#include "ExtractDetail.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

bool titan::mustBeInBackward(const JointGraph &graph, const GraphNode &node,
                             const CompatRules &rules) {
  if (!node.op)
    return false;
  if (node.phase == Phase::MustBeInBackward)
    return true;
  if (node.phase != Phase::Backward)
    return false;
  // A collective of the backward stays there even if nothing but inputs feeds
  // it: moved to the forward, its result would be saved.
  return node.has(OpFact::Mutable) || graph.isStepGraph() ||
         (rules.honorsAllTags && node.work == WorkClass::Collective);
}

bool titan::mustBeInForward(const GraphNode &node) {
  if (node.phase == Phase::MustBeInForward)
    return true;
  return node.has(OpFact::Mutable) && node.phase != Phase::Backward &&
         node.phase != Phase::MustBeInBackward;
}

namespace {

class Slicer {
public:
  Slicer(const JointGraph &graph, const CompatRules &rules, Side side)
      : graph(graph), rules(rules), side(side), isInput(graph.size(), 0),
        isValid(graph.size(), 0) {}

  Slice run(ArrayRef<Node> inputs, ArrayRef<Node> outputs,
            const Slice *elsewhere) {
    for (Node input : inputs)
      isInput[input] = isValid[input] = 1;
    for (Node node = 0; node < graph.size(); ++node)
      if (!isValid[node])
        isValid[node] = canCompute(node);

    Slice slice;
    slice.computes.resize(graph.size(), 0);
    slice.isRead.resize(graph.size(), 0);
    for (Node output : outputs) {
      Node source = isValid[output] ? output : findReplacement(output);
      if (isValid[source])
        slice.isRead[source] = 1;
      else
        slice.missing.push_back(output);
    }
    for (Node node = graph.size(); node-- > 0;) {
      if (!isValid[node] || isInput[node] || !graph[node].op)
        continue;
      bool isRoot =
          graph[node].isImpure && !(elsewhere && elsewhere->computes[node]);
      if (!slice.isRead[node] && !isRoot)
        continue;
      slice.computes[node] = 1;
      for (Node input : graph.getInputs(node))
        slice.isRead[input] = 1;
    }
    return slice;
  }

private:
  bool canCompute(Node index) const {
    const GraphNode &node = graph[index];
    if (!node.op)
      return node.argument == ArgumentKind::Constant;
    if (side == Side::Forward ? mustBeInBackward(graph, node, rules)
                              : mustBeInForward(node))
      return false;
    return llvm::all_of(graph.getInputs(index),
                        [&](Node input) { return isValid[input]; });
  }

  // The memory that an op of the other side writes, unwritten (9.1).
  Node findReplacement(Node output) const {
    const GraphNode &node = graph[output];
    if (side == Side::Forward && node.value) {
      Value written = findWrittenValue(node.value, [&](Operation *op) {
        std::optional<Node> made = graph.lookup(op->getResult(0));
        return made && isValid[*made];
      });
      return graph.lookup(written).value_or(output);
    }
    ArrayRef<Node> arguments = graph.getPositionalInputs(output);
    if (node.op && node.has(OpFact::Mutable) &&
        mustBeInBackward(graph, node, rules) && !arguments.empty())
      return arguments[0];
    return output;
  }

  const JointGraph &graph;
  const CompatRules &rules;
  Side side;
  std::vector<uint8_t> isInput, isValid;
};

} // namespace

Slice titan::takeSlice(const JointGraph &graph, const CompatRules &rules,
                       Side side, ArrayRef<Node> inputs, ArrayRef<Node> outputs,
                       const Slice *elsewhere) {
  return Slicer(graph, rules, side).run(inputs, outputs, elsewhere);
}
