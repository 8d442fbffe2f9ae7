#include "titan/Analysis/JointGraph.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

static ValueKind getValueKind(Type type) {
  if (isa<RankedTensorType>(type))
    return ValueKind::Tensor;
  if (isSymbolicNumberType(type))
    return ValueKind::Symbol;
  return isa<titan::OpaqueType>(type) ? ValueKind::Opaque : ValueKind::None;
}

// Which side a seed or a token belongs to is told by its name alone: that is
// how PyTorch tells it (torch/_functorch/_aot_autograd/utils.py).
static ArgumentKind getArgumentKind(std::optional<Role> role, StringRef name) {
  switch (role.value_or(Role::Input)) {
  case Role::Tangent:
    return ArgumentKind::Tangent;
  case Role::Token:
    return name.contains("tangent") ? ArgumentKind::Tangent
                                    : ArgumentKind::Primal;
  case Role::Seed:
    return name.contains("bwd") ? ArgumentKind::BackwardSeed
                                : ArgumentKind::ForwardSeed;
  case Role::Constant:
    return ArgumentKind::Constant;
  default:
    return ArgumentKind::Primal;
  }
}

class JointGraph::Builder {
public:
  Builder(JointGraph &graph, const TensorSizes &sizes)
      : graph(graph), sizes(sizes) {
    MLIRContext *context = graph.function.getContext();
    recompute = StringAttr::get(context, kRecomputeAttr);
    region = StringAttr::get(context, kAcGraphIdAttr);
    phase = StringAttr::get(context, kPhaseAttr);
    resultRecompute = StringAttr::get(context, kResultRecomputeAttr);
    resultRegion = StringAttr::get(context, kResultAcGraphIdAttr);
    tupleName = StringAttr::get(context, kTupleNameAttr);
    hook = StringAttr::get(context, kBackwardHookAttr);
    noVersionCheck = StringAttr::get(context, kNoVersionCheckAttr);
  }

  void run() {
    Block &block = graph.function.getBody().front();
    size_t numOps = block.getOperations().size();
    graph.nodes.reserve(numOps + block.getNumArguments());
    graph.nodeOf.reserve(numOps + block.getNumArguments());
    for (BlockArgument argument : block.getArguments())
      addArgument(argument);
    for (Operation &op : block.without_terminator())
      addOp(op);
    addResults(block.getTerminator());
    linkUsers();
  }

private:
  Node push(GraphNode node) {
    auto index = static_cast<Node>(graph.nodes.size());
    if (node.kind != NodeKind::Element)
      node.producer = index;
    if (node.value) {
      node.valueKind = getValueKind(node.value.getType());
      node.bytes = sizes.getBytes(node.value);
      graph.nodeOf[node.value] = index;
    }
    node.root = index;
    graph.nodes.push_back(std::move(node));
    return index;
  }

  void addArgument(BlockArgument argument) {
    func::FuncOp function = graph.function;
    unsigned index = argument.getArgNumber();
    GraphNode node;
    node.kind = NodeKind::Argument;
    node.value = argument;
    node.argument = getArgumentKind(getArgumentRole(function, index),
                                    getSourceName(argument));
    node.isStatic = isStaticArgument(function, index);
    node.hasBackwardHook = bool(function.getArgAttr(index, kBackwardHookAttr));
    node.needsNoVersionCheck =
        bool(function.getArgAttr(index, kNoVersionCheckAttr));
    node.hasEpilogueMutation =
        bool(function.getArgAttr(index, kEpilogueMutationAttr));
    push(std::move(node));
    graph.inputs.close();
    graph.positional.close();
  }

  /// The tags of an op and of its elements.
  struct Tags {
    bool isTuple = false;
    bool hook = false;
    bool noVersionCheck = false;
    ArrayAttr elementPolicies, elementRegions;
  };

