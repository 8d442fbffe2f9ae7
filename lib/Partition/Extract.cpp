// Splits a joint function by a plan. Everything that can go wrong is found
// before the first change, so that a failure leaves the module as it was.
#include "titan/Partition/Extract.h"
#include "ExtractDetail.h"

#include "titan/Analysis/Effects.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A value of the joint function in a place of a new function's signature.
struct Place {
  Value value;
  DictionaryAttr attributes;
};

/// One of the two functions, decided but not yet made.
struct Half {
  StringRef name;
  SmallVector<Place> arguments;
  ArrayRef<Operation *> ops;
  SmallVector<Place> results;
  SmallVector<int64_t> positions;
};

/// Decides the two functions of one joint function.
class Splitter {
public:
  Splitter(func::FuncOp joint, const Plan &plan);

  /// Whether both functions can be made; says all that is in the way.
  LogicalResult check();
  Halves build(const PartitionOptions &options);

private:
  void addForwardArguments();
  void addBackwardArguments();
  void addConstants(Half &half);
  void addResults();
  LogicalResult checkHalf(const Half &half);
  void reportMissing(const Half &half, Value missing, Operation *user);
  func::FuncOp buildHalf(const Half &half, IRMapping &mapping);
  Operation *findStart(const IRMapping &mapping) const;

  Place makeSavedPlace(Value value, bool isArgument);
  Place makeResultPlace(unsigned result, Value value);

  func::FuncOp joint;
  const Plan &plan;
  Operation *terminator;
  unsigned numForwardOutputs;
  bool isStep;
  SmallVector<int64_t> positions;
  Half forward;
  Half backward;
  llvm::DenseSet<Operation *> inForward;
};

} // namespace

// The runtime's own inputs say in their names which side they are for
// (torch/_functorch/partitioners.py, _is_tangent, _is_bwd_seed_offset).
bool titan::isTangent(func::FuncOp function, unsigned index) {
  std::optional<Role> role = getArgumentRole(function, index);
  return role == Role::Tangent ||
         (role == Role::Token &&
          getSourceName(function.getArgument(index)).contains("tangent"));
}

bool titan::isBackwardArgument(func::FuncOp joint, unsigned index) {
  return isTangent(joint, index) ||
         (getArgumentRole(joint, index) == Role::Seed &&
          getSourceName(joint.getArgument(index)).contains("bwd"));
}

// What a kernel of the user's writes to, seen as one of its results: the result
// is taken out of a higher-order op by the name of the argument that `kwargs`
// of its keywords binds
// (torch.ops.higher_order.triton_kernel_wrapper_functional).
static Value findKernelArgument(Operation *op) {
  auto element = dyn_cast<TorchOp>(op);
  if (!element || element.getName() != "operator.getitem" ||
      element.getInputs().size() != 1 || element.getArgs().size() != 2)
    return {};
  auto call = element.getInputs()[0].getDefiningOp<TorchOp>();
  std::optional<DictAttr> keywords =
      call ? call.getKwargs() : std::optional<DictAttr>();
  auto find = [](std::optional<DictAttr> entries, StringRef key) -> Attribute {
    if (!entries)
      return {};
    // Keys and values take turns.
    ArrayRef<Attribute> list = entries->getEntries().getValue();
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      if (auto name = dyn_cast<StringAttr>(list[i]);
          name && name.getValue() == key)
        return list[i + 1];
    return {};
  };
  auto key = dyn_cast<StringAttr>(element.getArgs()[1]);
  auto bound = dyn_cast_or_null<DictAttr>(find(keywords, "kwargs"));
  if (!key || !bound)
    return {};
  auto argument = dyn_cast_or_null<ArgumentAttr>(find(bound, key.getValue()));
  return argument ? call.getInputs()[argument.getIndex()] : Value();
}

Value titan::findWrittenValue(Value output,
                              function_ref<bool(Operation *)> isForward) {
  Value value = output;
  while (Operation *op = value.getDefiningOp()) {
    if (isForward(op))
      break;
    if (Value argument = findKernelArgument(op)) {
      value = argument;
      continue;
    }
    SmallVector<OpOperand *> mutated = getMutatedOperands(op);
    auto view = dyn_cast<AliasOpInterface>(op);
    std::optional<unsigned> base;
    if (!mutated.empty())
      base = mutated.front()->getOperandNumber();
    else if (view)
      base = view.getAliasedOperand(cast<OpResult>(value).getResultNumber());
    if (!base)
      return output;
    value = op->getOperand(*base);
  }
  return value.getType() == output.getType() ? value : output;
}

