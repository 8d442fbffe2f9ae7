// What is known of each two bytes of shared memory, and the faults that follow
// from it: reads of what nobody wrote, races, and bytes of unfinished copies.
//
// Races are found by happens-before. A barrier of the whole block starts a new
// epoch, which orders everything before it and makes the clocks of older
// accesses void; finer synchronisation (mbarriers, named barriers, bar.warp)
// passes vectors of clocks on (see Thread::acquire and release).
#include "SharedMemory.h"
#include "Machine.h"
#include <cstring>
#include <sys/mman.h>

using namespace mlir::titan::emulator;

SharedMemory::~SharedMemory() {
  if (base)
    munmap(base, kArenaBytes);
}

bool SharedMemory::map() {
  if (base)
    return true;
#ifdef MAP_32BIT
  constexpr int low = MAP_32BIT;
#else
  constexpr int low = 0;
#endif
  void *memory = mmap(nullptr, 2 * kArenaBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  auto begin = reinterpret_cast<uint64_t>(memory);
  uint64_t aligned = (begin + kArenaBytes - 1) & ~(kArenaBytes - 1);
  if (aligned != begin)
    munmap(memory, aligned - begin);
  munmap(reinterpret_cast<void *>(aligned + kArenaBytes),
         begin + kArenaBytes - aligned);
  base = reinterpret_cast<char *>(aligned);
  return aligned + kArenaBytes <= (uint64_t(1) << 32);
}

void SharedMemory::reset(uint64_t newBytes, bool newTrack) {
  bytes = newBytes;
  track = newTrack;
  firstEpoch = ++epoch;
  std::memset(base, 0xff, bytes);
  if (track && cells.size() < (bytes + 1) / 2)
    cells.resize((bytes + 1) / 2);
}

/// Whether what `who` did at `clock` in the running epoch comes before what
/// `thread` does now.
static bool isOrdered(const Thread &thread, uint32_t who, uint32_t clock) {
  return who == thread.index || thread.sees(who) >= clock;
}

/// Lanes of a warp that store to one place by one instruction are no race: one
/// of them wins.
static bool isSameInstruction(const Thread &thread, uint32_t who,
                              uint32_t site) {
  return who / kWarpSize == thread.warp() && site == thread.site;
}

static std::string getName(const Thread &thread, uint32_t who) {
  auto threads = uint32_t(thread.block->threads.size());
  if (who >= threads)
    return "warpgroup " + std::to_string(who - threads);
  return "thread " + std::to_string(who);
}

void SharedMemory::checkRead(Thread &thread, const Cell &cell, uint8_t mask,
                             uint32_t flags, uint64_t address) {
  std::string offset =
      std::to_string(address - reinterpret_cast<uint64_t>(base));
  if (cell.pending)
    thread.fail(Fault::PendingCopy,
                "reads shared memory at offset " + offset +
                    " that an asynchronous copy still writes; wait for it");
  if (cell.writeEpoch < firstEpoch || (cell.valid & mask) != mask)
    thread.fail(Fault::Uninitialised, "reads shared memory at offset " +
                                          offset + " that nobody wrote");
  if (!thread.block->context->options.detectRaces)
    return;
  bool relaxed = (flags & kAtomic) && cell.atomic;
  if (cell.writeEpoch == epoch && (cell.writeMask & mask) && !relaxed &&
      !cell.mixed && !isOrdered(thread, cell.writer, cell.writeClock))
    thread.fail(Fault::Race, "reads shared memory at offset " + offset +
                                 " that " + getName(thread, cell.writer) +
                                 " wrote with no barrier in between");
  if (!(flags & kAsync) || cell.async)
    return;
  // The write counts as fenced by its writer's later fence, or by one of the
  // reader since it learnt of the write.
  if (thread.fencedSinceAcquire || cell.writer >= thread.block->threads.size())
    return;
  const Thread &writer = thread.block->threads[cell.writer];
  bool fenced = writer.proxyFenceEpoch >= cell.writeEpoch &&
                writer.proxyFenceClock >= cell.writeClock;
  if (!fenced)
    thread.fail(Fault::MissingProxyFence,
                "the async proxy reads shared memory at offset " + offset +
                    " that thread " + std::to_string(cell.writer) +
                    " wrote by an ordinary store, with no "
                    "'fence.proxy.async' after it");
}

void SharedMemory::checkCell(Thread &thread, Cell &cell, uint8_t mask,
                             uint32_t flags, uint64_t address) {
  if (!(flags & kWrites) || (flags & kAtomic))
    checkRead(thread, cell, mask, flags, address);
  bool races = thread.block->context->options.detectRaces;
  // The async proxy's reads are recorded when they end.
  if ((flags & (kWrites | kAsync)) == kAsync)
    return;
  if (!(flags & kWrites)) {
    if (cell.readEpoch != epoch) {
      cell.readEpoch = epoch;
      cell.readClock[0] = cell.readClock[1] = 0;
    }
    if (cell.readClock[0] && cell.reader[0] != thread.index) {
      cell.reader[1] = cell.reader[0];
      cell.readClock[1] = cell.readClock[0];
    }
    cell.reader[0] = uint16_t(thread.index);
    cell.readClock[0] = thread.clock;
    return;
  }
  auto offset = [&] {
    return std::to_string(address - reinterpret_cast<uint64_t>(base));
  };
  if (cell.pending && cell.writeEpoch >= firstEpoch)
    thread.fail(Fault::PendingCopy,
                "writes shared memory at offset " + offset() +
                    " that an asynchronous copy still writes; wait for it");
  if (cell.beingRead && cell.readEpoch >= firstEpoch)
    thread.fail(Fault::PendingCopy,
                "writes shared memory at offset " + offset() +
                    " that an asynchronous operation still reads; wait for it");
  if (races) {
    bool relaxed = (flags & kAtomic) && cell.atomic;
    if (cell.writeEpoch == epoch && (cell.writeMask & mask) && !cell.mixed &&
        !relaxed && !isSameInstruction(thread, cell.writer, cell.writeSite) &&
        !isOrdered(thread, cell.writer, cell.writeClock))
      thread.fail(Fault::Race, "writes shared memory at offset " + offset() +
                                   " that " + getName(thread, cell.writer) +
                                   " wrote with no barrier in between");
    if (cell.readEpoch == epoch && !relaxed)
      for (int i : {0, 1})
        if (cell.readClock[i] &&
            !isOrdered(thread, cell.reader[i], cell.readClock[i]))
          thread.fail(Fault::Race, "writes shared memory at offset " +
                                       offset() + " that " +
                                       getName(thread, cell.reader[i]) +
                                       " reads with no barrier in between");
  }
  if (cell.writeEpoch < firstEpoch)
    cell.valid = 0;
  cell.valid |= mask;
  bool sameEpoch = cell.writeEpoch == epoch;
  cell.mixed = sameEpoch && (cell.mixed || cell.writer != thread.index) &&
               (cell.writeMask & ~mask);
  cell.writeMask = uint8_t(sameEpoch ? cell.writeMask | mask : mask);
  cell.writeEpoch = epoch;
  cell.writeClock = thread.clock;
  cell.writeSite = thread.site;
  cell.writer = uint16_t(thread.index);
  cell.atomic = flags & kAtomic;
  cell.async = flags & kAsync;
  cell.pending = false;
}

void SharedMemory::access(Thread &thread, uint64_t address, uint32_t size,
                          uint32_t flags) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(base);
  if (offset + size > bytes)
    thread.fail(Fault::SharedOutOfBounds,
                "touches " + std::to_string(size) +
                    " bytes of shared memory at offset " +
                    std::to_string(offset) + "; the block has " +
                    std::to_string(bytes));
  if (!track)
    return;
  for (uint64_t at = offset, end = offset + size; at < end;) {
    uint8_t mask = 3;
    if (at & 1)
      mask = 2;
    else if (at + 1 == end)
      mask = 1;
    checkCell(thread, cells[at / 2], mask, flags, address + (at - offset));
    at = (at | 1) + 1;
  }
}

