// One sweep over the schedule with two numbers a storage: the step that makes
// it and the last step that needs it. Steps count through the forward and then
// the backward, so that a saved storage simply lives across the border.
#include "titan/Analysis/PeakMemory.h"

#include "titan/Analysis/AliasRoots.h"
#include "titan/Analysis/SavedValues.h"
#include "titan/Analysis/TensorSize.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// The life of one storage, in steps: it is there during [first, last].
struct Life {
  int64_t bytes;
  int64_t first;
  int64_t last;
};

class Sweep {
public:
  Sweep(func::FuncOp forward, func::FuncOp backward)
      : forward(forward), backward(backward),
        sizes(forward->getParentOfType<ModuleOp>()) {}

  PeakMemory run();

private:
  void addArguments(func::FuncOp function);
  void addOps(func::FuncOp function, const AliasRoots &roots);
  void addResults(func::FuncOp function, const AliasRoots &roots);
  void addSavedValues(const AliasRoots &roots);
  /// The storage of \p value of either function: what the backward got from the
  /// forward is the forward's.
  Value getStorage(Value value, const AliasRoots &roots) const;
  void create(Value root, int64_t first);
  void use(Value root, int64_t step);
  PeakMemory findPeak() const;
  void fillLive(PeakMemory &peak, int64_t step) const;

  func::FuncOp forward;
  func::FuncOp backward;
  TensorSizes sizes;
  /// Every storage, in the order in which it appears.
  llvm::MapVector<Value, Life> lives;
  /// Arguments of the backward that are storage of the forward.
  llvm::DenseMap<Value, Value> handedOver;
  /// The ops in the order of their steps; null marks the border, a step at
  /// which nothing runs.
  SmallVector<Operation *> schedule;
  int64_t border = 0;
  int64_t residentBytes = 0;
  int64_t savedBytes = 0;
};

} // namespace

/// Later than every step: the storage outlives the schedule.
static constexpr int64_t kEnd = INT64_MAX;

Value Sweep::getStorage(Value value, const AliasRoots &roots) const {
  Value root = roots.getRoot(value);
  Value before = handedOver.lookup(root);
  return before ? before : root;
}

void Sweep::create(Value root, int64_t first) {
  // Symbolic numbers and opaque values live on the host.
  int64_t bytes = isa<TensorType>(root.getType()) ? sizes.getBytes(root) : 0;
  lives.insert({root, Life{bytes, first, first}});
}

void Sweep::use(Value root, int64_t step) {
  auto *life = lives.find(root);
  if (life != lives.end() && life->second.last < step)
    life->second.last = step;
}

void Sweep::addArguments(func::FuncOp function) {
  int64_t now = schedule.size();
  for (BlockArgument argument : function.getArguments()) {
    // Constants and the like stand in both signatures but once in memory; the
    // backward's own copy of one is that of the forward.
    if (handedOver.count(argument))
      continue;
    create(argument, function == forward ? -1 : now);
    use(argument, kEnd);
    if (function == forward && lives.find(argument) != lives.end() &&
        getArgumentRole(function, argument.getArgNumber()) != Role::Tangent)
      residentBytes += lives.find(argument)->second.bytes;
  }
}

void Sweep::addOps(func::FuncOp function, const AliasRoots &roots) {
  for (Operation &op : function.front().without_terminator()) {
    int64_t now = schedule.size();
    schedule.push_back(&op);
    for (Value operand : op.getOperands())
      use(getStorage(operand, roots), now);
    for (Value result : op.getResults())
      if (roots.getRoot(result) == result)
        create(result, now);
  }
}

void Sweep::addResults(func::FuncOp function, const AliasRoots &roots) {
  Operation *terminator = function.front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (getResultRole(function, index) != Role::Saved)
      use(getStorage(value, roots), kEnd);
}

// What is saved lives up to the border; what the backward reads of it, longer.
void Sweep::addSavedValues(const AliasRoots &roots) {
  FailureOr<SmallVector<SavedPair>> pairs = matchSavedValues(forward, backward);
  if (failed(pairs))
    return;
  Operation *terminator = forward.front().getTerminator();
  for (const SavedPair &pair : *pairs) {
    Value root = getStorage(terminator->getOperand(pair.forwardResult), roots);
    handedOver[backward.getArgument(pair.backwardArgument)] = root;
    auto *life = lives.find(root);
    if (life == lives.end())
      continue;
    if (life->second.last < border) {
      // Counted when it first crosses: every storage once.
      life->second.last = border;
      savedBytes += life->second.bytes;
    }
  }
}

static bool isConstant(func::FuncOp function, unsigned index) {
  return getArgumentRole(function, index) == Role::Constant;
}

static void matchConstants(func::FuncOp forward, func::FuncOp backward,
                           llvm::DenseMap<Value, Value> &handedOver) {
  llvm::StringMap<Value> constants;
  for (BlockArgument argument : forward.getArguments())
    if (isConstant(forward, argument.getArgNumber()))
      if (StringRef name = getSourceName(argument); !name.empty())
        constants[name] = argument;
  for (BlockArgument argument : backward.getArguments())
    if (isConstant(backward, argument.getArgNumber()))
      if (Value same = constants.lookup(getSourceName(argument)))
        handedOver[argument] = same;
}

PeakMemory Sweep::run() {
  AliasRoots forwardRoots(forward.front());
  addArguments(forward);
  addOps(forward, forwardRoots);
  addResults(forward, forwardRoots);
  if (backward) {
    border = schedule.size();
    schedule.push_back(nullptr);
    addSavedValues(forwardRoots);
    matchConstants(forward, backward, handedOver);
    AliasRoots backwardRoots(backward.front());
    addArguments(backward);
    addOps(backward, backwardRoots);
    addResults(backward, backwardRoots);
  }
  return findPeak();
}

PeakMemory Sweep::findPeak() const {
  // What comes and goes at each step.
  SmallVector<int64_t> arriving(schedule.size() + 1, 0);
  SmallVector<int64_t> leaving(schedule.size() + 1, 0);
  int64_t bytes = 0;
  for (const auto &[root, life] : lives) {
    if (life.first < 0)
      bytes += life.bytes;
    else
      arriving[life.first] += life.bytes;
    if (life.last < static_cast<int64_t>(schedule.size()))
      leaving[std::max<int64_t>(life.last, 0)] += life.bytes;
  }

  PeakMemory peak;
  peak.bytes = bytes;
  peak.residentBytes = residentBytes;
  peak.savedBytes = savedBytes;
  int64_t step = -1;
  for (int64_t now = 0, end = schedule.size(); now < end; ++now) {
    bytes += arriving[now];
    if (schedule[now] && (bytes > peak.bytes || !peak.op)) {
      peak.bytes = bytes;
      peak.op = schedule[now];
      step = now;
    }
    bytes -= leaving[now];
  }
  peak.inBackward = backward && step > border;
  fillLive(peak, step);
  return peak;
}

void Sweep::fillLive(PeakMemory &peak, int64_t step) const {
  // The largest first, and among equals the earliest.
  SmallVector<std::pair<int64_t, unsigned>> found;
  for (auto [number, entry] : llvm::enumerate(lives)) {
    const Life &life = entry.second;
    if (life.bytes > 0 && life.first <= step && life.last >= step)
      found.emplace_back(-life.bytes, number);
  }
  llvm::sort(found);
  for (auto [bytes, number] : found)
    peak.live.emplace_back((lives.begin() + number)->first, -bytes);
}

PeakMemory titan::computePeakMemory(func::FuncOp forward,
                                    func::FuncOp backward) {
  return Sweep(forward, backward).run();
}
