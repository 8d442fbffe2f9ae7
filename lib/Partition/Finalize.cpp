#include "Finalize.h"

#include "titan/Analysis/SymbolicExpression.h"
#include "titan/Partition/Preparation.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

// The expression of a symbolic number in the graph's symbols, empty if unknown.
static StringRef getExpression(const GraphNode &node) {
  if (auto symbol = dyn_cast_or_null<SymOp>(node.op))
    return symbol.getValue();
  LayoutAttr layout = getLayout(node.value);
  return layout && layout.getValue() ? layout.getValue().getValue()
                                     : StringRef();
}

namespace {

/// Finds the symbols that the backward's inputs mention and nodes that bind
/// them. The sets are ordered by name, as PyTorch sorts them.
class SymbolBindings {
public:
  explicit SymbolBindings(const PartitionProblem &problem)
      : graph(problem.getGraph()) {
    for (Node node = 0; node < graph.size(); ++node)
      if (!problem.getClasses().needsTangent[node])
        if (StringRef symbol = getBoundSymbol(node); !symbol.empty())
          binders.try_emplace(symbol.str(), node);
  }

  /// The symbol that \p node defines, empty if none: an input that is a bare
  /// symbol, or the first sight of a size that depends on data.
  StringRef getBoundSymbol(Node index) const {
    const GraphNode &node = graph[index];
    if (node.valueKind != ValueKind::Symbol || !node.value.getType().isIndex())
      return {};
    StringRef expression = getExpression(node);
    bool isBare = false;
    visitSymbols(expression,
                 [&](StringRef symbol) { isBare = symbol == expression; });
    bool isUnbacked = expression.starts_with("u");
    return isBare && (!node.op || isUnbacked) ? expression : StringRef();
  }

  std::set<std::string> getSymbols(Node index) const {
    std::set<std::string> symbols;
    auto add = [&](StringRef text) {
      visitSymbols(text,
                   [&](StringRef symbol) { symbols.insert(symbol.str()); });
    };
    const GraphNode &node = graph[index];
    if (!node.value)
      return symbols;
    if (node.valueKind == ValueKind::Symbol)
      add(getExpression(node));
    LayoutAttr layout = getLayout(node.value);
    if (!layout)
      return symbols;
    for (ArrayAttr list : {layout.getShape(), layout.getStrides()})
      if (list)
        for (Attribute element : list)
          if (auto text = dyn_cast<StringAttr>(element))
            add(text.getValue());
    return symbols;
  }

  std::optional<Node> getBinder(const std::string &symbol) const {
    auto it = binders.find(symbol);
    return it == binders.end() ? std::nullopt : std::optional(it->second);
  }

private:
  const JointGraph &graph;
  std::map<std::string, Node> binders;
};

class Finalizer {
public:
  Finalizer(const PartitionProblem &problem, bool isDefault)
      : problem(problem), graph(problem.getGraph()),
        classes(problem.getClasses()), isDefault(isDefault) {}

  Plan run(const PartitionSolution &solution) {
    sort(solution.saved);
    dropUnread();
    bindSymbols();
    Plan plan;
    plan.cut = solution.cut;
    for (Node node : symbols)
      addSaved(plan, node, SavedKind::Symbol);
    for (bool free : {false, true})
      for (Node node : values)
        if (graph[node].needsNoVersionCheck == free)
          addSaved(plan, node,
                   graph[node].op ? SavedKind::Value : SavedKind::Argument);
    for (Node node : others)
      addSaved(plan, node, SavedKind::Other);

    Slice forward = sliceForward(), backward = sliceBackward(&forward);
    if (problem.repeatsEffects() && !isDefault)
      dropRepeatedEffects(backward, forward);
    if (isDefault) {
      dropDeadCollectives(backward, forward);
      dropDeadCollectives(forward, backward);
    }
    for (Node node = 0; node < graph.size(); ++node) {
      if (graph[node].kind == NodeKind::Element)
        continue;
      if (forward.computes[node])
        plan.forwardOps.push_back(graph[node].op);
      if (backward.computes[node])
        plan.backwardOps.push_back(graph[node].op);
    }
    return plan;
  }

private:
  void sort(ArrayRef<Node> saved) {
    for (Node node : saved) {
      if (graph[node].valueKind == ValueKind::Opaque)
        others.push_back(node);
      else if (graph[node].valueKind != ValueKind::Symbol)
        values.push_back(node);
      else if (!feedsOnlyAssertions(node))
        symbols.push_back(node);
    }
  }

  bool feedsOnlyAssertions(Node node) const {
    return graph[node].value.getType().isInteger(1) &&
           !graph.getUsers(node).empty() && !graph[node].isOutput() &&
           llvm::all_of(graph.getUsers(node), [&](Node user) {
             return graph[user].has(OpFact::Assertion);
           });
  }

  SmallVector<Node> getSaved() const {
    SmallVector<Node> saved(symbols);
    saved.append(values.begin(), values.end());
    saved.append(others.begin(), others.end());
    return saved;
  }

  Slice sliceForward() const {
    SmallVector<Node> outputs(graph.getForwardOutputs());
    llvm::append_range(outputs, getSaved());
    return takeSlice(graph, problem.getRules(), Side::Forward, classes.inputs,
                     outputs);
  }