  // One walk over the attributes instead of a search for each.
  Tags readTags(Operation &op, GraphNode &node) {
    Tags tags;
    tags.isTuple = op.getNumResults() > 1;
    for (NamedAttribute attribute : op.getRawDictionaryAttrs()) {
      StringAttr name = attribute.getName();
      if (name == recompute) {
        if (auto policy = dyn_cast<PolicyAttr>(attribute.getValue()))
          node.policy = policy.getValue();
      } else if (name == region) {
        if (auto id = dyn_cast<IntegerAttr>(attribute.getValue()))
          node.region = id.getInt();
      } else if (name == phase) {
        if (auto side = dyn_cast<PhaseAttr>(attribute.getValue()))
          node.phase = side.getValue();
      } else if (name == resultRecompute) {
        tags.elementPolicies = dyn_cast<ArrayAttr>(attribute.getValue());
      } else if (name == resultRegion) {
        tags.elementRegions = dyn_cast<ArrayAttr>(attribute.getValue());
      } else if (name == tupleName) {
        tags.isTuple = true;
      } else if (name == hook) {
        tags.hook = true;
      } else if (name == noVersionCheck) {
        tags.noVersionCheck = true;
      }
    }
    return tags;
  }

  void readFacts(Operation &op, GraphNode &node) {
    if (auto recomputeOp = dyn_cast<RecomputeOpInterface>(op)) {
      node.work = recomputeOp.getWorkClass();
      node.facts = recomputeOp.getFacts();
      node.isImpure = node.has(OpFact::Impure) || node.has(OpFact::Mutable) ||
                      node.work == WorkClass::Effectful;
      return;
    }
    node.isImpure = !isMemoryEffectFree(&op);
  }

  void addOp(Operation &op) {
    GraphNode node;
    node.op = &op;
    readFacts(op, node);
    Tags tags = readTags(op, node);
    if (!tags.isTuple) {
      node.hasBackwardHook = tags.hook;
      node.needsNoVersionCheck = tags.noVersionCheck;
      if (op.getNumResults() == 1)
        node.value = op.getResult(0);
      Node index = push(std::move(node));
      linkInputs(op);
      if (op.getNumResults() == 1)
        setRoot(index, op.getResult(0));
      return;
    }
    node.kind = NodeKind::Tuple;
    node.valueKind = ValueKind::Tuple;
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        node.bytes += sizes.getBytes(result);
    Node tuple = push(std::move(node));
    linkInputs(op);
    for (OpResult result : op.getResults())
      if (!result.use_empty())
        addElement(op, tuple, result, tags);
  }

  void addElement(Operation &op, Node tuple, OpResult result,
                  const Tags &tags) {
    const GraphNode &parent = graph.nodes[tuple];
    GraphNode node;
    node.op = &op;
    node.value = result;
    node.kind = NodeKind::Element;
    node.producer = tuple;
    node.work = parent.work;
    node.facts = parent.facts;
    node.phase = parent.phase;
    node.hasBackwardHook = tags.hook;
    node.needsNoVersionCheck = tags.noVersionCheck;
    unsigned number = result.getResultNumber();
    if (tags.elementPolicies && number < tags.elementPolicies.size())
      if (auto policy = dyn_cast<PolicyAttr>(tags.elementPolicies[number]))
        node.policy = policy.getValue();
    if (tags.elementRegions && number < tags.elementRegions.size())
      if (auto id = dyn_cast<IntegerAttr>(tags.elementRegions[number]))
        node.region = id.getInt();
    Node index = push(std::move(node));
    graph.inputs.items.push_back(tuple);
    graph.inputs.close();
    graph.positional.items.push_back(tuple);
    graph.positional.close();
    setRoot(index, result);
  }

  void setRoot(Node index, OpResult result) {
    auto alias = dyn_cast<AliasOpInterface>(result.getOwner());
    if (!alias)
      return;
    std::optional<unsigned> operand =
        alias.getAliasedOperand(result.getResultNumber());
    if (!operand || *operand >= result.getOwner()->getNumOperands())
      return;
    auto it = graph.nodeOf.find(result.getOwner()->getOperand(*operand));
    if (it != graph.nodeOf.end())
      graph.nodes[index].root = graph.nodes[it->second].root;
  }

