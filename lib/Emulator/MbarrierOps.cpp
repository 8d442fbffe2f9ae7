// mbarriers. Their state is kept beside shared memory, whose eight bytes hold
// the phase alone: a kernel that looks at them learns nothing it may use.
#include "Mbarrier.h"
#include "Op.h"
#include <algorithm>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

static constexpr uint32_t kMaximumCount = (1u << 20) - 1;
static constexpr int64_t kMaximumTransactions = (1 << 20) - 1;

Mbarrier &mlir::titan::emulator::getMbarrier(Thread &thread, uint64_t address) {
  Block &block = *thread.block;
  if (!block.shared.contains(address) || address % 8)
    thread.fail(Fault::Mbarrier,
                "an mbarrier outside of shared memory, or not at a multiple "
                "of 8 bytes");
  auto it = block.mbarriers.find(address);
  if (it == block.mbarriers.end())
    thread.fail(Fault::Mbarrier,
                "uses the mbarrier at offset " +
                    llvm::Twine(address % SharedMemory::kArenaBytes) +
                    ", which nobody initialised");
  return it->second;
}

/// Ends the phase if nothing is missing.
static void advance(Block &block, Mbarrier &barrier) {
  if (barrier.pending || barrier.transactions)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  if (barrier.completed.size() < barrier.clocks.size())
    barrier.completed.resize(barrier.clocks.size());
  for (size_t i = 0; i < barrier.clocks.size(); ++i)
    barrier.completed[i] = std::max(barrier.completed[i], barrier.clocks[i]);
  ++block.events;
}

void mlir::titan::emulator::completeTransaction(
    Block &block, uint64_t address, uint64_t bytes,
    const std::vector<uint32_t> &clocks) {
  auto it = block.mbarriers.find(address);
  if (it == block.mbarriers.end()) {
    block.setFault(Fault::Mbarrier,
                   "a bulk copy ends at an mbarrier that was invalidated "
                   "(kernel '" +
                       block.context->kernel + "')");
    return;
  }
  Mbarrier &barrier = it->second;
  barrier.transactions -= int64_t(bytes);
  if (barrier.clocks.size() < clocks.size())
    barrier.clocks.resize(clocks.size());
  for (size_t i = 0; i < clocks.size(); ++i)
    barrier.clocks[i] = std::max(barrier.clocks[i], clocks[i]);
  // Bytes may arrive before they are expected, while arrivals are missing.
  if (barrier.transactions < -kMaximumTransactions)
    block.setFault(Fault::Mbarrier,
                   "more bytes arrived at an mbarrier than it can count "
                   "(kernel '" +
                       block.context->kernel + "')");
  advance(block, barrier);
}

static void runInitialise(Thread &thread, const Op &, Slot *in, Slot *) {
  Block &block = *thread.block;
  auto count = uint32_t(in[1]);
  if (count == 0 || count > kMaximumCount)
    thread.fail(Fault::Mbarrier,
                "an mbarrier for " + llvm::Twine(count) + " arrivals");
  checkAccess(thread, in[0], 8, 8, kWrites);
  if (!block.shared.contains(in[0]))
    thread.fail(Fault::Mbarrier, "an mbarrier outside of shared memory");
  std::memset(reinterpret_cast<void *>(in[0]), 0, 8);
  if (block.mbarriers.count(in[0]))
    thread.fail(Fault::Mbarrier,
                "initialises an mbarrier that is in use; invalidate it first");
  Mbarrier &barrier = block.mbarriers[in[0]];
  barrier.count = barrier.pending = count;
}

static void runInvalidate(Thread &thread, const Op &, Slot *in, Slot *) {
  getMbarrier(thread, in[0]);
  thread.block->mbarriers.erase(in[0]);
}

/// What an arrival does, from the name.
struct Arrival {
  bool arrives, expects, completes, drops, hasCount;
};

