#include "titan/Partition/PlanSummary.h"

#include "titan/Analysis/AliasRoots.h"
#include "titan/Analysis/TensorSize.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::titan;

static std::string getKindName(SavedKind kind) {
  switch (kind) {
  case SavedKind::Value:
    return "value";
  case SavedKind::Argument:
    return "argument";
  case SavedKind::Symbol:
    return "symbol";
  case SavedKind::Other:
    return "other";
  }
  llvm_unreachable("unknown kind");
}

namespace {
/// Types by their text: to print one costs more than all else about a value,
/// and few types have many values.
class TypePrinter {
public:
  const std::string &print(Type type) {
    auto [entry, isNew] = texts.try_emplace(type);
    if (isNew) {
      llvm::raw_string_ostream stream(entry->second);
      type.print(stream);
    }
    return entry->second;
  }

private:
  llvm::DenseMap<Type, std::string> texts;
};
} // namespace

// The innermost file position of \p location.
static std::string printLocation(Location location) {
  // Graphs without a source have many of them.
  if (isa<UnknownLoc>(location))
    return {};
  std::string text;
  location->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position)
      return WalkResult::advance();
    text = (position.getFilename().getValue() + ":" + Twine(position.getLine()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

static PlanSummary::Saved describeSaved(const SavedValue &saved,
                                        TypePrinter &types) {
  PlanSummary::Saved entry;
  entry.name = getDisplayName(saved.value);
  entry.kind = getKindName(saved.kind);
  entry.type = types.print(saved.value.getType());
  entry.bytes = saved.bytes;
  entry.reason = saved.reason;
  entry.location = printLocation(saved.value.getLoc());
  if (Operation *op = saved.value.getDefiningOp()) {
    entry.op = getOpName(op);
    entry.module = getModulePath(op).str();
  }
  return entry;
}

static PlanSummary::Recomputed describeRecomputed(Operation *op,
                                                  const TensorSizes &sizes) {
  PlanSummary::Recomputed entry;
  if (op->getNumResults() == 1 && !isTuple(op))
    entry.name = getDisplayName(op->getResult(0));
  else if (StringRef name = getTupleName(op); !name.empty())
    entry.name = name.str();
  else if (op->getNumResults() != 0)
    entry.name = getDisplayName(op->getResult(0));
  entry.op = getOpName(op);
  for (Value result : op->getResults())
    entry.bytes += sizes.getBytes(result);
  entry.module = getModulePath(op).str();
  entry.location = printLocation(op->getLoc());
  std::optional<Policy> policy = getPolicy(op);
  if (policy == Policy::MustRecompute || policy == Policy::PreferRecompute)
    entry.reason = "marked " + stringifyPolicy(*policy).str();
  else
    entry.reason = "cheaper to recompute than to save";
  return entry;
}

// Each storage once, without what the step keeps alive anyway.
static int64_t countStorage(func::FuncOp joint, const Plan &plan,
                            const TensorSizes &sizes) {
  Block &block = joint.getBody().front();
  AliasRoots roots(block);
  llvm::DenseSet<Value> counted;
  auto function = cast<FunctionOpInterface>(joint.getOperation());
  int64_t numForward = getNumForwardOutputs(function).value_or(0);
  for (auto [index, result] :
       llvm::enumerate(block.getTerminator()->getOperands()))
    if (static_cast<int64_t>(index) < numForward)
      counted.insert(roots.getRoot(result));
  int64_t bytes = 0;
  for (const SavedValue &saved : plan.saved) {
    Value root = roots.getRoot(saved.value);
    if (isa<RankedTensorType>(root.getType()) && !isa<BlockArgument>(root) &&
        counted.insert(root).second)
      bytes += sizes.getBytes(root);
  }
  return bytes;
}

PlanSummary titan::summarize(func::FuncOp joint, const Plan &plan) {
  TensorSizes sizes(joint->getParentOfType<ModuleOp>());
  PlanSummary summary;
  TypePrinter types;
  summary.saved.reserve(plan.saved.size());
  for (const SavedValue &saved : plan.saved) {
    summary.saved.push_back(describeSaved(saved, types));
    summary.savedBytes += saved.bytes;
  }
  summary.savedStorageBytes = countStorage(joint, plan, sizes);
  llvm::DenseSet<Operation *> forward(plan.forwardOps.begin(),
                                      plan.forwardOps.end());
  for (Operation *op : plan.backwardOps)
    if (forward.contains(op))
      summary.recomputed.push_back(describeRecomputed(op, sizes));
  summary.forwardOps = static_cast<int64_t>(plan.forwardOps.size());
  summary.backwardOps = static_cast<int64_t>(plan.backwardOps.size());
  summary.cut = plan.cut;
  summary.merged = plan.merged;
  return summary;
}
