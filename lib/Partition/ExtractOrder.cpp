// The order of the backward function. Extraction leaves the joint order, with
// all recomputed ops on top, alive from the start; this moves each of them down
// to its first use.
#include "ExtractDetail.h"

#include "titan/Analysis/AliasRoots.h"
#include "titan/Analysis/Effects.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// The ops of one block by number, the terminator last.
class Order {
public:
  Order(func::FuncOp backward, Operation *start, CompatKind compat);
  void run();

private:
  void addWriteOrder();
  void addCollectiveOrder();
  void emit(unsigned op);
  void emitEarlyEffects();

  Block &block;
  CompatKind compat;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// Ops that must run before an op though it reads none of their results.
  SmallVector<SmallVector<unsigned, 1>> before;
  /// The first op that reads a tangent.
  unsigned first = 0;
  llvm::BitVector emitted;
  SmallVector<unsigned> order;
};

} // namespace

// Mutation of an input, as the functionalised graph ends with.
static bool writesArgument(Operation *op) {
  return llvm::any_of(getMutatedOperands(op), [](OpOperand *operand) {
    return isa<BlockArgument>(operand->get());
  });
}

Order::Order(func::FuncOp backward, Operation *start, CompatKind compat)
    : block(backward.front()), compat(compat) {
  for (Operation &op : block) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
  }
  before.resize(ops.size());
  emitted.resize(ops.size());
  first = numbers.lookup(start);
  if (compat != CompatKind::Titan)
    return;
  addWriteOrder();
  addCollectiveOrder();
}

// A write to storage comes after the reads before it, and before the reads
// after it. PyTorch has no such rule: it relies on writes standing last.
void Order::addWriteOrder() {
  if (llvm::none_of(ops, mutatesOperand))
    return;
  AliasRoots roots(block);
  llvm::DenseMap<Value, SmallVector<unsigned>> readers;
  llvm::DenseMap<Value, unsigned> writers;
  llvm::DenseSet<Value> written;
  for (Operation *op : ops)
    for (OpOperand *operand : getMutatedOperands(op))
      written.insert(roots.getRoot(operand->get()));
  for (auto [number, op] : llvm::enumerate(ops)) {
    SmallVector<OpOperand *> mutated = getMutatedOperands(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = roots.getRoot(operand.get());
      if (!written.count(root))
        continue;
      if (auto writer = writers.find(root); writer != writers.end())
        before[number].push_back(writer->second);
      if (llvm::is_contained(mutated, &operand)) {
        llvm::append_range(before[number], readers[root]);
        readers[root].clear();
        writers[root] = number;
      } else {
        readers[root].push_back(number);
      }
    }
  }
}

// All ranks run their collectives in one order; those that are no recomputed
// copy keep the joint function's.
void Order::addCollectiveOrder() {
  std::optional<unsigned> last;
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (!isa<CollectiveOpInterface>(op) || isTaggedRecompute(op))
      continue;
    if (last)
      before[number].push_back(*last);
    last = number;
  }
}

void Order::emit(unsigned op) {
  if (emitted.test(op))
    return;
  // What is missing runs in the order in which it stood.
  SmallVector<unsigned> pending = {op};
  SmallVector<unsigned> found;
  auto visit = [&](unsigned number) {
    if (!emitted.test(number)) {
      emitted.set(number);
      pending.push_back(number);
    }
  };
  emitted.set(op);
  while (!pending.empty()) {
    unsigned number = pending.pop_back_val();
    found.push_back(number);
    for (Value operand : ops[number]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        visit(numbers.lookup(source));
    for (unsigned number : before[number])
      visit(number);
  }
  llvm::sort(found);
  llvm::append_range(order, found);
}

// Effects above the first op that reads a tangent, which nothing below asks
// for: they keep their place on top.
void Order::emitEarlyEffects() {
  llvm::BitVector needed(ops.size());
  SmallVector<unsigned> pending;
  for (unsigned number = first; number < ops.size(); ++number) {
    needed.set(number);
    pending.push_back(number);
  }
  while (!pending.empty()) {
    for (Value operand : ops[pending.pop_back_val()]->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || needed.test(numbers.lookup(source)))
        continue;
      needed.set(numbers.lookup(source));
      pending.push_back(numbers.lookup(source));
    }
  }
  for (unsigned number = 0; number < first; ++number) {
    // The write of an epilogue does not wait even where it is needed below.
    bool isWrite = writesArgument(ops[number]);
    bool isOnlyEffect = compat == CompatKind::Titan && !needed.test(number) &&
                        hasVisibleEffect(ops[number]);
    if (isWrite || isOnlyEffect)
      emit(number);
  }
}

void Order::run() {
  emitEarlyEffects();
  for (unsigned number = first; number < ops.size(); ++number)
    emit(number);
  for (unsigned number : order)
    ops[number]->moveBefore(&block, block.end());
  // What nothing asked for stands on top now, and goes, users first.
  for (unsigned number = ops.size(); number-- > 0;)
    if (!emitted.test(number))
      ops[number]->erase();
}

void titan::orderLikeAutograd(func::FuncOp backward, Operation *start,
                              CompatKind compat) {
  // Where no gradient needs a tangent there is no backward to mimic.
  if (start)
    Order(backward, start, compat).run();
}
