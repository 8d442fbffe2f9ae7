// What ops take, by name; a call of a kernel counts under the kernel's.
#include "titan/Execution/Interpreter.h"

#include "titan/Analysis/CostModel.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

// The function that a call names, null if \p op is no call.
static func::FuncOp getCallee(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
}

// Views compute nothing: a kernel has copies of those that it reads through.
static bool isView(Operation *op) {
  auto alias = dyn_cast<AliasOpInterface>(op);
  return alias && op->getNumResults() == 1 && alias.getAliasedOperand(0);
}

llvm::MapVector<StringRef, int64_t> titan::countKernelOps(Operation *op) {
  llvm::MapVector<StringRef, int64_t> counts;
  func::FuncOp callee = getCallee(op);
  if (callee && !callee.isExternal())
    for (Operation &inner : callee.front().without_terminator())
      if (!isView(&inner))
        ++counts[inner.getName().getStringRef()];
  return counts;
}

std::string titan::describeOp(Operation *op) {
  llvm::MapVector<StringRef, int64_t> counts = countKernelOps(op);
  if (counts.empty())
    return getOpName(op);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(counts, stream, [&](const auto &entry) {
    stream << entry.first;
    if (entry.second > 1)
      stream << " x" << entry.second;
  });
  return text;
}

static int64_t countAllFlops(Operation *op) {
  TensorSizes sizes{ModuleOp()};
  func::FuncOp callee = getCallee(op);
  if (!callee || callee.isExternal())
    return countFlops(op, sizes).value_or(0);
  int64_t flops = 0;
  for (Operation &inner : callee.front().without_terminator())
    flops += countFlops(&inner, sizes).value_or(0);
  return flops;
}

void Interpreter::addToProfile(const OpEvent &event,
                               const Environment &values) {
  Operation *op = event.op;
  func::FuncOp callee = getCallee(op);
  OpProfile &entry =
      profile[callee ? callee.getSymName() : op->getName().getStringRef()];
  std::chrono::duration<double> taken = event.end - event.start;
  entry.op = op;
  ++entry.calls;
  // What is inside has been counted.
  entry.seconds += std::max(taken.count() - nestedSeconds, 0.0);
  bool hasInside = nestedSeconds > 0;
  nestedSeconds = 0;
  if (hasInside)
    return;
  entry.flops += countAllFlops(op);
  for (Value operand : op->getOperands())
    if (const auto *tensor = values.lookup(operand).getIf<Tensor>())
      entry.bytes += tensor->getNumBytes();
  for (const RuntimeValue &result : event.results)
    if (const auto *tensor = result.getIf<Tensor>())
      entry.bytes += tensor->getNumBytes();
}