void SharedMemory::setPending(uint64_t address, uint32_t size, bool pending) {
  if (!track)
    return;
  uint64_t offset = address - reinterpret_cast<uint64_t>(base);
  for (uint64_t at = offset / 2; at < (offset + size + 1) / 2; ++at)
    cells[at].pending = pending;
}

void SharedMemory::setBeingRead(uint64_t address, uint32_t size,
                                bool beingRead) {
  if (!track)
    return;
  uint64_t offset = address - reinterpret_cast<uint64_t>(base);
  for (uint64_t at = offset / 2; at < (offset + size + 1) / 2; ++at) {
    Cell &cell = cells[at];
    if (cell.readEpoch < firstEpoch)
      cell.beingRead = 0;
    cell.beingRead = uint8_t(cell.beingRead + (beingRead ? 1 : -1));
    if (cell.readEpoch < epoch) {
      cell.readEpoch = epoch;
      cell.readClock[0] = cell.readClock[1] = 0;
    }
  }
}

void SharedMemory::recordReads(uint64_t address, uint32_t size, uint32_t reader,
                               uint32_t clock) {
  if (!track)
    return;
  uint64_t offset = address - reinterpret_cast<uint64_t>(base);
  for (uint64_t at = offset / 2; at < (offset + size + 1) / 2; ++at) {
    Cell &cell = cells[at];
    cell.readEpoch = epoch;
    if (cell.reader[0] != reader) {
      cell.reader[1] = cell.reader[0];
      cell.readClock[1] = cell.readClock[0];
    }
    cell.reader[0] = uint16_t(reader);
    cell.readClock[0] = clock;
  }
}
