// Grows groups greedily in the order of the function: an op joins the group of
// one of its operands, the latest first, unless a cycle between groups arises.
#include "titan/Codegen/Loops/KernelGroups.h"

#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::titan;

bool titan::isViewOp(Operation *op) {
  auto alias = dyn_cast<AliasOpInterface>(op);
  return alias && op->getNumResults() == 1 && alias.getAliasedOperand(0) &&
         isMemoryEffectFree(op) && hasLinalgLowering(op);
}

bool titan::isProduct(Operation *op) {
  auto interface = dyn_cast<RecomputeOpInterface>(op);
  return interface && interface.getWorkClass() == WorkClass::ComputeHeavy;
}

bool titan::isFusible(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() != 0);
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic) && !isProduct(op) &&
         hasLinalgLowering(op);
}

namespace {
/// A node of the graph of groups: a group, or an op that is in none.
class GroupGrower {
public:
  explicit GroupGrower(const KernelGroupOptions &options) : options(options) {}

  void visit(Operation *op);
  /// Nothing joins the groups there are.
  void closeAll() { firstOpen = groups.size(); }

  std::vector<KernelGroup> take();

private:
  using Node = unsigned;

  /// The node that computes \p value, through views; none for arguments.
  std::optional<Node> getNode(Value value) const;
  bool reaches(Node from, Node to) const;
  Node addNode(Operation *op);

  const KernelGroupOptions &options;
  llvm::DenseMap<Operation *, Node> nodes;
  /// What each node reads from.
  std::vector<llvm::SetVector<Node>> sources;
  /// The group of each node that is one.
  llvm::DenseMap<Node, size_t> groupOf;
  std::vector<KernelGroup> groups;
  std::vector<Node> groupNodes;
  size_t firstOpen = 0;
};
} // namespace

std::optional<unsigned> GroupGrower::getNode(Value value) const {
  Operation *op = value.getDefiningOp();
  while (op && isViewOp(op)) {
    unsigned operand = *cast<AliasOpInterface>(op).getAliasedOperand(0);
    op = op->getOperand(operand).getDefiningOp();
  }
  auto it = op ? nodes.find(op) : nodes.end();
  return it == nodes.end() ? std::nullopt : std::optional<Node>(it->second);
}

// Whether \p from reads, over any number of nodes, from \p to.
bool GroupGrower::reaches(Node from, Node to) const {
  SmallVector<Node> stack = {from};
  llvm::DenseSet<Node> seen;
  while (!stack.empty()) {
    Node node = stack.pop_back_val();
    if (node == to)
      return true;
    if (!seen.insert(node).second)
      continue;
    stack.append(sources[node].begin(), sources[node].end());
  }
  return false;
}

GroupGrower::Node GroupGrower::addNode(Operation *op) {
  Node node = sources.size();
  sources.emplace_back();
  nodes[op] = node;
  return node;
}

void GroupGrower::visit(Operation *op) {
  if (isViewOp(op))
    return;
  llvm::SetVector<Node> read;
  for (Value operand : op->getOperands())
    if (std::optional<Node> node = getNode(operand))
      read.insert(*node);
  if (!isFusible(op)) {
    Node node = addNode(op);
    sources[node] = std::move(read);
    return;
  }
  // The latest first: what it computed is the likeliest to be at hand.
  SmallVector<Node> candidates(read.begin(), read.end());
  llvm::sort(candidates, std::greater<>());
  for (Node candidate : candidates) {
    auto group = groupOf.find(candidate);
    if (group == groupOf.end() || group->second < firstOpen ||
        groups[group->second].size() >= options.maxOps)
      continue;
    bool makesCycle = llvm::any_of(read, [&](Node node) {
      return node != candidate && reaches(node, candidate);
    });
    if (makesCycle)
      continue;
    groups[group->second].push_back(op);
    nodes[op] = candidate;
    for (Node node : read)
      if (node != candidate)
        sources[candidate].insert(node);
    return;
  }
  Node node = addNode(op);
  sources[node] = std::move(read);
  groupOf[node] = groups.size();
  groups.push_back({op});
  groupNodes.push_back(node);
}

std::vector<KernelGroup> GroupGrower::take() { return std::move(groups); }

bool titan::isWriteOp(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return op->getNumRegions() != 0;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  // Random numbers and collectives have resources of their own.
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           isa<SideEffects::DefaultResource>(effect.getResource());
  });
}

std::vector<KernelGroup>
titan::formKernelGroups(func::FuncOp function,
                        const KernelGroupOptions &options) {
  GroupGrower grower(options);
  for (Operation &op : function.front().without_terminator()) {
    grower.visit(&op);
    if (isWriteOp(&op))
      grower.closeAll();
  }
  return grower.take();
}