static bool isStepGraph(func::FuncOp joint) {
  auto kind = joint->getAttrOfType<StringAttr>(kGraphKindAttr);
  return kind && kind.getValue() == "step";
}

static bool isMarkedBackward(Operation *op) {
  std::optional<Phase> phase = getPhase(op);
  return phase == Phase::Backward || phase == Phase::MustBeInBackward;
}

static bool readsTangent(func::FuncOp joint, Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    return argument && isTangent(joint, argument.getArgNumber());
  });
}

static SmallVector<int64_t> getResultPositions(func::FuncOp function) {
  if (auto array =
          function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr))
    return llvm::to_vector(array.asArrayRef());
  return llvm::to_vector(llvm::seq<int64_t>(0, function.getNumResults()));
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

Splitter::Splitter(func::FuncOp joint, const Plan &plan)
    : joint(joint), plan(plan), terminator(joint.front().getTerminator()),
      numForwardOutputs(getNumForwardOutputs(joint).value_or(0)),
      isStep(isStepGraph(joint)), positions(getResultPositions(joint)) {
  forward.name = "forward";
  backward.name = "backward";
  forward.ops = plan.forwardOps;
  backward.ops = plan.backwardOps;
  inForward.insert(plan.forwardOps.begin(), plan.forwardOps.end());
  addForwardArguments();
  addBackwardArguments();
  addResults();
  addConstants(forward);
  addConstants(backward);
}

void Splitter::addForwardArguments() {
  for (BlockArgument argument : joint.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (getArgumentRole(joint, index) != Role::Constant &&
        !isBackwardArgument(joint, index))
      forward.arguments.push_back({argument, joint.getArgAttrDict(index)});
  }
}

void Splitter::addBackwardArguments() {
  for (const SavedValue &saved : plan.saved)
    backward.arguments.push_back(makeSavedPlace(saved.value, true));
  for (BlockArgument argument : joint.getArguments())
    if (isBackwardArgument(joint, argument.getArgNumber()))
      backward.arguments.push_back(
          {argument, joint.getArgAttrDict(argument.getArgNumber())});
}

// A constant belongs to nobody: it stands last, wherever it is read.
void Splitter::addConstants(Half &half) {
  llvm::DenseSet<Value> read;
  for (Operation *op : half.ops)
    read.insert(op->operand_begin(), op->operand_end());
  for (const Place &result : half.results)
    read.insert(result.value);
  for (BlockArgument argument : joint.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (getArgumentRole(joint, index) == Role::Constant && read.count(argument))
      half.arguments.push_back({argument, joint.getArgAttrDict(index)});
  }
}

Place Splitter::makeSavedPlace(Value value, bool isArgument) {
  MLIRContext *context = joint.getContext();
  NamedAttrList attributes;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A result has a name and a role; layout and descriptor are an argument's.
    if (isArgument)
      attributes = joint.getArgAttrDict(argument.getArgNumber());
    else if (Attribute name =
                 joint.getArgAttr(argument.getArgNumber(), kNameAttr))
      attributes.set(kNameAttr, name);
  } else {
    Operation *op = value.getDefiningOp();
    if (StringRef name = getSourceName(value); !name.empty())
      attributes.set(kNameAttr, StringAttr::get(context, name));
    if (LayoutAttr layout = getLayout(value); layout && isArgument)
      attributes.set(kLayoutAttr, layout);
    for (StringRef flag : {kNoVersionCheckAttr, kBackwardHookAttr})
      if (isArgument && op->hasAttr(flag))
        attributes.set(flag, UnitAttr::get(context));
  }
  attributes.set(kRoleAttr, RoleAttr::get(context, Role::Saved));
  return {value, attributes.getDictionary(context)};
}

Place Splitter::makeResultPlace(unsigned result, Value value) {
  return {value, joint.getResultAttrDict(result)};
}

// The forward returns tensors, other values, symbols; the order within a group
// is the plan's.
static unsigned getSavedGroup(Type type) {
  if (isa<TensorType>(type))
    return 0;
  return isSymbolicNumberType(type) ? 2 : 1;
}

