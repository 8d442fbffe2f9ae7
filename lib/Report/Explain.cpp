// Reads the answer off the two functions: a value of the forward is saved if it
// is an argument of the backward, recomputed if the backward has the op again.
#include "titan/Report/Explain.h"

#include "titan/Analysis/AliasRoots.h"
#include "titan/Analysis/CostModel.h"
#include "titan/Analysis/Effects.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/DidYouMean.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Report/CollectReport.h"
#include "titan/Report/Report.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// The values of one function by source name.
class NamedValues {
public:
  explicit NamedValues(func::FuncOp function) {
    Block &block = function.getBody().front();
    for (Value argument : block.getArguments())
      add(argument);
    for (Operation &op : block)
      for (Value result : op.getResults())
        add(result);
  }

  Value lookup(StringRef name) const { return values.lookup(name); }
  /// In graph order.
  std::vector<StringRef> names;

private:
  void add(Value value) {
    StringRef name = getSourceName(value);
    if (!name.empty() && values.try_emplace(name, value).second)
      names.push_back(name);
  }
  llvm::StringMap<Value> values;
};

class Explainer {
public:
  Explainer(ModuleOp module, func::FuncOp forward, func::FuncOp backward,
            const PlanSummary &plan)
      : sizes(module), roots(forward.front()), forward(forward),
        backward(backward), plan(plan) {
    Operation *terminator = forward.front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (getResultRole(forward, index) == Role::Saved)
        saved.insert(value);
      else
        resident.insert(roots.getRoot(value));
  }

  llvm::Expected<std::string> explain(StringRef name);

private:
  void describe(Value value);
  void listUsers(StringRef heading, Value value);
  void explainSaved(Value value, StringRef name);
  void explainRecomputed(Value value, Value again, StringRef name);
  llvm::raw_ostream &line(StringRef heading) {
    return stream << "  " << llvm::left_justify(heading, 16);
  }

  /// Bytes of storage that the step keeps between the functions for \p saved:
  /// each storage once, inputs and forward outputs left out.
  int64_t countKept(const llvm::SetVector<Value> &saved) const;
  llvm::SetVector<Operation *> findSpared(Value value) const;

  TensorSizes sizes;
  AliasRoots roots;
  /// What the forward returns for the backward, and the storage that it returns
  /// anyway.
  llvm::SetVector<Value> saved;
  llvm::DenseSet<Value> resident;
  NamedValues forward;
  NamedValues backward;
  const PlanSummary &plan;
  std::string text;
  llvm::raw_string_ostream stream{text};
};
} // namespace

/// `'mm_3' (aten.mm, model.py:88)`.
static std::string describeOp(Operation *op) {
  std::string name = getTupleName(op).str();
  if (name.empty() && op->getNumResults() > 0)
    name = getSourceName(op->getResult(0)).str();
  std::string text = name.empty() ? "" : "'" + name + "' ";
  text += "(" + getOpName(op);
  if (std::string location = formatLocation(op->getLoc()); !location.empty())
    text += ", " + location;
  return text + ")";
}

void Explainer::describe(Value value) {
  stream << "'" << getSourceName(value) << "': ";
  if (Operation *op = value.getDefiningOp()) {
    stream << getOpName(op) << ", " << value.getType();
    if (StringRef module = getModulePath(op); !module.empty())
      stream << ", " << module;
    if (std::string where = formatLocation(op->getLoc()); !where.empty())
      stream << ", " << where;
  } else {
    stream << "an input, " << value.getType();
  }
  stream << "\n";
}

