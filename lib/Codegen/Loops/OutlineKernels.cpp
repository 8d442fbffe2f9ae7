// Moves groups of ops into functions of their own.
#include "titan/Codegen/Loops/KernelGroups.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::titan;

using Members = llvm::SmallPtrSet<Operation *, 16>;

namespace {
class Outliner {
public:
  Outliner(func::FuncOp function, StringRef prefix,
           function_ref<bool(Value)> isKept)
      : function(function), module(function->getParentOfType<ModuleOp>()),
        prefix(prefix), isKept(isKept) {}

  void outline(const KernelGroup &group);
  /// Brings the body into an order in which values stand before their uses.
  void sortBody();
  /// Views that only kernels read are nobody's any more.
  void eraseDeadViews();

private:
  bool isWanted(Value value, const Members &members) const;
  /// Clones the view \p op and the views it reads through into the kernel.
  Value cloneView(OpBuilder &builder, Operation *op, IRMapping &mapping);
  func::FuncOp buildKernel(const KernelGroup &group, ArrayRef<Value> results,
                           llvm::SetVector<Value> &inputs);
  /// The function itself, or an equal one that is there already.
  func::FuncOp share(func::FuncOp kernel);

  func::FuncOp function;
  ModuleOp module;
  StringRef prefix;
  function_ref<bool(Value)> isKept;
  llvm::StringMap<func::FuncOp> kernels;
};
} // namespace

Value Outliner::cloneView(OpBuilder &builder, Operation *op,
                          IRMapping &mapping) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!mapping.contains(operand) && source && isViewOp(source))
      mapping.map(operand, cloneView(builder, source, mapping));
  }
  Operation *clone = builder.clone(*op, mapping);
  clone->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  return clone->getResult(0);
}

// The values that \p op reads, through views, and that \p inside does not
// compute.
static void collectInputs(Operation *op, const llvm::SetVector<Value> &inside,
                          llvm::SetVector<Value> &inputs) {
  for (Value operand : op->getOperands()) {
    if (inside.contains(operand))
      continue;
    Operation *source = operand.getDefiningOp();
    if (source && isViewOp(source))
      collectInputs(source, inside, inputs);
    else
      inputs.insert(operand);
  }
}

func::FuncOp Outliner::buildKernel(const KernelGroup &group,
                                   ArrayRef<Value> results,
                                   llvm::SetVector<Value> &inputs) {
  llvm::SetVector<Value> inside;
  for (Operation *op : group) {
    collectInputs(op, inside, inputs);
    inside.insert(op->result_begin(), op->result_end());
  }
  Location loc = UnknownLoc::get(module.getContext());
  auto type = FunctionType::get(module.getContext(),
                                ValueRange(inputs.getArrayRef()).getTypes(),
                                ValueRange(results).getTypes());
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = func::FuncOp::create(builder, loc, prefix, type);
  kernel.setPrivate();
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  for (Operation *op : group) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand,
                    cloneView(builder, operand.getDefiningOp(), mapping));
    Operation *clone = builder.clone(*op, mapping);
    clone->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  }
  SmallVector<Value> returned;
  for (Value result : results)
    returned.push_back(mapping.lookup(result));
  func::ReturnOp::create(builder, loc, returned);
  return kernel;
}

func::FuncOp Outliner::share(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = kernels.try_emplace(text, kernel);
  if (!isNew) {
    kernel.erase();
    return it->second;
  }
  kernel.setName((prefix + "_" + Twine(kernels.size() - 1)).str());
  return kernel;
}

// Whether an op that is no member reads \p value, or it is kept. A view counts
// as those who read it: the group has copies of its own.
bool Outliner::isWanted(Value value, const Members &members) const {
  if (isKept && isKept(value))
    return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (members.contains(user))
      return false;
    return !isViewOp(user) || isWanted(user->getResult(0), members);
  });
}

static void eraseReaders(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    eraseReaders(user);
    user->erase();
  }
}

void Outliner::outline(const KernelGroup &group) {
  Members members(group.begin(), group.end());
  SmallVector<Value> results;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (isWanted(result, members))
        results.push_back(result);
  if (results.empty())
    return;
  llvm::SetVector<Value> inputs;
  func::FuncOp kernel = share(buildKernel(group, results, inputs));
  OpBuilder builder(group.back());
  auto call = func::CallOp::create(builder, group.back()->getLoc(), kernel,
                                   inputs.getArrayRef());
  SmallVector<Attribute> names;
  for (Value result : results)
    names.push_back(builder.getStringAttr(getSourceName(result)));
  call->setAttr(kNamesAttr, builder.getArrayAttr(names));
  for (auto [result, replacement] : llvm::zip_equal(results, call.getResults()))
    result.replaceAllUsesWith(replacement);
  // What still reads the members are views that nobody reads.
  for (Operation *op : llvm::reverse(group)) {
    eraseReaders(op);
    op->erase();
  }
}