void Splitter::addResults() {
  auto isForwardOp = [&](Operation *op) { return inForward.count(op) != 0; };
  for (unsigned i = 0, e = joint.getNumResults(); i < e; ++i) {
    Value value = terminator->getOperand(i);
    bool isForward = i < numForwardOutputs;
    Half &half = isForward ? forward : backward;
    half.results.push_back(makeResultPlace(
        i, isForward ? findWrittenValue(value, isForwardOp) : value));
    half.positions.push_back(positions[i]);
  }
  int64_t next = numForwardOutputs ? positions[numForwardOutputs - 1] + 1 : 0;
  for (unsigned group = 0; group < 3; ++group)
    for (const SavedValue &saved : plan.saved)
      if (getSavedGroup(saved.value.getType()) == group) {
        forward.results.push_back(makeSavedPlace(saved.value, false));
        forward.positions.push_back(next++);
      }
}

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

LogicalResult Splitter::check() {
  auto module = joint->getParentOfType<ModuleOp>();
  LogicalResult result = success();
  for (StringRef name : {forward.name, backward.name}) {
    Operation *other = SymbolTable::lookupSymbolIn(module, name);
    if (!other || other == joint)
      continue;
    emitError(other->getLoc())
        << "the module has a function named '" << name
        << "', which the partition is about to make; rename it";
    result = failure();
  }
  if (failed(checkHalf(forward)) || failed(checkHalf(backward)))
    result = failure();
  return result;
}

LogicalResult Splitter::checkHalf(const Half &half) {
  llvm::DenseSet<Value> available;
  for (const Place &argument : half.arguments)
    available.insert(argument.value);
  llvm::SetVector<Value> missing;
  llvm::DenseMap<Value, Operation *> users;
  auto need = [&](Value value, Operation *user) {
    if (!available.count(value) && missing.insert(value))
      users[value] = user;
  };
  for (Operation *op : half.ops) {
    for (Value operand : op->getOperands())
      need(operand, op);
    available.insert(op->result_begin(), op->result_end());
  }
  for (const Place &result : half.results)
    need(result.value, terminator);
  for (Value value : missing)
    reportMissing(half, value, users[value]);
  return success(missing.empty());
}

// The way from what is missing to the tangent that it needs, if it needs one.
static SmallVector<Value> findTangentChain(func::FuncOp joint, Value from) {
  llvm::DenseMap<Value, Value> parent;
  SmallVector<Value> pending = {from};
  parent[from] = Value();
  for (size_t i = 0; i < pending.size(); ++i) {
    Value value = pending[i];
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (!isBackwardArgument(joint, argument.getArgNumber()))
        continue;
      SmallVector<Value> chain;
      for (Value at = value; at; at = parent[at])
        chain.push_back(at);
      return llvm::to_vector(llvm::reverse(chain));
    }
    for (Value operand : value.getDefiningOp()->getOperands())
      if (parent.try_emplace(operand, value).second)
        pending.push_back(operand);
  }
  return {};
}

void Splitter::reportMissing(const Half &half, Value missing, Operation *user) {
  std::string name = getDisplayName(missing);
  InFlightDiagnostic error = emitError(missing.getLoc()) << "'" << name << "' ";
  if (user == terminator)
    error << "is a result of the " << half.name;
  else
    error << "is read in the " << half.name;
  if (&half == &backward) {
    error << ", but the plan neither saves nor recomputes it there; save it or "
             "recompute it";
  } else if (SmallVector<Value> chain = findTangentChain(joint, missing);
             !chain.empty()) {
    error << ", but it needs the tangent '" << getDisplayName(chain.back())
          << "'; give the number of forward outputs that the graph has "
             "(--num-forward-outputs)";
    for (Value link : ArrayRef(chain).drop_front().take_front(8))
      error.attachNote(link.getLoc())
          << "through '" << getDisplayName(link) << "'";
  } else {
    error << ", but the plan does not compute it there; let the forward "
             "compute it";
  }
  if (user != terminator)
    error.attachNote(user->getLoc())
        << "read by '"
        << (user->getNumResults() ? getDisplayName(user->getResult(0))
                                  : user->getName().getStringRef().str())
        << "'";
}

//===----------------------------------------------------------------------===//
// Build
//===----------------------------------------------------------------------===//