void Explainer::listUsers(StringRef heading, Value value) {
  constexpr size_t limit = 8;
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  std::vector<Operation *> ordered(users.begin(), users.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  line(heading);
  if (ordered.empty())
    stream << "nothing";
  for (size_t i = 0; i < std::min(limit, ordered.size()); ++i) {
    bool isReturn = ordered[i]->hasTrait<OpTrait::IsTerminator>();
    stream << (i ? ", " : "")
           << (isReturn ? "a result of the function" : describeOp(ordered[i]));
  }
  if (ordered.size() > limit)
    stream << " and " << ordered.size() - limit << " more";
  stream << "\n";
}

/// The flops of \p ops, and in words what cannot be counted.
static std::string describeWork(ArrayRef<Operation *> ops,
                                const TensorSizes &sizes) {
  int64_t flops = 0, unknown = 0;
  for (Operation *op : ops) {
    std::optional<int64_t> cost = countFlops(op, sizes);
    flops += cost.value_or(0);
    unknown += !cost;
  }
  std::string text = formatFlops(flops);
  if (unknown)
    text += " and " + std::to_string(unknown) + " of unknown cost";
  return text;
}

static std::string listOps(ArrayRef<Operation *> ops) {
  constexpr size_t limit = 8;
  std::string text;
  for (size_t i = 0; i < std::min(limit, ops.size()); ++i)
    text += (i ? ", " : "") + describeOp(ops[i]);
  if (ops.size() > limit)
    text += " and " + std::to_string(ops.size() - limit) + " more";
  return text;
}

static std::vector<Operation *>
sortByPlace(const llvm::SetVector<Operation *> &ops) {
  std::vector<Operation *> ordered(ops.begin(), ops.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Why \p op may not run a second time, empty if it may.
static StringRef findObstacle(Operation *op) {
  if (drawsRandom(op))
    return "draws random numbers";
  if (isa<CollectiveOpInterface>(op))
    return "is a collective";
  return hasVisibleEffect(op) ? "has an effect" : "";
}

int64_t Explainer::countKept(const llvm::SetVector<Value> &saved) const {
  llvm::DenseSet<Value> counted;
  int64_t bytes = 0;
  for (Value value : saved) {
    Value root = roots.getRoot(value);
    if (isa<RankedTensorType>(root.getType()) && !isa<BlockArgument>(root) &&
        !resident.contains(root) && counted.insert(root).second)
      bytes += sizes.getBytes(root);
  }
  return bytes;
}

/// `256 B less to keep` where \p bytes is -256.
static std::string describeKept(int64_t bytes) {
  return formatBytes(std::abs(bytes)) +
         (bytes < 0 ? " less to keep" : " more to keep");
}

void Explainer::explainSaved(Value value, StringRef name) {
  for (const PlanSummary::Saved &entry : plan.saved)
    if (entry.name == name) {
      line("saved") << entry.reason << "\n";
      line("bytes") << formatBytes(entry.bytes) << "\n";
    }
  listUsers("forward users", value);
  listUsers("backward users", backward.lookup(name));
  if (!value.getDefiningOp()) {
    line("otherwise") << "nothing: an input cannot be computed\n";
    return;
  }
  // All that would have to run again, down to what the backward has anyway and
  // to inputs.
  llvm::SetVector<Operation *> again;
  SmallVector<Operation *> worklist{value.getDefiningOp()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!again.insert(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !backward.lookup(getSourceName(operand)))
        worklist.push_back(producer);
  }
  std::vector<Operation *> ordered = sortByPlace(again);
  for (Operation *op : ordered)
    if (StringRef obstacle = findObstacle(op); !obstacle.empty()) {
      line("if recomputed")
          << "not possible: " << describeOp(op) << " " << obstacle << "\n";
      return;
    }
  llvm::SetVector<Value> others = saved;
  others.remove(value);
  line("if recomputed") << formatBytes(countKept(saved) - countKept(others))
                        << " less to keep, " << describeWork(ordered, sizes)
                        << " more to run: " << listOps(ordered) << "\n";
}

// What the backward would no longer run if it were given \p value: what it
// recomputes for this value alone. Nothing if the op runs for another result.
llvm::SetVector<Operation *> Explainer::findSpared(Value value) const {
  llvm::SetVector<Operation *> spared;
  auto isSpared = [&](Operation *op) {
    return llvm::all_of(op->getResults(), [&](Value result) {
      return result == value ||
             llvm::all_of(result.getUsers(), [&](Operation *user) {
               return spared.contains(user);
             });
    });
  };
  SmallVector<Operation *> worklist{value.getDefiningOp()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!isSpared(op))
      continue;
    spared.insert(op);
    // An op that the forward has too is a recomputed one.
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !spared.contains(producer) &&
          forward.lookup(getSourceName(operand)))
        worklist.push_back(producer);
  }
  return spared;
}

void Explainer::explainRecomputed(Value value, Value again, StringRef name) {
  line("recomputed");
  bool isListed = false;
  for (const PlanSummary::Recomputed &entry : plan.recomputed)
    if (entry.name == name && !std::exchange(isListed, true))
      stream << entry.reason;
  stream << (isListed ? "" : "with its op") << "\n";
  line("bytes") << formatBytes(sizes.getBytes(value)) << "\n";
  listUsers("forward users", value);
  listUsers("backward users", again);
  llvm::SetVector<Operation *> spared = findSpared(again);
  // Saved values that only those ops read need not be kept any longer.
  llvm::SetVector<Value> kept;
  for (Value other : saved) {
    Value given = backward.lookup(getSourceName(other));
    if (!given || given.use_empty() ||
        llvm::any_of(given.getUsers(),
                     [&](Operation *user) { return !spared.contains(user); }))
      kept.insert(other);
  }
  kept.insert(value);
  std::vector<Operation *> ordered = sortByPlace(spared);
  line("if saved") << describeKept(countKept(kept) - countKept(saved)) << ", "
                   << describeWork(ordered, sizes) << " less to run: "
                   << (ordered.empty() ? "its op runs for another result"
                                       : listOps(ordered))
                   << "\n";
}

llvm::Expected<std::string> Explainer::explain(StringRef name) {
  Value value = forward.lookup(name);
  Value inBackward = backward.lookup(name);
  if (!value && !inBackward) {
    std::vector<StringRef> known = forward.names;
    known.insert(known.end(), backward.names.begin(), backward.names.end());
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the graph has no value '" + name + "'" +
                                       didYouMean(name, known));
  }
  describe(value ? value : inBackward);
  if (!value) {
    line("backward") << (inBackward.getDefiningOp()
                             ? "computed there: nothing to save\n"
                             : "given to it: nothing to save\n");
    listUsers("backward users", inBackward);
  } else if (!inBackward) {
    line("not needed") << "the backward does not read it: it is neither saved "
                          "nor recomputed\n";
    listUsers("forward users", value);
  } else if (inBackward.getDefiningOp()) {
    explainRecomputed(value, inBackward, name);
  } else {
    explainSaved(value, name);
  }
  return text;
}

llvm::Expected<std::string> mlir::titan::explainValue(ModuleOp module,
                                                      const PlanSummary &plan,
                                                      StringRef name) {
  func::FuncOp forward = getForwardFunction(module);
  func::FuncOp backward = getBackwardFunction(module);
  if (!forward || !backward)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "expected a partitioned graph to explain '" +
                                       name + "' in");
  return Explainer(module, forward, backward, plan).explain(name);
}
