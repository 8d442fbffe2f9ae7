// Recomputation inside one function (partitioner.md 13.3, passes.md 9.6): each
// op that the backward asks for and that its tag says to recompute gets one
// copy, before the earliest op of the backward that needs it. Nothing is cut;
// the tags decide.
#include "titan/Partition/Extract.h"

#include "titan/Analysis/AliasRoots.h"
#include "titan/Analysis/Effects.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A maximal run of backward ops, as numbers [begin, end).
struct Run {
  unsigned begin;
  unsigned end;
};

class InPlace {
public:
  explicit InPlace(func::FuncOp joint);

  LogicalResult run();

private:
  LogicalResult checkRandom();
  void cleanUpTags();
  void findBackward();
  FailureOr<std::optional<Run>> findRegion();
  bool needsRecomputation(Run region) const;
  void collect(Run region);
  void collectInputs(Operation *op, unsigned target);
  bool isRecomputable(Value value) const;
  bool mustKeep(Operation *op, unsigned target);
  Operation *findHazard(Operation *op, unsigned target) const;
  void insertCopies();
  Value getReloaded(Value value, unsigned target);
  void rename(Operation *copy);
  void redirectUses();
  void eraseOriginals();

  func::FuncOp joint;
  Block &block;
  AliasRoots roots;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseSet<Operation *> backward;
  /// Ops whose tag asks for recomputation and that are saved all the same.
  llvm::DenseSet<Operation *> kept;
  /// The ops that write to a storage, in order.
  llvm::DenseMap<Value, SmallVector<Operation *, 1>> writers;
  /// The number of the backward op before which an op is copied.
  llvm::MapVector<Operation *, unsigned> targets;
  IRMapping copies;
};

} // namespace

InPlace::InPlace(func::FuncOp joint)
    : joint(joint), block(joint.front()), roots(block) {
  for (Operation &op : block) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
    for (OpOperand *operand : getMutatedOperands(&op))
      writers[roots.getRoot(operand->get())].push_back(&op);
  }
  findBackward();
}

// The source's marks; where it has none, what a tangent reaches.
void InPlace::findBackward() {
  llvm::DenseSet<Value> reached;
  for (BlockArgument argument : joint.getArguments())
    if (getArgumentRole(joint, argument.getArgNumber()) == Role::Tangent)
      reached.insert(argument);
  for (Operation &op : block.without_terminator()) {
    std::optional<Phase> phase = getPhase(&op);
    bool isMarked =
        phase == Phase::Backward || phase == Phase::MustBeInBackward;
    if (!isMarked && llvm::none_of(op.getOperands(), [&](Value operand) {
          return reached.count(operand) != 0;
        }))
      continue;
    backward.insert(&op);
    // What follows from a mark alone is left to the marks.
    if (!isMarked)
      reached.insert(op.result_begin(), op.result_end());
  }
}

//===----------------------------------------------------------------------===//
// Tags
//===----------------------------------------------------------------------===//

LogicalResult InPlace::checkRandom() {
  LogicalResult result = success();
  for (Operation *op : ops) {
    if (backward.count(op) || !isTaggedRecompute(op) || !drawsRandom(op))
      continue;
    result = emitError(op->getLoc())
             << "'" << getDisplayName(op->getResult(0))
             << "' draws random numbers in a recompute region, which "
                "recomputation in one function cannot repeat; move it out of "
                "the region, tag it must_save, or split the graph "
                "(--partitioner=min-cut), where both runs get one state";
  }
  return result;
}

// A tensor between two regions is saved, and so is the last one of a region
// that a backward hook waits on (partitioner.md 3.3, A and B).
void InPlace::cleanUpTags() {
  auto isAsked = [&](Operation *op) {
    return isTaggedRecompute(op) && !backward.count(op) && !kept.count(op);
  };
  for (Operation *op : ops) {
    if (!isAsked(op))
      continue;
    std::optional<int64_t> region = getAcGraphId(op);
    bool isBoundary = false, hasUser = false;
    for (Operation *user : op->getUsers()) {
      if (!isAsked(user))
        continue;
      hasUser = true;
      std::optional<int64_t> later = getAcGraphId(user);
      isBoundary |= region && later && *later > *region;
    }
    if (isBoundary || (op->hasAttr(kBackwardHookAttr) && !hasUser))
      kept.insert(op);
  }
}

