// The contract of the partitioned phase.
#include "ExtractDetail.h"
#include "titan/Partition/Verify.h"

#include "titan/Analysis/Effects.h"
#include "titan/Analysis/SavedValues.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// What tells an op and its clones from others
//===----------------------------------------------------------------------===//

static bool isRandomState(Type type) {
  auto opaque = dyn_cast<titan::OpaqueType>(type);
  return opaque && (opaque.getKind() == kRandomStateKind ||
                    opaque.getKind() == kGeneratorKind);
}

// The source names of an op and its results, else its place in the source;
// nothing if there is neither. A clone has one of them at least: an element
// that is saved loses its name in the clone, a wrapped tuple its own.
namespace {
class OpKeys {
public:
  explicit OpKeys(Operation *op) {
    for (Value result : op->getResults())
      if (StringRef name = getSourceName(result);
          !name.empty() && !isRandomState(result.getType()))
        keys.push_back(name);
    if (StringRef name = getTupleName(op); !name.empty())
      keys.push_back(name);
    if (!keys.empty() || isa<UnknownLoc>(op->getLoc()))
      return;
    place = getOpName(op) + " ";
    llvm::raw_string_ostream stream(place);
    op->getLoc().print(stream);
    keys.push_back(place);
  }
  // The key may be the place.
  OpKeys(const OpKeys &) = delete;
  OpKeys &operator=(const OpKeys &) = delete;

  bool areNames() const { return !keys.empty() && place.empty(); }
  const StringRef *begin() const { return keys.begin(); }
  const StringRef *end() const { return keys.end(); }

private:
  SmallVector<StringRef, 2> keys;
  std::string place;
};
} // namespace

static std::string getUserName(Operation *op) {
  return op->getNumResults() ? getDisplayName(op->getResult(0))
                             : op->getName().getStringRef().str();
}

static std::vector<JointRecord::Output>
recordResults(func::FuncOp function, unsigned begin, unsigned end) {
  auto positions =
      function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  std::vector<JointRecord::Output> outputs;
  for (unsigned i = begin; i < end; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    outputs.push_back({name ? name.str() : std::string(),
                       getResultRole(function, i), function.getResultTypes()[i],
                       positions ? positions[i] : i});
  }
  return outputs;
}

// Collectives that nothing but dead collectives reads: every rank drops them
// alike.
static llvm::DenseSet<Operation *> findDeadCollectives(func::FuncOp function) {
  llvm::DenseSet<Operation *> dead;
  llvm::DenseSet<Value> read;
  for (Operation &op : llvm::reverse(function.front())) {
    bool isRead = llvm::any_of(
        op.getResults(), [&](Value result) { return read.count(result) != 0; });
    bool isCollective = isa<CollectiveOpInterface>(op);
    if (isRead || op.hasTrait<OpTrait::IsTerminator>() ||
        (hasVisibleEffect(&op) && !isCollective))
      read.insert(op.operand_begin(), op.operand_end());
    else if (isCollective)
      dead.insert(&op);
  }
  return dead;
}

JointRecord titan::recordJoint(func::FuncOp joint) {
  llvm::DenseSet<Operation *> dead = findDeadCollectives(joint);
  JointRecord record;
  unsigned border = getNumForwardOutputs(joint).value_or(0);
  record.outputs = recordResults(joint, 0, border);
  record.gradients = recordResults(joint, border, joint.getNumResults());
  for (Operation &op : joint.front().without_terminator()) {
    if (!hasVisibleEffect(&op))
      continue;
    OpKeys keys(&op);
    record.effects.push_back({{keys.begin(), keys.end()},
                              getUserName(&op),
                              op.getLoc(),
                              keys.areNames(),
                              dead.count(&op) != 0});
  }
  return record;
}

