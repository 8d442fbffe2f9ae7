// The one place of the partitioner that knows ops by name. Each list is
// PyTorch's and says where it stands; what an op is in truth, its interfaces
// say.
#include "titan/Partition/Compat.h"

#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::titan;

CompatRules CompatRules::get(CompatKind kind) {
  CompatRules rules;
  rules.kind = kind;
  switch (kind) {
  case CompatKind::Pytorch:
    rules.hasHashCollisions = true;
    rules.skipsUnusedTensors = true;
    break;
  case CompatKind::Pytorch22:
    // torch/_functorch/partitioners.py of 2.2; partitioner.md 21.3.
    rules.banUsedFarApart = false;
    rules.banLongChains = false;
    rules.maxDistance = 3;
    rules.distanceYieldsToTags = true;
    rules.viewsAreExempt = false;
    rules.listSpeaksFirst = true;
    rules.staticIsFree = false;
    rules.keepsOutputsApart = false;
    rules.keepsGradientsApart = false;
    rules.seededMayMerge = true;
    rules.forcesSaves = false;
    rules.skipsUnusedTensors = true;
    break;
  case CompatKind::Titan:
    rules.banUsedFarApart = false;
    rules.banLongChains = false;
    rules.banMaterializedBackward = false;
    rules.weighsByDistance = false;
    rules.honorsAllTags = true;
    break;
  }
  return rules;
}

// The packet of an op's name: `aten.add` of `aten.add.Tensor`.
static StringRef getPacket(StringRef name) {
  size_t first = name.find('.');
  return name.take_front(name.find('.', first + 1));
}

// What 2.2 did not list yet (get_default_op_list; partitioner.md 21.3).
static bool isUnlistedIn22(StringRef packet) {
  return llvm::StringSwitch<bool>(packet)
      .Cases({"aten.gather", "aten.empty", "aten.empty_like", "aten.split",
              "prims.iota", "prims._low_memory_max_pool2d_offsets_to_indices",
              "prims._low_memory_max_pool_offsets_to_indices",
              "prims.prepare_softmax_online"},
             true)
      .Default(false);
}

static bool isNoViewIn22(StringRef packet) {
  return packet == "aten.select" || packet == "aten.split";
}

// random_ops of get_default_op_list: fusible, though not recomputable.
static bool isFusibleRandom(StringRef packet) {
  return llvm::StringSwitch<bool>(packet)
      .Cases({"aten.native_dropout", "aten.rand_like", "aten.randn_like"}, true)
      .Default(false);
}

static NodeTraits getPytorchTraits(const GraphNode &node, StringRef packet,
                                   const CompatRules &rules) {
  bool is22 = rules.kind == CompatKind::Pytorch22;
  NodeTraits traits;
  traits.isRecomputable =
      node.has(OpFact::Recomputable) && !(is22 && isUnlistedIn22(packet));
  traits.isView = node.has(OpFact::CutView) && !(is22 && isNoViewIn22(packet));
  traits.isFusible = traits.isRecomputable || isFusibleRandom(packet);
  // is_fusible and should_ban_recomputation of solve_min_cut.
  traits.absorbsInputs = packet == "aten.cat";
  traits.isNeverBanned =
      packet == "aten.lift_fresh" || packet == "aten.lift_fresh_copy";
  return traits;
}

// Titan's own: what an op does decides, and the list only where moving or
// folding data could be dear.
static NodeTraits getTitanTraits(const GraphNode &node) {
  NodeTraits traits;
  if (node.has(OpFact::Seeded) || node.has(OpFact::Mutable) ||
      node.has(OpFact::Impure))
    return traits;
  switch (node.work) {
  case WorkClass::View:
  case WorkClass::Symbolic:
    traits.isView = true;
    traits.isRecomputable = true;
    break;
  case WorkClass::Pointwise:
  case WorkClass::Creation:
    traits.isRecomputable = true;
    break;
  case WorkClass::Reduction:
  case WorkClass::Movement:
    traits.isRecomputable = node.has(OpFact::Recomputable);
    break;
  default:
    break;
  }
  return traits;
}