// An element of a tuple follows its own tag where it has one.
bool InPlace::isRecomputable(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return false;
  Operation *op = result.getOwner();
  if (backward.count(op) || kept.count(op) || !isTaggedRecompute(op))
    return false;
  std::optional<Policy> own = getResultPolicy(result);
  return !own || *own == Policy::MustRecompute ||
         *own == Policy::PreferRecompute;
}

//===----------------------------------------------------------------------===//
// The region of the backward
//===----------------------------------------------------------------------===//

bool InPlace::needsRecomputation(Run region) const {
  for (unsigned number = region.begin; number < region.end; ++number)
    if (llvm::any_of(ops[number]->getOperands(),
                     [&](Value operand) { return isRecomputable(operand); }))
      return true;
  return false;
}

// Chunked losses have a little backward of their own, each; what belongs to
// the loss and the head of the model is left alone.
FailureOr<std::optional<Run>> InPlace::findRegion() {
  unsigned next = 0;
  for (auto [number, op] : llvm::enumerate(ops))
    if (StringRef path = getModulePath(op); path == "loss" || path == "lm_head")
      next = number + 1;
  SmallVector<Run> regions;
  auto isMember = [&](Operation *op) {
    // Arithmetic on sizes belongs to whatever is around it.
    auto interface = dyn_cast<RecomputeOpInterface>(op);
    return backward.count(op) ||
           (interface && interface.getWorkClass() == WorkClass::Symbolic);
  };
  while (next < ops.size()) {
    Run region{next, next};
    while (region.end < ops.size() && isMember(ops[region.end]))
      ++region.end;
    if (region.end != region.begin && needsRecomputation(region))
      regions.push_back(region);
    next = region.end + 1;
  }
  if (regions.size() > 1) {
    InFlightDiagnostic error =
        emitError(joint.getLoc())
        << "detected " << regions.size()
        << " disjoint backward regions that require recomputation, but remat "
           "supports only one such region in a forward-loss-backward graph; "
           "save what all but one of them read";
    for (Run region : regions)
      error.attachNote(ops[region.begin]->getLoc()) << "a region begins here";
    return failure();
  }
  return regions.empty() ? std::nullopt : std::optional(regions.front());
}

//===----------------------------------------------------------------------===//
// What is recomputed, and where
//===----------------------------------------------------------------------===//

// A write that makes running `op` again before the op `target` give something
// else, or do something twice.
Operation *InPlace::findHazard(Operation *op, unsigned target) const {
  SmallVector<OpOperand *> mutated = getMutatedOperands(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value root = roots.getRoot(operand.get());
    // A copy may write to what is copied too, and to nothing else.
    if (llvm::is_contained(mutated, &operand) && !isRecomputable(root))
      return op;
    auto found = writers.find(root);
    if (found == writers.end())
      continue;
    // The value as the op sees it: its own way back to the storage.
    llvm::DenseSet<Operation *> seen;
    for (Value at = operand.get(); at != root;) {
      Operation *source = at.getDefiningOp();
      seen.insert(source);
      at = source->getOperand(*cast<AliasOpInterface>(source).getAliasedOperand(
          cast<OpResult>(at).getResultNumber()));
    }
    for (Operation *writer : found->second) {
      unsigned number = numbers.lookup(writer);
      bool isLater = number > numbers.lookup(op) && number < target;
      bool isUnseen = number < numbers.lookup(op) && isRecomputable(root) &&
                      !seen.count(writer);
      if (writer != op && (isLater || isUnseen))
        return writer;
    }
  }
  return nullptr;
}

bool InPlace::mustKeep(Operation *op, unsigned target) {
  Operation *writer = findHazard(op, target);
  if (!writer)
    return false;
  kept.insert(op);
  InFlightDiagnostic warning = emitWarning(op->getLoc());
  warning << "'" << getDisplayName(op->getResult(0))
          << "' is saved although its tag asks to recompute it: ";
  if (writer == op) {
    warning << "it writes to storage that outlives it";
  } else {
    warning << "what it reads is written to before the backward needs it";
    warning.attachNote(writer->getLoc()) << "it is written here";
  }
  return true;
}

void InPlace::collectInputs(Operation *op, unsigned target) {
  SmallVector<Operation *> pending = {op};
  while (!pending.empty()) {
    for (Value operand : pending.pop_back_val()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (isRecomputable(operand) && !targets.count(source) &&
          !mustKeep(source, target)) {
        targets.insert({source, target});
        pending.push_back(source);
      }
    }
  }
}