void titan::noteEffects(ModuleOp module, const JointRecord &record) {
  Builder builder(module.getContext());
  SmallVector<Attribute> effects;
  for (const JointRecord::Effect &effect : record.effects) {
    if (!effect.isNamed || effect.isDead)
      continue;
    SmallVector<Attribute> names;
    for (const std::string &key : effect.keys)
      names.push_back(builder.getStringAttr(key));
    effects.push_back(names.size() == 1 ? names.front()
                                        : builder.getArrayAttr(names));
  }
  if (!effects.empty())
    module->setAttr(kEffectsAttr, builder.getArrayAttr(effects));
}

// What noteEffects wrote; none if it is not of that form.
static std::optional<std::vector<JointRecord::Effect>>
readEffects(ModuleOp module) {
  std::vector<JointRecord::Effect> effects;
  Attribute attribute = module->getAttr(kEffectsAttr);
  if (!attribute)
    return effects;
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return std::nullopt;
  for (Attribute entry : list) {
    JointRecord::Effect effect{{}, {}, module.getLoc(), true, false};
    auto names = dyn_cast<ArrayAttr>(entry);
    for (Attribute name : names ? names.getValue() : ArrayRef(entry)) {
      auto text = dyn_cast<StringAttr>(name);
      if (!text)
        return std::nullopt;
      effect.keys.push_back(text.str());
    }
    if (effect.keys.empty())
      return std::nullopt;
    effect.name = effect.keys.front();
    effects.push_back(std::move(effect));
  }
  return effects;
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

namespace {

class PartitionVerifier {
public:
  PartitionVerifier(func::FuncOp forward, func::FuncOp backward,
                    const JointRecord *joint)
      : forward(forward), backward(backward), joint(joint) {}

  LogicalResult run();

private:
  InFlightDiagnostic report(Location loc) {
    ++numOffenders;
    return emitError(loc);
  }
  void checkArguments();
  void checkSavedValues();
  void checkRepeatedOps();
  void checkRandomState(Operation *first, Operation *again);
  void checkPhases();
  void checkResults();
  void checkOutputs(func::FuncOp function,
                    ArrayRef<JointRecord::Output> expected, unsigned numFound);
  void checkEffects(ArrayRef<JointRecord::Effect> effects);

  func::FuncOp forward;
  func::FuncOp backward;
  const JointRecord *joint;
  unsigned numOffenders = 0;
  /// The value that the forward returns for an argument of the backward.
  llvm::DenseMap<Value, Value> saved;
};

} // namespace

static std::string getRoleName(std::optional<Role> role) {
  return role ? stringifyRole(*role).str() : std::string("without a role");
}

// P1, P3.
void PartitionVerifier::checkArguments() {
  for (BlockArgument argument : backward.getArguments()) {
    std::optional<Role> role =
        getArgumentRole(backward, argument.getArgNumber());
    if (role == Role::Saved || role == Role::Tangent || role == Role::Seed ||
        role == Role::Token || role == Role::Constant)
      continue;
    report(argument.getLoc())
        << "argument '" << getDisplayName(argument) << "' of the backward is "
        << getRoleName(role)
        << ", expected a saved value, a tangent, a seed, a token or a constant";
  }
  for (BlockArgument argument : forward.getArguments())
    if (std::optional<Role> role =
            getArgumentRole(forward, argument.getArgNumber());
        role == Role::Tangent || role == Role::Saved)
      report(argument.getLoc())
          << "argument '" << getDisplayName(argument) << "' of the forward is "
          << getRoleName(role) << ", which only the backward may take";
}

// P2.
void PartitionVerifier::checkSavedValues() {
  FailureOr<SmallVector<SavedPair>> pairs = matchSavedValues(forward, backward);
  if (failed(pairs)) {
    report(forward.getLoc())
        << "the saved values that the forward returns are not those that the "
           "backward takes: counts or types differ";
    return;
  }
  Operation *terminator = forward.front().getTerminator();
  for (const SavedPair &pair : *pairs) {
    BlockArgument argument = backward.getArgument(pair.backwardArgument);
    saved[argument] = terminator->getOperand(pair.forwardResult);
    auto name =
        forward.getResultAttrOfType<StringAttr>(pair.forwardResult, kNameAttr);
    StringRef expected = name ? name.getValue() : StringRef();
    if (StringRef found = getSourceName(argument); found != expected)
      report(argument.getLoc())
          << "saved value '" << found << "' of the backward is '" << expected
          << "' in the forward";
  }
}

// P5. Raw draws repeat nothing; wrapped ones repeat what their state says.
void PartitionVerifier::checkRandomState(Operation *first, Operation *again) {
  auto findState = [](auto &&values) {
    auto *it = llvm::find_if(
        values, [](Value value) { return isRandomState(value.getType()); });
    return it == values.end() ? Value() : Value(*it);
  };
  SmallVector<Value> operands = llvm::to_vector_of<Value>(again->getOperands());
  Value read = findState(operands);
  if (!read) {
    if (drawsRandom(again))
      report(again->getLoc())
          << "'" << getUserName(again)
          << "' draws other random numbers in the backward than in the "
             "forward; give both one state or save it";
    return;
  }
  SmallVector<Value> results = llvm::to_vector_of<Value>(first->getResults());
  if (Value written = findState(results)) {
    if (saved.lookup(read) != written)
      report(again->getLoc()) << "'" << getUserName(again)
                              << "' is recomputed from the state of another op";
    return;
  }
  SmallVector<Value> given = llvm::to_vector_of<Value>(first->getOperands());
  Value generator = findState(given);
  StringRef number = getSourceName(read);
  StringRef expected = generator ? getSourceName(generator) : StringRef();
  if (!generator || !number.consume_front("bwd_") ||
      !expected.consume_front("fwd_") || number != expected)
    report(again->getLoc())
        << "'" << getUserName(again) << "' is recomputed with the generator '"
        << getSourceName(read) << "' of another op";
}

// P4, P5.
void PartitionVerifier::checkRepeatedOps() {
  llvm::StringMap<Operation *> inForward;
  llvm::DenseSet<Operation *> dead = findDeadCollectives(backward);
  for (Operation &op : forward.front().without_terminator())
    for (StringRef key : OpKeys(&op))
      inForward[key] = &op;
  for (Operation &op : backward.front().without_terminator()) {
    Operation *first = nullptr;
    for (StringRef key : OpKeys(&op))
      if (!first)
        first = inForward.lookup(key);
    if (!first)
      continue;
    checkRandomState(first, &op);
    // PyTorch repeats a collective that nothing reads, on all ranks alike.
    if (hasVisibleEffect(&op) && !isTaggedRecompute(&op) && !dead.count(&op)) {
      report(op.getLoc())
              .append("'", getUserName(&op),
                      "' has an effect and runs in both functions, but no tag "
                      "asks to recompute it")
              .attachNote(first->getLoc())
          << "here it runs in the forward";
    }
  }
}

// P6.
void PartitionVerifier::checkPhases() {
  auto check = [&](func::FuncOp function, Phase wrong, StringRef where) {
    for (Operation &op : function.front())
      if (getPhase(&op) == wrong)
        report(op.getLoc())
            << "'" << getUserName(&op) << "' is in the " << where
            << ", but tagged " << stringifyPhase(wrong);
  };
  check(forward, Phase::MustBeInBackward, "forward");
  check(backward, Phase::MustBeInForward, "backward");
}

// P3 and the part of P7 that the functions themselves can tell.
void PartitionVerifier::checkResults() {
  unsigned numOutputs = forward.getNumResults();
  bool behindOutputs = false;
  for (unsigned i = 0, e = forward.getNumResults(); i < e; ++i) {
    std::optional<Role> role = getResultRole(forward, i);
    if (role == Role::Saved && !std::exchange(behindOutputs, true))
      numOutputs = i;
    if (role == Role::Grad)
      report(forward.getLoc())
          << "result " << i << " of the forward is a gradient";
    else if (behindOutputs && role != Role::Saved)
      report(forward.getLoc())
          << "result " << i << " of the forward is " << getRoleName(role)
          << ", expected saved values behind the outputs";
  }
  for (unsigned i = 0, e = backward.getNumResults(); i < e; ++i)
    if (std::optional<Role> role = getResultRole(backward, i);
        role == Role::Output || role == Role::Saved)
      report(backward.getLoc())
          << "result " << i << " of the backward is " << getRoleName(role)
          << ", expected gradients and mutations";
  if (joint) {
    checkOutputs(forward, joint->outputs, numOutputs);
    checkOutputs(backward, joint->gradients, backward.getNumResults());
    return;
  }
  for (func::FuncOp function : {forward, backward})
    if (auto positions =
            function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr))
      if (positions.size() != function.getNumResults() ||
          !llvm::is_sorted(positions.asArrayRef(), std::less_equal<>()))
        report(function.getLoc())
            << "expected ascending '" << kResultPositionsAttr << "' of '"
            << function.getName() << "', one a result";
}