  // What has happened in the forward need not happen again.
  Slice sliceBackward(const Slice *forward) const {
    SmallVector<Node> inputs = getSaved();
    llvm::append_range(inputs, classes.tangents);
    llvm::append_range(inputs, classes.backwardSeeds);
    return takeSlice(graph, problem.getRules(), Side::Backward, inputs,
                     graph.getGradients(),
                     problem.repeatsEffects() ? nullptr : forward);
  }

  void dropUnread() {
    Slice forward;
    if (!problem.repeatsEffects())
      forward = sliceForward();
    Slice backward = sliceBackward(&forward);
    auto isUnread = [&](Node node) {
      if (!backward.isRead[node])
        return true;
      if (graph[node].gradientUses)
        return false;
      // A wait for a collective that nothing reads, one step deep.
      return llvm::all_of(graph.getUsers(node), [&](Node user) {
        return !backward.computes[user] ||
               (graph[user].has(OpFact::Wait) && !backward.isRead[user]);
      });
    };
    for (SmallVector<Node> *list : {&symbols, &values, &others})
      llvm::erase_if(*list, isUnread);
  }

  void bindSymbols() {
    SymbolBindings bindings(problem);
    std::set<std::string> bound;
    SmallVector<Node> binding, derived;
    for (Node node : symbols) {
      StringRef symbol = bindings.getBoundSymbol(node);
      if (!symbol.empty())
        bound.insert(symbol.str());
      (symbol.empty() ? derived : binding).push_back(node);
    }
    SmallVector<Node> readers(derived);
    llvm::append_range(readers, values);
    llvm::append_range(readers, classes.tangents);
    for (Node reader : readers)
      for (const std::string &symbol : bindings.getSymbols(reader))
        if (bound.insert(symbol).second)
          if (std::optional<Node> binder = bindings.getBinder(symbol)) {
            binding.push_back(*binder);
            binders.insert(*binder);
          }
    symbols = std::move(binding);
    llvm::append_range(symbols, derived);
  }

  std::string explain(Node node) const {
    if (binders.contains(node))
      return "binds a symbol in the shape of a value that the backward takes";
    BanReason ban = problem.getBan(node);
    if (ban == BanReason::PrimalInput || ban == BanReason::ForwardSeed)
      return describe(ban).str();
    if (ban == BanReason::MarkedSave && graph[node].policy)
      return ("banned from recompute: marked " +
              stringifyPolicy(*graph[node].policy))
          .str();
    if (ban != BanReason::None)
      return ("banned from recompute: " + describe(ban)).str();
    BanReason producerBan = problem.getBan(graph[node].producer);
    if (producerBan != BanReason::None)
      return ("banned from recompute: " + describe(producerBan)).str();
    return isDefault ? "the forward computes it and the backward reads it"
                     : "closest to the sink on the minimum cut";
  }

  void addSaved(Plan &plan, Node node, SavedKind kind) const {
    plan.saved.push_back(
        {graph[node].value, kind, graph[node].bytes, explain(node)});
  }

  bool hasUser(const Slice &slice, Node node) const {
    return graph[node].isOutput() ||
           llvm::any_of(graph.getUsers(node),
                        [&](Node user) { return slice.computes[user]; });
  }

  // What PyTorch's backward has in common with the forward and reads nowhere.
  // Its order of the backward starts with the first op that reads a tangent; of
  // what stands before it only what later ops need is taken over, and writes
  // (reordering_to_mimic_autograd_engine). Behind it effects stay, and so does
  // a dead collective that needs no tangent: it runs in both functions.
  void dropRepeatedEffects(Slice &slice, const Slice &forward) const {
    Node first = graph.size();
    for (Node tangent : classes.tangents)
      for (Node user : graph.getUsers(tangent))
        if (slice.computes[user])
          first = std::min(first, user);
    if (first == graph.size())
      first = 0;
    for (Node index = graph.size(); index-- > 0;) {
      const GraphNode &node = graph[index];
      if (!slice.computes[index] || node.has(OpFact::Mutable) ||
          hasUser(slice, index))
        continue;
      if ((forward.computes[index] && index < first) || !node.isImpure)
        slice.computes[index] = 0;
    }
  }

  // PyTorch cleans the default partitioner's functions of nothing else. What
  // one function does for nothing the other does too, or neither of them reads.
  void dropDeadCollectives(Slice &slice, const Slice &other) const {
    for (Node node = graph.size(); node-- > 0;) {
      if (slice.computes[node] && graph[node].work == WorkClass::Collective &&
          !hasUser(slice, node) &&
          (other.computes[node] || !hasUser(other, node)))
        slice.computes[node] = 0;
    }
  }

  const PartitionProblem &problem;
  const JointGraph &graph;
  const Classification &classes;
  bool isDefault;
  SmallVector<Node> symbols, values, others;
  llvm::DenseSet<Node> binders;
};

} // namespace

Plan titan::finalizePlan(const PartitionProblem &problem,
                         const PartitionSolution &solution, bool isDefault) {
  return Finalizer(problem, isDefault).run(solution);
}

int64_t titan::countStorageBytes(const PartitionProblem &problem,
                                 const Plan &plan) {
  const JointGraph &graph = problem.getGraph();
  llvm::DenseSet<Node> roots;
  int64_t bytes = 0;
  for (const SavedValue &saved : plan.saved)
    if (std::optional<Node> node = graph.lookup(saved.value))
      if (graph[*node].valueKind == ValueKind::Tensor &&
          roots.insert(graph[*node].root).second)
        bytes += problem.getStorageBytes(*node);
  return bytes;
}