void InPlace::collect(Run region) {
  for (unsigned number = region.begin; number < region.end; ++number)
    collectInputs(ops[number], number);
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

// torchtitan's offload ops are of a namespace that no dialect models; they are
// told by name, as the pass that writes them does (ao.offload, ao.wait_tensor,
// ao.reload, ao.wait_tensor).
static Value findUser(Value value, StringRef name) {
  for (Operation *user : value.getUsers())
    if (getOpName(user) == name && user->getNumResults() == 1 &&
        user->getOperand(0) == value)
      return user->getResult(0);
  return {};
}

// What stands for \p value where it is offloaded: the end of its reload, which
// is moved up if the copy comes before it.
Value InPlace::getReloaded(Value value, unsigned target) {
  Value chain = value;
  SmallVector<Operation *> reload;
  for (StringRef name :
       {"ao.offload", "ao.wait_tensor", "ao.reload", "ao.wait_tensor"}) {
    chain = findUser(chain, name);
    if (!chain)
      return value;
    reload.push_back(chain.getDefiningOp());
  }
  for (Operation *op : ArrayRef(reload).drop_front(2))
    if (numbers.lookup(op) > target)
      op->moveBefore(ops[target]);
  return chain;
}

void InPlace::rename(Operation *copy) {
  MLIRContext *context = joint.getContext();
  auto add = [&](StringRef name) {
    return StringAttr::get(context,
                           name.empty() ? "" : (name + "_recomputed").str());
  };
  if (auto names = copy->getAttrOfType<ArrayAttr>(kNamesAttr)) {
    SmallVector<Attribute> renamed;
    for (auto name : names.getAsRange<StringAttr>())
      renamed.push_back(add(name.getValue()));
    copy->setAttr(kNamesAttr, ArrayAttr::get(context, renamed));
  }
  if (StringRef name = getTupleName(copy); !name.empty())
    copy->setAttr(kTupleNameAttr, add(name));
}

void InPlace::insertCopies() {
  // In graph order; copies of one target keep it among themselves.
  SmallVector<std::pair<Operation *, unsigned>> sorted(targets.begin(),
                                                       targets.end());
  llvm::sort(sorted, [&](const auto &a, const auto &b) {
    return numbers.lookup(a.first) < numbers.lookup(b.first);
  });
  OpBuilder builder(joint.getContext());
  for (auto [op, target] : sorted) {
    builder.setInsertionPoint(ops[target]);
    IRMapping inputs;
    for (Value operand : op->getOperands()) {
      if (inputs.contains(operand))
        continue;
      bool isCopied = isRecomputable(operand) && copies.contains(operand);
      inputs.map(operand, isCopied ? copies.lookup(operand)
                                   : getReloaded(operand, target));
    }
    builder.setInsertionPoint(ops[target]);
    Operation *copy = builder.clone(*op, inputs);
    for (auto [original, result] :
         llvm::zip(op->getResults(), copy->getResults()))
      copies.map(original, result);
    rename(copy);
    copy->setAttr(kPhaseAttr,
                  PhaseAttr::get(joint.getContext(), Phase::Backward));
  }
}

// Every reader in the backward from the copy on; one before it, in the loss,
// keeps the original.
void InPlace::redirectUses() {
  for (auto [op, target] : targets)
    for (OpResult result : op->getResults()) {
      if (!isRecomputable(result))
        continue;
      unsigned from = target;
      result.replaceUsesWithIf(copies.lookup(result), [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return backward.count(user) && numbers.lookup(user) >= from;
      });
    }
}

void InPlace::eraseOriginals() {
  for (Operation *op : llvm::reverse(ops))
    if (targets.count(op) && op->use_empty())
      op->erase();
}

LogicalResult InPlace::run() {
  if (llvm::none_of(ops, [&](Operation *op) {
        return isTaggedRecompute(op) && !backward.count(op);
      }))
    return success();
  if (failed(checkRandom()))
    return failure();
  cleanUpTags();
  FailureOr<std::optional<Run>> region = findRegion();
  if (failed(region))
    return failure();
  if (!*region)
    return success();
  collect(**region);
  insertCopies();
  redirectUses();
  eraseOriginals();
  return success();
}

LogicalResult titan::recomputeInPlace(func::FuncOp joint) {
  return InPlace(joint).run();
}
