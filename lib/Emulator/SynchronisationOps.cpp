// Barriers, fences, traps, clocks and printing.
#include "Op.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <chrono>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

//===--- Barriers ---------------------------------------------------------===//

enum Reduction { kNone, kPopcount, kAnd, kOr };

/// Lets the threads at a barrier go on.
static void open(Block &block, NamedBarrier &barrier) {
  // Joining everybody orders all that was before; so does a new epoch.
  bool everybody =
      barrier.arrived >= block.live && barrier.waiting.size() >= block.live;
  if (everybody)
    block.shared.startEpoch();
  for (Thread *thread : barrier.waiting) {
    if (everybody)
      thread->fencedSinceAcquire = false;
    else
      thread->acquire(barrier.clocks);
    if (thread->state == ThreadState::Waiting)
      block.wake(*thread);
  }
  barrier.waiting.clear();
  barrier.arrived = barrier.expected = 0;
  barrier.clocks.clear();
  // The next opening needs every reader of this sum.
  barrier.completed = barrier.popcount;
  ++block.events;
}

void mlir::titan::emulator::checkBarriers(Block &) {
  // Threads that exited are still expected: a barrier that they never reach is
  // the bug that this finds. (On sm_70 and later hardware opens it.)
}

/// bar.sync and its relatives: (id[, count][, predicate]).
static void runBarrier(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Block &block = *thread.block;
  bool hasCount = op.parameter[0];
  auto reduction = Reduction(op.parameter[1]);
  bool arriveOnly = op.parameter[2];
  uint64_t id = op.parameter[3] ? 0 : in[0];
  if (id >= kNumBarriers)
    thread.fail(Fault::BarrierDivergence,
                "barrier " + llvm::Twine(id) + "; a block has 16");
  NamedBarrier &barrier = block.barriers[id];
  auto all = uint32_t(block.threads.size());
  // Hardware counts whole warps.
  uint32_t rounded = (all + kWarpSize - 1) / kWarpSize * kWarpSize;
  uint32_t expected = hasCount ? uint32_t(in[1]) : all;
  if (hasCount && (expected == 0 || expected % kWarpSize || expected > rounded))
    thread.fail(Fault::BarrierDivergence,
                "barrier " + llvm::Twine(id) + " for " + llvm::Twine(expected) +
                    " threads; expected a multiple of 32 up to the block's " +
                    llvm::Twine(all));
  expected = std::min(expected, all);
  if (barrier.arrived && barrier.expected != expected)
    thread.fail(Fault::BarrierDivergence,
                "barrier " + llvm::Twine(id) + " for " + llvm::Twine(expected) +
                    " threads, where others wait for " +
                    llvm::Twine(barrier.expected));
  if (!barrier.arrived) {
    barrier.popcount = 0;
    barrier.expected = expected;
  }
  ++barrier.arrived;
  if (reduction != kNone)
    barrier.popcount += in[hasCount ? 2 : 1] & 1;
  thread.release(barrier.clocks);
  if (!arriveOnly)
    barrier.waiting.push_back(&thread);
  if (barrier.arrived == barrier.expected)
    open(block, barrier);
  else if (!arriveOnly)
    thread.wait(ThreadState::Waiting, "barrier");
  if (reduction == kPopcount)
    out[0] = barrier.completed;
  else if (reduction == kAnd)
    out[0] = barrier.completed == expected;
  else if (reduction == kOr)
    out[0] = barrier.completed != 0;
}

static void runWarpBarrier(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, uint32_t(in[0]), in, out);
  if (!meeting)
    return;
  orderLanes(*meeting);
  endMeeting(*meeting);
}

//===--- Fences, time, ends -----------------------------------------------===//

static void runNothing(Thread &, const Op &, Slot *, Slot *) {}

static void runProxyFence(Thread &thread, const Op &, Slot *, Slot *) {
  thread.proxyFenceClock = thread.clock;
  thread.proxyFenceEpoch = thread.block->shared.getEpoch();
  thread.fencedSinceAcquire = true;
  ++thread.clock;
}

static void runClock(Thread &, const Op &op, Slot *, Slot *out) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  out[0] =
      Slot(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  if (op.parameter[0] == 32)
    out[0] &= 0xffffffff;
}

static void runSleep(Thread &thread, const Op &, Slot *, Slot *) {
  thread.polledAt = thread.block->events;
  thread.wait(ThreadState::Polling, "nanosleep");
}

static void runTrap(Thread &thread, const Op &, Slot *, Slot *) {
  thread.fail(Fault::Trap, "the kernel trapped");
}

static void runExit(Thread &thread, const Op &, Slot *, Slot *) {
  finishThread(thread);
  --thread.block->live;
  ++thread.block->events;
  while (true)
    thread.wait(ThreadState::Done, "");
}

/// A string of the kernel's, cut where a broken pointer would lead astray.
static StringRef getString(Slot address) {
  const auto *text = reinterpret_cast<const char *>(address);
  return text ? StringRef(text, strnlen(text, 4096)) : StringRef("(null)");
}

static void runAssert(Thread &thread, const Op &, Slot *in, Slot *) {
  thread.fail(Fault::Trap, "assertion '" + getString(in[0]) + "' failed at " +
                               getString(in[1]) + ":" +
                               llvm::Twine(uint32_t(in[2])));
}

