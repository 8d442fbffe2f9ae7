// Reads the answer off the two functions: a value of the forward is saved if it
// is an argument of the backward, recomputed if the backward has the op again.
#include "titan/Report/Explain.h"

#include "titan/Analysis/CostModel.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/DidYouMean.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Report/CollectReport.h"
#include "titan/Report/Report.h"

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
      : sizes(module), forward(forward), backward(backward), plan(plan) {}

  llvm::Expected<std::string> explain(StringRef name);

private:
  void describe(Value value);
  void listUsers(StringRef heading, Value value);
  void explainSaved(Value value, StringRef name);
  void explainRecomputed(Value value, Value again, StringRef name);
  llvm::raw_ostream &line(StringRef heading) {
    return stream << "  " << llvm::left_justify(heading, 16);
  }

  TensorSizes sizes;
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

void Explainer::explainSaved(Value value, StringRef name) {
  for (const PlanSummary::Saved &saved : plan.saved)
    if (saved.name == name) {
      line("saved") << saved.reason << "\n";
      line("bytes") << formatBytes(saved.bytes) << "\n";
    }
  listUsers("forward users", value);
  listUsers("backward users", backward.lookup(name));
  if (!value.getDefiningOp()) {
    line("otherwise") << "nothing: an input cannot be computed\n";
    return;
  }
  // All that would have to run again, down to what the backward has anyway.
  llvm::SetVector<Operation *> again;
  llvm::SetVector<Value> inputs;
  SmallVector<Operation *> worklist{value.getDefiningOp()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!again.insert(op))
      continue;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || backward.lookup(getSourceName(operand)))
        inputs.insert(operand);
      else
        worklist.push_back(producer);
    }
  }
  std::vector<Operation *> ordered(again.begin(), again.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  line("if recomputed") << formatBytes(sizes.getBytes(value))
                        << " less to keep, " << describeWork(ordered, sizes)
                        << " more to run: " << listOps(ordered) << "\n";
}

void Explainer::explainRecomputed(Value value, Value again, StringRef name) {
  for (const PlanSummary::Recomputed &recomputed : plan.recomputed)
    if (recomputed.name == name)
      line("recomputed") << (recomputed.reason.empty()
                                 ? "cheaper than keeping it"
                                 : StringRef(recomputed.reason))
                         << "\n";
  line("bytes") << formatBytes(sizes.getBytes(value)) << "\n";
  listUsers("forward users", value);
  listUsers("backward users", again);
  // All that the backward would no longer run: what it recomputes for this
  // value alone.
  llvm::SetVector<Operation *> gone;
  SmallVector<Operation *> worklist{again.getDefiningOp()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    gone.insert(op);
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      // An op that the forward has too is a recomputed one.
      if (producer && !gone.contains(producer) &&
          forward.lookup(getSourceName(operand)) &&
          llvm::all_of(producer->getUsers(),
                       [&](Operation *user) { return gone.contains(user); }))
        worklist.push_back(producer);
    }
  }
  std::vector<Operation *> ordered(gone.begin(), gone.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  line("if saved") << formatBytes(sizes.getBytes(value)) << " more to keep, "
                   << describeWork(ordered, sizes)
                   << " less to run: " << listOps(ordered) << "\n";
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