static NodeTraits getListedTraits(const CompatRules &rules, StringRef name) {
  NodeTraits traits;
  traits.isRecomputable =
      llvm::any_of(*rules.recomputableOps, [&](StringRef op) {
        op = getPacket(op);
        return op == getPacket(name);
      });
  traits.isFusible = traits.isRecomputable;
  return traits;
}

static NodeTraits getOpTraits(const CompatRules &rules, const GraphNode &node) {
  std::string name = getOpName(node.op);
  if (rules.recomputableOps)
    return getListedTraits(rules, name);
  if (rules.kind == CompatKind::Titan)
    return getTitanTraits(node);
  return getPytorchTraits(node, getPacket(name), rules);
}

std::vector<NodeTraits> CompatRules::classify(const JointGraph &graph) const {
  std::vector<NodeTraits> result(graph.size());
  llvm::DenseMap<OperationName, NodeTraits> known;
  for (JointGraph::Node index = 0; index < graph.size(); ++index) {
    const GraphNode &node = graph[index];
    if (node.kind == NodeKind::Argument)
      continue;
    if (node.kind == NodeKind::Element) {
      // PyTorch lists operator.getitem; taking an element costs nothing.
      result[index].isRecomputable = true;
      result[index].isFusible = true;
      continue;
    }
    // One op stands for many there.
    if (isa<TorchOp>(node.op)) {
      result[index] = getOpTraits(*this, node);
      continue;
    }
    auto [it, isNew] = known.try_emplace(node.op->getName());
    if (isNew)
      it->second = getOpTraits(*this, node);
    result[index] = it->second;
  }
  return result;
}

// rand_ops of torch/_functorch/compile_utils.py.
static bool isOnRandomList(StringRef packet) {
  return llvm::StringSwitch<bool>(packet)
      .Cases({"aten.dropout", "aten._fused_dropout", "aten._standard_gamma",
              "aten.bernoulli", "aten.multinomial", "aten.native_dropout",
              "aten.normal", "aten.poisson", "aten.binomial", "aten.rrelu",
              "aten.rand_like", "aten.rand", "aten.randint", "aten.randn",
              "aten.randperm"},
             true)
      .Default(false);
}

bool titan::mayNotMerge(Operation *op, const CompatRules &rules) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  if (!recompute)
    return op->getNumRegions() != 0 || !isMemoryEffectFree(op);
  OpFact facts = recompute.getFacts();
  WorkClass work = recompute.getWorkClass();
  if (contains(facts, OpFact::Impure) || contains(facts, OpFact::Mutable) ||
      work == WorkClass::Effectful)
    return true;
  if (contains(facts, OpFact::Seeded) && !rules.seededMayMerge)
    return true;
  if (rules.kind == CompatKind::Titan)
    return work == WorkClass::Random || isa<CollectiveOpInterface>(op);
  // Uninitialised memory is equal to no other.
  StringRef packet = getPacket(op->getName().getStringRef());
  return packet == "aten.empty" || isOnRandomList(packet);
}

Attribute PythonHashKeys::get(Attribute attribute) {
  if (!attribute)
    return attribute;
  if (auto it = keys.find(attribute); it != keys.end())
    return it->second;
  Attribute key = attribute;
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    if (!integer.getType().isInteger(1) && integer.getValue().isAllOnes())
      key = IntegerAttr::get(integer.getType(), -2);
  } else if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    SmallVector<int64_t> elements(array.asArrayRef());
    llvm::replace(elements, int64_t(-1), int64_t(-2));
    key = DenseI64ArrayAttr::get(attribute.getContext(), elements);
  } else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> elements;
    for (Attribute element : list)
      elements.push_back(get(element));
    key = ArrayAttr::get(attribute.getContext(), elements);
  } else if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    SmallVector<NamedAttribute> entries;
    for (NamedAttribute entry : dictionary)
      entries.emplace_back(entry.getName(), get(entry.getValue()));
    key = DictionaryAttr::get(attribute.getContext(), entries);
  }
  keys[attribute] = key;
  return key;
}