// An element of a tuple may be saved while others are recomputed: readers take
// the saved one, and the clone's own, which nobody reads, has no name.
static void standFor(Operation *clone, OpResult result, Value argument,
                     IRMapping &mapping) {
  mapping.map(result, argument);
  auto names = clone->getAttrOfType<ArrayAttr>(kNamesAttr);
  if (!names)
    return;
  SmallVector<Attribute> elements = llvm::to_vector(names);
  elements[result.getResultNumber()] = StringAttr::get(clone->getContext(), "");
  clone->setAttr(kNamesAttr, ArrayAttr::get(clone->getContext(), elements));
}

func::FuncOp Splitter::buildHalf(const Half &half, IRMapping &mapping) {
  OpBuilder builder(joint);
  SmallVector<Type> inputTypes, resultTypes;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  SmallVector<Location> locations;
  for (const Place &argument : half.arguments) {
    inputTypes.push_back(argument.value.getType());
    argumentAttributes.push_back(argument.attributes);
    locations.push_back(argument.value.getLoc());
  }
  for (const Place &result : half.results) {
    resultTypes.push_back(result.value.getType());
    resultAttributes.push_back(result.attributes);
  }
  auto function =
      func::FuncOp::create(builder, joint.getLoc(), half.name,
                           builder.getFunctionType(inputTypes, resultTypes));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
  for (NamedAttribute attribute : joint->getDiscardableAttrs())
    if (attribute.getName() != kJointAttr)
      function->setAttr(attribute.getName(), attribute.getValue());
  function->removeAttr(kResultPositionsAttr);
  if (&half == &forward)
    function->removeAttr(kNumPositionsAttr);
  if (half.positions !=
      llvm::to_vector(llvm::seq<int64_t>(0, half.positions.size())))
    function->setAttr(kResultPositionsAttr,
                      builder.getDenseI64ArrayAttr(half.positions));

  Block *block =
      builder.createBlock(&function.getBody(), {}, inputTypes, locations);
  llvm::DenseMap<Value, Value> arguments;
  for (auto [argument, place] :
       llvm::zip(block->getArguments(), half.arguments)) {
    mapping.map(place.value, argument);
    arguments[place.value] = argument;
  }
  for (Operation *op : half.ops) {
    Operation *clone = builder.clone(*op, mapping);
    for (OpResult result : op->getResults())
      if (Value argument = arguments.lookup(result))
        standFor(clone, result, argument, mapping);
  }
  SmallVector<Value> results;
  for (const Place &result : half.results)
    results.push_back(mapping.lookup(result.value));
  func::ReturnOp::create(builder, terminator->getLoc(), results);
  return function;
}

Halves Splitter::build(const PartitionOptions &options) {
  Halves halves;
  IRMapping forwardMapping, backwardMapping;
  halves.forward = buildHalf(forward, forwardMapping);
  halves.backward = buildHalf(backward, backwardMapping);

  // Whatever stands in the backward runs there, recomputed ops too.
  auto phaseName = StringAttr::get(joint.getContext(), kPhaseAttr);
  auto phase = PhaseAttr::get(joint.getContext(), Phase::Backward);
  SmallVector<RandomPair> pairs;
  for (Operation *op : plan.backwardOps) {
    Operation *clone = backwardMapping.lookup(op);
    if (getPhase(clone) != Phase::MustBeInBackward)
      clone->setDiscardableAttr(phaseName, phase);
    // PyTorch forgets those that no tag made it recompute (partitioner.md
    // 23-4).
    bool mayPair = isTaggedRecompute(op) || options.compat == CompatKind::Titan;
    if (inForward.count(op) && mayPair && drawsRandom(op))
      pairs.push_back({forwardMapping.lookup(op), clone});
  }
  pairRandomOps(halves, pairs);
  orderLikeAutograd(halves.backward, findStart(backwardMapping),
                    options.compat);
  return halves;
}

// The first op of the backward proper. In a step graph, which has no tangents,
// that is the first op that the source marks, the seed of the gradient.
Operation *Splitter::findStart(const IRMapping &mapping) const {
  for (Operation *op : plan.backwardOps)
    if (isStep ? isMarkedBackward(op) : readsTangent(joint, op))
      return mapping.lookupOrNull(op);
  return nullptr;
}

FailureOr<Halves> titan::extractHalves(func::FuncOp joint, const Plan &plan,
                                       const PartitionOptions &options) {
  Splitter splitter(joint, plan);
  if (failed(splitter.check()))
    return failure();
  Halves halves = splitter.build(options);
  joint->erase();
  return halves;
}
