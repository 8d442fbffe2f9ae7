// A joint function as PyTorch counts it: one node a value, in flat arrays.
#ifndef TITAN_ANALYSIS_JOINTGRAPH_H
#define TITAN_ANALYSIS_JOINTGRAPH_H

#include "titan/Analysis/TensorSize.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// What a node stands for.
enum class NodeKind : uint8_t {
  /// A function argument.
  Argument,
  /// An op with one value, or with none.
  Call,
  /// An op whose value is a tuple; its elements are nodes of their own.
  Tuple,
  /// An element of a tuple that something reads (FX's getitem).
  Element,
};

/// What a node's value is.
enum class ValueKind : uint8_t {
  Tensor,
  /// A symbolic number.
  Symbol,
  /// A device mesh, a random state, a script object.
  Opaque,
  /// A tuple: only its elements can be saved.
  Tuple,
  /// Nothing, or something whose type the source does not give.
  None,
};

/// What an argument is to the step.
enum class ArgumentKind : uint8_t {
  NoArgument,
  /// Parameters, buffers, inputs, forward effect tokens.
  Primal,
  ForwardSeed,
  BackwardSeed,
  Tangent,
  /// A tensor constant: free on both sides.
  Constant,
};

/// One node. Sizes in bytes.
struct GraphNode {
  /// The op, null for arguments.
  Operation *op = nullptr;
  /// The value, null for tuples and for ops without one.
  Value value;
  NodeKind kind = NodeKind::Call;
  ValueKind valueKind = ValueKind::None;
  ArgumentKind argument = ArgumentKind::NoArgument;
  WorkClass work = WorkClass::Unknown;
  OpFact facts = OpFact::None;
  /// \name The tags, a copy that preparation may change.
  /// @{
  std::optional<Policy> policy;
  std::optional<int64_t> region;
  std::optional<Phase> phase;
  /// @}
  /// The tuple of an element, the node itself for all others.
  uint32_t producer = 0;
  /// The node whose storage this one's value lives in; itself for most.
  uint32_t root = 0;
  /// Bytes of the value as TensorSizes counts them; of a tuple, of its tensors.
  int64_t bytes = 0;
  /// Times the function returns the value, before and after its forward outputs
  /// end.
  uint32_t forwardUses = 0;
  uint32_t gradientUses = 0;
  /// A parameter or a buffer.
  bool isStatic = false;
  bool hasBackwardHook = false;
  bool needsNoVersionCheck = false;
  /// The runtime writes to the input after the step.
  bool hasEpilogueMutation = false;
  /// Kept though nothing reads it (OpFact::Impure, mutation, unknown effects).
  bool isImpure = false;

  bool isOutput() const { return forwardUses + gradientUses != 0; }
  bool has(OpFact fact) const { return contains(facts, fact); }
};

/// A snapshot of a joint function. It borrows the function's ops and values and
/// is out of date once they change. Nodes stand in graph order: arguments, then
/// ops; elements directly after their tuple.
class JointGraph {
public:
  using Node = uint32_t;

  /// Takes linear time. \p function has one block.
  JointGraph(func::FuncOp function, const TensorSizes &sizes);

  Node size() const { return static_cast<Node>(nodes.size()); }
  GraphNode &operator[](Node node) { return nodes[node]; }
  const GraphNode &operator[](Node node) const { return nodes[node]; }

  /// The nodes that \p node reads, each once, in the order of operands.
  ArrayRef<Node> getInputs(Node node) const { return inputs.get(node); }
  /// The nodes that read \p node, each once, in graph order.
  ArrayRef<Node> getUsers(Node node) const { return users.get(node); }
  /// The nodes that are positional arguments of \p node by themselves, no
  /// members of lists: as often as they stand there.
  ArrayRef<Node> getPositionalInputs(Node node) const {
    return positional.get(node);
  }

  /// The node of a value; values that no node stands for (dead elements) have
  /// none.
  std::optional<Node> lookup(Value value) const;

  /// The name in the source graph, else the SSA position.
  std::string getName(Node node) const;
  /// Where the node was made: the op's or the argument's location.
  Location getLocation(Node node) const;

  func::FuncOp getFunction() const { return function; }
  /// Whether the backward is every op with a backward phase, not what tangents
  /// reach.
  bool isStepGraph() const { return isStep; }
  /// The returned values in order: the forward outputs, then the rest.
  ArrayRef<Node> getForwardOutputs() const {
    return ArrayRef(results).take_front(numForwardOutputs);
  }
  ArrayRef<Node> getGradients() const {
    return ArrayRef(results).drop_front(numForwardOutputs);
  }

private:
  /// Lists of nodes, one after the other.
  struct Lists {
    std::vector<uint32_t> offsets{0};
    std::vector<Node> items;
    ArrayRef<Node> get(Node node) const {
      return ArrayRef(items).slice(offsets[node],
                                   offsets[node + 1] - offsets[node]);
    }
    void close() { offsets.push_back(static_cast<uint32_t>(items.size())); }
  };
  class Builder;

  func::FuncOp function;
  std::vector<GraphNode> nodes;
  Lists inputs, users, positional;
  llvm::DenseMap<Value, Node> nodeOf;
  std::vector<Node> results;
  size_t numForwardOutputs = 0;
  bool isStep = false;
};

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_JOINTGRAPH_H