// P7 against the joint function.
void PartitionVerifier::checkOutputs(func::FuncOp function,
                                     ArrayRef<JointRecord::Output> expected,
                                     unsigned numFound) {
  if (numFound != expected.size()) {
    report(function.getLoc())
        << "'" << function.getName() << "' returns " << numFound
        << " results of the joint function, expected " << expected.size();
    return;
  }
  std::vector<JointRecord::Output> found = recordResults(function, 0, numFound);
  for (auto [index, pair] : llvm::enumerate(llvm::zip(found, expected))) {
    auto &[mine, theirs] = pair;
    if (mine.name != theirs.name || mine.role != theirs.role ||
        mine.type != theirs.type || mine.position != theirs.position)
      report(function.getLoc())
          << "result " << index << " of '" << function.getName() << "' is '"
          << mine.name << "' at position " << mine.position << ", expected '"
          << theirs.name << "' at position " << theirs.position << " ("
          << theirs.type << ")";
  }
}

// P8, P9.
void PartitionVerifier::checkEffects(ArrayRef<JointRecord::Effect> effects) {
  if (effects.empty())
    return;
  llvm::StringMap<unsigned> rank;
  for (auto [index, effect] : llvm::enumerate(effects))
    for (const std::string &key : effect.keys)
      rank[key] = index;
  llvm::BitVector seen(effects.size());
  auto find = [&](Operation *op) -> std::optional<unsigned> {
    for (StringRef key : OpKeys(op))
      if (auto found = rank.find(key); found != rank.end())
        return found->second;
    return std::nullopt;
  };
  for (func::FuncOp function : {forward, backward}) {
    unsigned last = 0;
    for (Operation &op : function.front().without_terminator()) {
      std::optional<unsigned> index = find(&op);
      if (!index)
        continue;
      seen.set(*index);
      if (!isa<CollectiveOpInterface>(op) || isTaggedRecompute(&op))
        continue;
      if (*index < last)
        report(op.getLoc())
            << "collective '" << effects[*index].name << "' runs after '"
            << effects[last].name << "', but before it in the joint function";
      last = std::max(last, *index);
    }
  }
  for (auto [index, effect] : llvm::enumerate(effects))
    if (!effect.isDead && !effect.keys.empty() && !seen.test(index))
      report(effect.location)
          << "'" << effect.name << "' has an effect and runs in no function";
}

LogicalResult PartitionVerifier::run() {
  checkArguments();
  checkSavedValues();
  checkRepeatedOps();
  checkPhases();
  checkResults();
  if (joint) {
    checkEffects(joint->effects);
  } else {
    auto module = forward->getParentOfType<ModuleOp>();
    if (auto effects = readEffects(module))
      checkEffects(*effects);
    else
      report(module.getLoc()) << "expected '" << kEffectsAttr
                              << "' to be an array of names and of arrays of "
                                 "names; partition again";
  }
  if (numOffenders == 0)
    return success();
  return emitError(forward.getLoc())
         << "the partition breaks its contract in " << numOffenders
         << (numOffenders == 1 ? " place" : " places");
}

LogicalResult titan::verifyPartition(func::FuncOp forward,
                                     func::FuncOp backward,
                                     const JointRecord *joint) {
  return PartitionVerifier(forward, backward, joint).run();
}