/// vprintf: the arguments lie behind each other, each at its own alignment,
/// integers of 4 or 8 bytes and doubles.
static void runPrint(Thread &thread, const Op &, Slot *in, Slot *out) {
  StringRef format = getString(in[0]);
  uint64_t at = in[1];
  auto take = [&]<typename T>(T) {
    at = (at + sizeof(T) - 1) & ~uint64_t(sizeof(T) - 1);
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(at), sizeof(T));
    at += sizeof(T);
    return value;
  };
  std::string &text = thread.block->statistics.output;
  while (!format.empty()) {
    if (!format.starts_with("%") || format.starts_with("%%")) {
      text += format.front();
      format = format.drop_front(format.starts_with("%%") ? 2 : 1);
      continue;
    }
    size_t end = format.find_first_of("diuxXcsfgeEGp", 1);
    if (end == StringRef::npos)
      break;
    std::string piece = format.take_front(end + 1).str();
    format = format.drop_front(end + 1);
    char kind = piece.back();
    char buffer[512];
    if (StringRef("fgeEG").contains(kind))
      (void)std::snprintf(buffer, sizeof(buffer), piece.c_str(), take(0.0));
    else if (kind == 's')
      (void)std::snprintf(buffer, sizeof(buffer), piece.c_str(),
                          getString(take(Slot(0))).str().c_str());
    else if (kind == 'p' || StringRef(piece).contains('l'))
      (void)std::snprintf(buffer, sizeof(buffer), piece.c_str(), take(Slot(0)));
    else
      (void)std::snprintf(buffer, sizeof(buffer), piece.c_str(),
                          take(uint32_t(0)));
    text += buffer;
  }
  out[0] = 0;
}

/// setmaxnreg: the registers of all warps together must fit the block's.
static void runSetRegisters(Thread &thread, const Op &op, Slot *in, Slot *) {
  Block &block = *thread.block;
  auto count = uint32_t(in[0]);
  bool increases = op.parameter[0];
  if (count < 24 || count > 256 || count % 8)
    thread.fail(Fault::Registers,
                "setmaxnreg of " + llvm::Twine(count) +
                    "; expected a multiple of 8 from 24 to 256");
  uint32_t &own = block.warpRegisters[thread.warp()];
  if (thread.lane() == 0)
    own = count;
  if (!increases)
    return;
  uint64_t total = 0;
  for (uint32_t registers : block.warpRegisters)
    total += uint64_t(registers ? std::min(registers, 256u) : 24) * kWarpSize;
  if (total > kRegistersPerBlock)
    thread.fail(Fault::Registers,
                "setmaxnreg asks for " + llvm::Twine(total) +
                    " registers over all warps; a block has " +
                    llvm::Twine(kRegistersPerBlock));
}

bool mlir::titan::emulator::decodeSynchronisation(StringRef name, Form form,
                                                  Op &op) {
  StringRef barrier = name;
  if (form == Form::Ptx &&
      (barrier.consume_front("barrier.") || barrier.consume_front("bar."))) {
    barrier.consume_front("cta.");
    if (barrier.starts_with("sync") || barrier.starts_with("arrive")) {
      if (name.starts_with("bar.warp"))
        return false;
      op.parameter[2] = barrier.starts_with("arrive");
      op.parameter[0] = op.numOperands > 1;
      op.run = runBarrier;
      return true;
    }
  }
  if (name.starts_with("barrier.cta.") || name == "barrier0" ||
      name == "barrier.sync" || name == "bar.sync") {
    op.run = runBarrier;
    op.parameter[0] = name.ends_with(".count");
    op.parameter[2] = name.contains(".arrive");
    op.parameter[3] = name == "barrier0";
    if (name.contains(".red.popc"))
      op.parameter[1] = kPopcount;
    else if (name.contains(".red.and"))
      op.parameter[1] = kAnd;
    else if (name.contains(".red.or"))
      op.parameter[1] = kOr;
    return true;
  }
  if (name == "bar.warp.sync") {
    op.run = runWarpBarrier;
    return true;
  }
  if (name.starts_with("fence.proxy.async")) {
    op.run = runProxyFence;
    return true;
  }
  if (name.starts_with("fence.") || name.starts_with("membar.") ||
      name.starts_with("griddepcontrol.") || name.starts_with("prefetch") ||
      name.starts_with("barrier.cluster.") || name.starts_with("discard") ||
      name.starts_with("applypriority")) {
    op.run = runNothing;
    return true;
  }
  if (name == "setmaxnreg.inc.sync.aligned.u32" ||
      name == "setmaxnreg.dec.sync.aligned.u32") {
    op.run = runSetRegisters;
    op.parameter[0] = name.contains(".inc.");
    return true;
  }
  if (name == "read.ptx.sreg.clock" || name == "read.ptx.sreg.clock64" ||
      name == "read.ptx.sreg.globaltimer") {
    op.run = runClock;
    op.parameter[0] = name.ends_with("clock") ? 32 : 64;
    op.numResults = 1;
    return true;
  }
  op.run = llvm::StringSwitch<Handler>(name)
               .Cases({"nanosleep", "nanosleep.u32"}, runSleep)
               .Cases({"llvm.trap", "llvm.debugtrap", "trap"}, runTrap)
               .Case("exit", runExit)
               .Case("vprintf", runPrint)
               .Case("__assertfail", runAssert)
               .Default(nullptr);
  return op.run != nullptr;
}