void Outliner::sortBody() {
  // A call stands where the last op of its group stood; what reads earlier
  // ones has to follow it. Ops that talk with the world keep their order.
  Block &body = function.front();
  SmallVector<Operation *> order;
  for (Operation &op : body.without_terminator())
    order.push_back(&op);
  llvm::DenseMap<Operation *, SmallVector<Operation *, 1>> after;
  Operation *lastEffect = nullptr, *lastWrite = nullptr;
  SmallVector<Operation *> sinceWrite;
  for (Operation *op : order) {
    if (lastWrite)
      after[op].push_back(lastWrite);
    if (!isa<func::CallOp>(op) && !isMemoryEffectFree(op)) {
      if (lastEffect)
        after[op].push_back(lastEffect);
      lastEffect = op;
    }
    if (isWriteOp(op)) {
      llvm::append_range(after[op], sinceWrite);
      sinceWrite.clear();
      lastWrite = op;
    } else {
      sinceWrite.push_back(op);
    }
  }
  llvm::DenseSet<Operation *> placed;
  Operation *terminator = body.getTerminator();
  // Depth first, so that an op stands directly before who needs it first.
  SmallVector<std::pair<Operation *, bool>> stack;
  auto place = [&](Operation *root) {
    stack.push_back({root, false});
    while (!stack.empty()) {
      auto [op, isReady] = stack.pop_back_val();
      if (placed.contains(op))
        continue;
      if (isReady) {
        placed.insert(op);
        op->moveBefore(terminator);
        continue;
      }
      stack.push_back({op, true});
      for (Operation *earlier : after.lookup(op))
        stack.push_back({earlier, false});
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp())
          stack.push_back({source, false});
    }
  };
  llvm::for_each(order, place);
}

void Outliner::eraseDeadViews() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (op.use_empty() && op.getNumResults() != 0 && isMemoryEffectFree(&op) &&
        !(isKept && llvm::any_of(op.getResults(), isKept)))
      op.erase();
}

void titan::outlineKernelGroups(func::FuncOp function,
                                const std::vector<KernelGroup> &groups,
                                StringRef prefix,
                                function_ref<bool(Value)> isKept) {
  Outliner outliner(function, prefix, isKept);
  for (const KernelGroup &group : groups)
    outliner.outline(group);
  outliner.sortBody();
  outliner.eraseDeadViews();
}

//===----------------------------------------------------------------------===//
// The kernels of a program
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kKernelPrefix = "titan_kernel";

// A kernel that was divided calls others and is none any more.
static bool isKernel(func::FuncOp function) {
  return function.getSymName().starts_with(kKernelPrefix) &&
         function.front().getOps<func::CallOp>().empty();
}

void titan::outlineKernels(ModuleOp program, ArrayRef<StringRef> names,
                           const KernelGroupOptions &options,
                           function_ref<bool(Value)> isKept) {
  for (StringRef name : names) {
    auto function = program.lookupSymbol<func::FuncOp>(name);
    outlineKernelGroups(function, formKernelGroups(function, options),
                        (kKernelPrefix + "_" + name).str(), isKept);
  }
}

OwningOpRef<ModuleOp> titan::cloneKernels(ModuleOp program) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>())
    if (isKernel(function))
      kernels->push_back(function.clone());
  return kernels;
}

bool titan::divideKernels(ModuleOp program,
                          function_ref<bool(StringRef)> isPlanned) {
  SmallVector<func::FuncOp> unplanned;
  for (auto function : program.getOps<func::FuncOp>())
    if (isKernel(function) && !isPlanned(function.getSymName()))
      unplanned.push_back(function);
  bool isDivided = false;
  for (func::FuncOp function : unplanned) {
    std::vector<KernelGroup> groups =
        formKernelGroups(function, {/*maxOps=*/1});
    if (groups.size() < 2)
      continue;
    outlineKernelGroups(function, groups,
                        (function.getSymName() + "_op").str());
    isDivided = true;
  }
  return isDivided;
}
