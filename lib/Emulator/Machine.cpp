// Threads: giving up turns, failing, meeting others, and happens-before.
#include "Machine.h"
#include "ModuleCode.h"
#include "Op.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace mlir::titan::emulator;

// Compiled code has no other way to name the thread it runs for: the one
// pointer per operating system thread, set by the scheduler at every switch.
static thread_local Thread *currentThread = nullptr;

Thread &mlir::titan::emulator::getCurrentThread() { return *currentThread; }
void mlir::titan::emulator::setCurrentThread(Thread *thread) {
  currentThread = thread;
}

void Thread::wait(ThreadState next, const char *reason) {
  state = next;
  waitsFor = reason;
  ++block->statistics.switches;
  fiber.switchTo(block->scheduler);
}

void Thread::fail(Fault fault, const llvm::Twine &message) {
  const SpecialRegisters &r = registers;
  block->setFault(
      fault, (message + " (kernel '" + block->context->kernel + "', block " +
              llvm::Twine(r.ctaid[0]) + "," + llvm::Twine(r.ctaid[1]) + "," +
              llvm::Twine(r.ctaid[2]) + ", thread " + llvm::Twine(r.tid[0]) +
              "," + llvm::Twine(r.tid[1]) + "," + llvm::Twine(r.tid[2]) +
              ", at " + block->context->code->describeSite(site) + ")")
                 .str());
  while (true)
    wait(ThreadState::Done, "");
}

void Block::setFault(Fault newFault, std::string text) {
  if (failed)
    return;
  failed = true;
  fault = newFault;
  message = std::move(text);
}

void Block::wake(Thread &thread) {
  thread.state = ThreadState::Ready;
  ++events;
}

uint32_t Thread::sees(uint32_t other) const {
  uint32_t clock =
      other / kWarpSize == warp() && other < block->warpClocks.size()
          ? block->warpClocks[other]
          : 0;
  if (seenEpoch != block->shared.getEpoch() || other >= seen.size())
    return clock;
  return std::max(clock, seen[other]);
}

/// Takes the greater clock of each thread.
static void join(std::vector<uint32_t> &into,
                 const std::vector<uint32_t> &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void Thread::acquire(const std::vector<uint32_t> &clocks) {
  fencedSinceAcquire = false;
  if (!block->shared.isTracked())
    return;
  if (seenEpoch != block->shared.getEpoch())
    seen.clear();
  seenEpoch = block->shared.getEpoch();
  join(seen, clocks);
}

void Thread::release(std::vector<uint32_t> &clocks) {
  if (!block->shared.isTracked())
    return;
  if (seenEpoch == block->shared.getEpoch())
    join(clocks, seen);
  if (clocks.size() <= index)
    clocks.resize(block->threads.size() + block->warpgroups.size());
  clocks[index] = std::max(clocks[index], clock);
  ++clock;
}

/// The meeting of `op` that the thread joins, made where there is none.
static Meeting &join(Thread &thread, const Op &op, uint32_t group,
                     uint32_t mask, unsigned place, Slot *in, Slot *out,
                     uint32_t expected) {
  Block &block = *thread.block;
  Meeting *meeting = nullptr;
  for (auto &open : block.meetings)
    if (open->op == &op && open->site == thread.site && open->group == group &&
        open->mask == mask) {
      meeting = open.get();
      break;
    }
  if (!meeting) {
    if (block.spareMeetings.empty())
      block.spareMeetings.push_back(std::make_unique<Meeting>());
    block.meetings.push_back(std::move(block.spareMeetings.back()));
    block.spareMeetings.pop_back();
    meeting = block.meetings.back().get();
    meeting->op = &op;
    meeting->site = thread.site;
    meeting->group = group;
    meeting->mask = mask;
    meeting->expected = expected;
    meeting->arrived = 0;
    meeting->places = std::max(expected, kWarpSize);
    std::fill_n(meeting->threads.begin(), meeting->places, nullptr);
  }
  meeting->threads[place] = &thread;
  meeting->in[place] = in;
  meeting->out[place] = out;
  ++meeting->arrived;
  return *meeting;
}

Meeting *mlir::titan::emulator::meetLanes(Thread &thread, const Op &op,
                                          uint32_t mask, Slot *in, Slot *out) {
  unsigned first = thread.warp() * kWarpSize;
  unsigned lanes = std::min<unsigned>(
      kWarpSize, unsigned(thread.block->threads.size()) - first);
  if (lanes < kWarpSize)
    mask &= (1u << lanes) - 1;
  if (!(mask >> thread.lane() & 1))
    thread.fail(Fault::WarpDivergence,
                "lane " + llvm::Twine(thread.lane()) + " runs '" + op.name +
                    "' with the mask 0x" + llvm::utohexstr(mask) +
                    ", which leaves it out");
  Meeting &meeting = join(thread, op, thread.warp(), mask, thread.lane(), in,
                          out, uint32_t(__builtin_popcount(mask)));
  if (meeting.arrived == meeting.expected)
    return &meeting;
  thread.wait(ThreadState::Waiting, "the other lanes of a warp operation");
  return nullptr;
}

Meeting *mlir::titan::emulator::meetWarpgroup(Thread &thread, const Op &op,
                                              Slot *in, Slot *out) {
  unsigned first = thread.warpgroup() * kWarpgroupSize;
  if (first + kWarpgroupSize > thread.block->threads.size())
    thread.fail(Fault::WarpDivergence,
                "'" + op.name + "' needs a warpgroup of 128 threads");
  Meeting &meeting = join(thread, op, thread.warpgroup(), ~0u,
                          thread.index - first, in, out, kWarpgroupSize);
  if (meeting.arrived == meeting.expected)
    return &meeting;
  thread.wait(ThreadState::Waiting, "the other threads of its warpgroup");
  return nullptr;
}

void mlir::titan::emulator::orderLanes(Meeting &meeting) {
  std::vector<uint32_t> clocks;
  for (Thread *lane : meeting.getThreads())
    if (lane)
      lane->release(clocks);
  for (Thread *lane : meeting.getThreads())
    if (lane) {
      bool fenced = lane->fencedSinceAcquire;
      lane->acquire(clocks);
      lane->fencedSinceAcquire = fenced;
    }
}

void mlir::titan::emulator::endMeeting(Meeting &meeting) {
  Block &block = *getCurrentThread().block;
  // Formally only bar.warp.sync orders memory; that lanes which met have done
  // what they met with is relied upon widely, and holds.
  if (meeting.mask == ~0u && meeting.expected == kWarpSize)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      Thread &thread = *meeting.threads[lane];
      block.warpClocks[thread.index] = thread.clock++;
    }
  else if (meeting.expected < kWarpSize)
    orderLanes(meeting);
  for (Thread *thread : meeting.getThreads())
    if (thread && thread->state == ThreadState::Waiting)
      block.wake(*thread);
  auto it = std::find_if(block.meetings.begin(), block.meetings.end(),
                         [&](auto &open) { return open.get() == &meeting; });
  block.spareMeetings.push_back(std::move(*it));
  block.meetings.erase(it);
}