/// address[, count or bytes]. Parameter 0 says which.
static void runArrive(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Block &block = *thread.block;
  Mbarrier &barrier = getMbarrier(thread, in[0]);
  Arrival arrival{bool(op.parameter[0]), bool(op.parameter[1]),
                  bool(op.parameter[2]), bool(op.parameter[3]),
                  bool(op.parameter[4])};
  if (op.numResults)
    out[0] = barrier.phase;
  if (arrival.completes) {
    std::vector<uint32_t> clocks;
    thread.release(clocks);
    completeTransaction(block, in[0], uint32_t(in[1]), clocks);
    return;
  }
  if (arrival.expects) {
    barrier.transactions += uint32_t(in[1]);
    if (barrier.transactions > kMaximumTransactions)
      thread.fail(Fault::Mbarrier, "expects more than 2^20-1 bytes");
  }
  if (!arrival.arrives)
    return;
  uint32_t count = arrival.hasCount ? uint32_t(in[1]) : 1;
  if (count == 0)
    count = 1;
  if (count > barrier.pending)
    thread.fail(Fault::Mbarrier,
                "arrives at an mbarrier whose phase has all its " +
                    llvm::Twine(barrier.count) + " arrivals");
  thread.release(barrier.clocks);
  barrier.pending -= count;
  if (arrival.drops)
    barrier.count -= std::min(barrier.count, count);
  advance(block, barrier);
}

/// address, parity or state. try_wait gives the others one turn and says how
/// things stand then, which is what a time limit that ran out looks like.
static void runWait(Thread &thread, const Op &op, Slot *in, Slot *out) {
  bool parity = op.parameter[0], patient = op.parameter[1];
  auto done = [&] {
    const Mbarrier &barrier = getMbarrier(thread, in[0]);
    return parity ? (barrier.phase & 1) != (in[1] & 1) : barrier.phase > in[1];
  };
  if (!done()) {
    thread.polledAt = thread.block->events;
    thread.wait(ThreadState::Polling, "an mbarrier");
    if (!patient || !done()) {
      out[0] = 0;
      return;
    }
  }
  thread.acquire(getMbarrier(thread, in[0]).completed);
  out[0] = 1;
}

/// cp.async.mbarrier.arrive: an arrival when the thread's copies have landed.
/// They land at once here: the thread has nothing else to wait for them by.
static void runArriveAfterCopies(Thread &thread, const Op &op, Slot *in,
                                 Slot *) {
  Op wait;
  (void)decodeAsyncCopy("cp.async.wait.all", Form::Intrinsic, wait);
  wait.run(thread, wait, nullptr, nullptr);
  Mbarrier &barrier = getMbarrier(thread, in[0]);
  if (!op.parameter[0])
    ++barrier.pending;
  if (barrier.pending == 0)
    thread.fail(Fault::Mbarrier, "arrives at an mbarrier whose phase has all "
                                 "its arrivals");
  thread.release(barrier.clocks);
  --barrier.pending;
  advance(*thread.block, barrier);
}

bool mlir::titan::emulator::decodeMbarrier(StringRef name, Form form, Op &op) {
  if (name.starts_with("cp.async.mbarrier.arrive")) {
    op.run = runArriveAfterCopies;
    op.parameter[0] = name.contains("noinc");
    return true;
  }
  if (!name.consume_front("mbarrier."))
    return false;
  bool ptx = form == Form::Ptx;
  if (name.starts_with("init")) {
    op.run = runInitialise;
    return true;
  }
  if (name.starts_with("inval")) {
    op.run = runInvalidate;
    return true;
  }
  bool tries = name.starts_with("try_wait") || name.starts_with("try.wait");
  if (tries || name.starts_with("test_wait") || name.starts_with("test.wait")) {
    op.run = runWait;
    op.parameter[0] = name.contains("parity");
    op.parameter[1] = tries;
    op.numResults = 1;
    return true;
  }
  bool expects = name.contains("expect_tx") || name.contains("expect.tx");
  bool completes = name.contains("complete_tx") || name.contains("complete.tx");
  bool arrives = name.starts_with("arrive");
  if (!arrives && !expects && !completes)
    return false;
  op.run = runArrive;
  op.parameter[0] = arrives;
  op.parameter[1] = expects;
  op.parameter[2] = completes;
  op.parameter[3] = name.contains("drop");
  op.parameter[4] = !expects && (ptx || name.contains(".scope.") ||
                                 name.contains("oComplete"));
  // An mbarrier of the cluster's gives no state; here PTX writes `_` for it.
  op.numResults = arrives && !name.contains("space.cluster") ? 1 : 0;
  return true;
}
