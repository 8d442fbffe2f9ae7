#include "titan/Report/CollectReport.h"

#include "titan/Analysis/CostModel.h"
#include "titan/Analysis/PeakMemory.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::titan;

func::FuncOp mlir::titan::getMainFunction(ModuleOp module) {
  if (FunctionOpInterface joint = getJointFunction(module))
    return dyn_cast<func::FuncOp>(joint.getOperation());
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      return function;
  return {};
}

static func::FuncOp getHalf(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  return function && !function.isExternal() ? function : func::FuncOp();
}

func::FuncOp mlir::titan::getForwardFunction(ModuleOp module) {
  return getHalf(module, "forward");
}

func::FuncOp mlir::titan::getBackwardFunction(ModuleOp module) {
  return getHalf(module, "backward");
}

void mlir::titan::describeInput(func::FuncOp function, Report::Input &input) {
  if (!function)
    return;
  Block &block = function.getBody().front();
  // The terminator is no op of the graph.
  input.ops = static_cast<int64_t>(block.getOperations().size()) - 1;
  input.arguments = block.getNumArguments();
  input.forwardOutputs = getNumForwardOutputs(function);
  if (input.graph.empty())
    input.graph = function.getName().str();
}

std::string mlir::titan::formatLocation(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    return WalkResult::interrupt();
  });
  return text;
}

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

/// The name a user knows \p op by: of its tuple or of its first named result.
static std::string getSourceOpName(Operation *op) {
  if (StringRef tuple = getTupleName(op); !tuple.empty())
    return tuple.str();
  for (Value result : op->getResults())
    if (StringRef name = getSourceName(result); !name.empty())
      return name.str();
  return "";
}

std::optional<Report::Peak> mlir::titan::findPeak(ModuleOp module) {
  func::FuncOp forward = getForwardFunction(module);
  func::FuncOp backward = getBackwardFunction(module);
  bool isSplit = forward && backward;
  if (!isSplit) {
    forward = getMainFunction(module);
    backward = {};
  }
  if (!forward)
    return std::nullopt;
  PeakMemory memory = computePeakMemory(forward, backward);
  Report::Peak peak;
  peak.bytes = memory.bytes;
  peak.residentBytes = memory.residentBytes;
  peak.savedBytes = memory.savedBytes;
  peak.function =
      !isSplit ? "joint" : (memory.inBackward ? "backward" : "forward");
  if (memory.op) {
    peak.name = getSourceOpName(memory.op);
    peak.op = getOpName(memory.op);
    peak.module = getModulePath(memory.op).str();
    peak.location = formatLocation(memory.op->getLoc());
  }
  for (auto [value, bytes] : memory.live) {
    if (peak.live.size() == Report::kNumLive)
      break;
    Operation *op = value.getDefiningOp();
    peak.live.push_back({getDisplayName(value), printType(value.getType()),
                         bytes, op ? getModulePath(op).str() : ""});
  }
  return peak;
}

void mlir::titan::countWork(ModuleOp module, Report::Partition &partition) {
  func::FuncOp forward = getForwardFunction(module);
  func::FuncOp backward = getBackwardFunction(module);
  if (!forward || !backward)
    return;
  TensorSizes sizes(module);
  int64_t unknown = 0;
  auto count = [&](func::FuncOp function, auto isCounted) {
    int64_t flops = 0;
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (!isCounted(op))
        continue;
      std::optional<int64_t> cost = countFlops(&op, sizes);
      flops += cost.value_or(0);
      unknown += !cost;
    }
    return flops;
  };
  partition.forwardFlops = count(forward, [](Operation &) { return true; });
  // A recomputed op has the names of the forward's.
  llvm::StringSet<> recomputed;
  for (const PlanSummary::Recomputed &entry : partition.plan.recomputed)
    recomputed.insert(entry.name);
  partition.recomputedFlops = count(backward, [&](Operation &op) {
    return llvm::any_of(op.getResults(), [&](Value result) {
      StringRef name = getSourceName(result);
      return !name.empty() && recomputed.contains(name);
    });
  });
  partition.opsOfUnknownCost = unknown;
}