/// An access outside of shared memory.
static void checkGlobal(Thread &thread, uint64_t address, uint32_t size,
                        uint32_t flags) {
  const GlobalMemory &memory = *thread.block->context->memory;
  const Buffer *buffer = thread.lastBuffer;
  if (!buffer || address < buffer->begin || address >= buffer->end)
    buffer = memory.find(address);
  bool writes = flags & kWrites;
  const char *what = writes ? "writes " : "reads ";
  if (!buffer || address + size > buffer->end) {
    const Buffer *nearest = buffer ? buffer : memory.findNearest(address);
    std::string where = "no buffer is registered";
    if (nearest) {
      bool below = address < nearest->begin;
      uint64_t distance =
          below ? nearest->begin - address : address + size - nearest->end;
      where = std::to_string(distance) + " bytes " +
              (below ? "before" : "past the end of") + " a buffer of " +
              std::to_string(nearest->end - nearest->begin) + " bytes";
    }
    thread.fail(Fault::OutOfBounds,
                what + llvm::Twine(size) + " bytes of global memory, " + where);
  }
  thread.lastBuffer = buffer;
  if (writes && buffer->access == Access::Read)
    thread.fail(Fault::ReadOnly, "writes " + llvm::Twine(size) +
                                     " bytes at offset " +
                                     llvm::Twine(address - buffer->begin));
  if (!buffer->written)
    return;
  uint8_t *written = buffer->written.get() + (address - buffer->begin);
  if (!writes || (flags & kAtomic))
    for (uint32_t i = 0; i < size; ++i)
      if (!written[i])
        thread.fail(Fault::Uninitialised,
                    "reads global memory at offset " +
                        llvm::Twine(address - buffer->begin + i) +
                        " of a buffer of " +
                        llvm::Twine(buffer->end - buffer->begin) +
                        " bytes, which nobody wrote");
  if (writes)
    std::fill_n(written, size, uint8_t(1));
}

void mlir::titan::emulator::checkAccess(Thread &thread, uint64_t address,
                                        uint32_t size, uint32_t alignment,
                                        uint32_t flags) {
  if (!thread.block->context->checkAccesses)
    return;
  if (address & (alignment - 1))
    thread.fail(Fault::Misaligned,
                (flags & kWrites ? "writes " : "reads ") + llvm::Twine(size) +
                    " bytes at 0x" + llvm::utohexstr(address) +
                    ", which is no multiple of " + llvm::Twine(alignment));
  if (thread.block->shared.contains(address)) {
    thread.block->shared.access(thread, address, size, flags);
    return;
  }
  // The thread's own stack holds its local memory.
  auto stack = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (address - (stack & ~(kStackBytes - 1)) < kStackBytes)
    return;
  checkGlobal(thread, address, size, flags);
}