  void linkInputs(Operation &op) {
    size_t start = graph.inputs.items.size();
    for (Value operand : op.getOperands())
      addInput(operand, start);
    // What a nested region reads from outside, the op reads.
    for (Region &nested : op.getRegions())
      nested.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          addInput(operand, start);
      });
    graph.inputs.close();
    addPositional(op);
    graph.positional.close();
  }

  void addInput(Value operand, size_t start) {
    auto it = graph.nodeOf.find(operand);
    if (it == graph.nodeOf.end())
      return;
    auto &items = graph.inputs.items;
    // Ops with very many operands are rare, and then the set pays.
    if (items.size() - start < 16) {
      if (!llvm::is_contained(ArrayRef(items).drop_front(start), it->second))
        items.push_back(it->second);
      return;
    }
    if (lastWide != start) {
      wide.clear();
      wide.insert(items.begin() + start, items.end());
      lastWide = start;
    }
    if (wide.insert(it->second).second)
      items.push_back(it->second);
  }

  void pushPositional(Value operand) {
    if (auto it = graph.nodeOf.find(operand); it != graph.nodeOf.end())
      graph.positional.items.push_back(it->second);
  }

  void addPositional(Operation &op) {
    if (auto torchOp = dyn_cast<TorchOpInterface>(op))
      return addSchemaPositional(torchOp);
    if (auto escape = dyn_cast<TorchOp>(op)) {
      for (Attribute argument : escape.getArgs())
        if (auto place = dyn_cast<ArgumentAttr>(argument);
            place && place.getIndex() < op.getNumOperands())
          pushPositional(op.getOperand(place.getIndex()));
      return;
    }
    for (Value operand : op.getOperands())
      pushPositional(operand);
  }

  void addSchemaPositional(TorchOpInterface op) {
    unsigned group = 0;
    for (const SchemaParameter &parameter : op.getSchema()) {
      if (!hasOperands(parameter.kind))
        continue;
      auto [start, length] = op.getOperandGroup(group++);
      bool isList = parameter.kind == ParameterKind::Tensors ||
                    parameter.kind == ParameterKind::OptionalTensors ||
                    parameter.kind == ParameterKind::SymInts;
      if (length == 1 && !isList && !parameter.keywordOnly)
        pushPositional(op->getOperand(start));
    }
  }

  void addResults(Operation *terminator) {
    int64_t count = getNumForwardOutputs(cast<FunctionOpInterface>(
                                             graph.function.getOperation()))
                        .value_or(terminator->getNumOperands());
    graph.numForwardOutputs = std::clamp<int64_t>(
        count, 0, static_cast<int64_t>(terminator->getNumOperands()));
    for (auto [index, operand] : llvm::enumerate(terminator->getOperands())) {
      auto it = graph.nodeOf.find(operand);
      if (it == graph.nodeOf.end())
        continue;
      graph.results.push_back(it->second);
      GraphNode &node = graph.nodes[it->second];
      ++(index < graph.numForwardOutputs ? node.forwardUses
                                         : node.gradientUses);
    }
    auto kind = graph.function->getAttrOfType<StringAttr>(kGraphKindAttr);
    graph.isStep = kind && kind.getValue() == "step";
  }

  // Counting sort: users come out in graph order.
  void linkUsers() {
    std::vector<uint32_t> counts(graph.nodes.size() + 1, 0);
    for (Node input : graph.inputs.items)
      ++counts[input + 1];
    for (size_t i = 1; i < counts.size(); ++i)
      counts[i] += counts[i - 1];
    graph.users.offsets = counts;
    graph.users.items.resize(graph.inputs.items.size());
    for (Node node = 0; node < graph.size(); ++node)
      for (Node input : graph.getInputs(node))
        graph.users.items[counts[input]++] = node;
  }

  JointGraph &graph;
  const TensorSizes &sizes;
  StringAttr recompute, region, phase, resultRecompute, resultRegion, tupleName,
      hook, noVersionCheck;
  llvm::DenseSet<Node> wide;
  size_t lastWide = ~size_t(0);
};

JointGraph::JointGraph(func::FuncOp function, const TensorSizes &sizes)
    : function(function) {
  Builder(*this, sizes).run();
}

std::optional<Node> JointGraph::lookup(Value value) const {
  auto it = nodeOf.find(value);
  return it == nodeOf.end() ? std::nullopt : std::optional(it->second);
}

std::string JointGraph::getName(Node node) const {
  const GraphNode &info = nodes[node];
  if (info.value)
    return getDisplayName(info.value);
  if (StringRef name = getTupleName(info.op); !name.empty())
    return name.str();
  return info.op->getName().getStringRef().str();
}

Location JointGraph::getLocation(Node node) const {
  const GraphNode &info = nodes[node];
  return info.op ? info.op->getLoc() : info.value.getLoc();
}
