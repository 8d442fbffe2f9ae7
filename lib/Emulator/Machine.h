// The state of the emulated multiprocessor: threads, their block, the
// operations in progress.
#ifndef TITAN_LIB_EMULATOR_MACHINE_H
#define TITAN_LIB_EMULATOR_MACHINE_H

#include "Fiber.h"
#include "GlobalMemory.h"
#include "SharedMemory.h"
#include "titan/Emulator/Emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace mlir::titan::emulator {

struct Block;
struct Op;
struct Thread;

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kWarpgroupSize = 128;
inline constexpr unsigned kNumBarriers = 16;

/// A register of any width up to 64 bits; narrower values are zero-extended.
using Slot = uint64_t;

/// Registers of one kernel's special registers, read by compiled code at fixed
/// offsets: the first member of `Thread`, all 32-bit.
struct SpecialRegisters {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t lane, warp, warps, sharedBytes, dynamicSharedBytes;
  uint32_t lanesEqual, lanesLess, lanesLessEqual, lanesGreater,
      lanesGreaterEqual;
  uint32_t one, zero, warpSize;
  /// Iterations of loops left.
  uint64_t fuel;
  /// Address of the block's shared memory.
  char *shared;
};

enum class ThreadState { Ready, Polling, Waiting, Done };

/// A copy by `cp.async`, not landed yet.
struct PendingCopy {
  uint64_t destination, source;
  uint32_t bytes, sourceBytes;
};

/// The registers that `wgmma` operations of one thread write.
struct AccumulatorRange {
  uint32_t generation = 0;
  /// Operations not yet waited for.
  uint32_t pending = 0;
  std::array<uint32_t, 128> value{};
};

struct BulkCopy;

/// A thread of a block.
struct Thread {
  SpecialRegisters registers;
  Block *block = nullptr;
  uint32_t index = 0;
  ThreadState state = ThreadState::Ready;
  Fiber fiber;
  /// The operation or access it is at, an index into the module's sites.
  uint32_t site = 0;
  /// Of inline PTX: what the last instruction with `.cc` carried.
  bool carry = false;
  /// What it waits for; a literal.
  const char *waitsFor = "";
  /// The block's event count when it last polled in vain.
  uint64_t polledAt = 0;

  /// Its copies by cp.async, and how many each committed group holds.
  std::vector<PendingCopy> copies;
  std::vector<uint32_t> copyGroups;
  uint32_t openCopies = 0;
  /// Bulk stores to global memory: open, then by committed group.
  std::vector<std::shared_ptr<BulkCopy>> openStores;
  std::vector<std::vector<std::shared_ptr<BulkCopy>>> storeGroups;

  /// Accumulators, made at the first wgmma.
  std::unique_ptr<std::array<AccumulatorRange, 16>> accumulators;
  uint32_t nextRange = 0;
  bool wgmmaFenced = false, wgmmaEverFenced = false;

  /// Happens-before: its own clock, and the clocks of others that it has seen
  /// in the epoch `seenEpoch`. Empty means none.
  uint32_t clock = 1;
  uint32_t seenEpoch = 0;
  std::vector<uint32_t> seen;
  /// Own clock at the last proxy fence, and whether one followed the last
  /// acquire.
  uint32_t proxyFenceClock = 0;
  uint32_t proxyFenceEpoch = 0;
  bool fencedSinceAcquire = false;
  const Buffer *lastBuffer = nullptr;

  /// Gives up the turn until another makes it ready.
  void wait(ThreadState next, const char *reason);
  /// Ends the block with a fault at the thread's site.
  [[noreturn]] void fail(Fault fault, const llvm::Twine &message);
  unsigned warp() const { return index / kWarpSize; }
  unsigned lane() const { return index % kWarpSize; }
  unsigned warpgroup() const { return index / kWarpgroupSize; }

  /// The clock of thread `other` that this thread has seen.
  uint32_t sees(uint32_t other) const;
  /// Learns what `clocks` holds.
  void acquire(const std::vector<uint32_t> &clocks);
  /// Adds what it has seen to `clocks` and starts a new clock.
  void release(std::vector<uint32_t> &clocks);
};

/// Threads that meet in one operation.
struct Meeting {
  const Op *op = nullptr;
  uint32_t site = 0;
  uint32_t group = 0;
  uint32_t mask = 0;
  uint32_t expected = 0, arrived = 0;
  /// Entries in use, by lane or by thread of the warpgroup.
  uint32_t places = 0;
  std::array<Thread *, kWarpgroupSize> threads{};
  std::array<Slot *, kWarpgroupSize> in{}, out{};

  llvm::ArrayRef<Thread *> getThreads() const {
    return {threads.data(), places};
  }
};

/// One of a block's named barriers.
struct NamedBarrier {
  uint32_t expected = 0;
  std::vector<Thread *> waiting;
  uint32_t arrived = 0;
  /// True predicates of bar.red, so far and when it last opened.
  uint32_t popcount = 0, completed = 0;
  std::vector<uint32_t> clocks;
};

/// The state of an mbarrier beside its word in shared memory.
struct Mbarrier {
  uint32_t count = 0, pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;
  /// What arrivals of the current phase, and of the completed one, released.
  std::vector<uint32_t> clocks, completed;
};

/// A copy by the bulk copy engine, not landed yet.
struct BulkCopy {
  /// Does the copy.
  std::function<void()> land;
  bool landed = false;
};

/// A wgmma, not executed yet.
struct WgmmaOperation {
  std::function<void()> run;
};

/// The wgmma state of a warpgroup.
struct Warpgroup {
  std::vector<WgmmaOperation> open;
  std::deque<std::vector<WgmmaOperation>> groups;
  uint32_t clock = 1;
};

/// What is common to the blocks of a launch, read only while it runs.
struct LaunchContext {
  const ModuleCode *code = nullptr;
  const GlobalMemory *memory = nullptr;
  std::string kernel;
  void (*entry)(const void *const *) = nullptr;
  const Launch *launch = nullptr;
  LaunchOptions options;
  bool checkAccesses = true;
  bool flushDenormals = false;
};

/// A block that runs. One per worker, used again for the next block.
struct Block {
  LaunchContext *context = nullptr;
  uint64_t number = 0;
  std::vector<Thread> threads;
  uint32_t live = 0;
  Fiber scheduler;
  SharedMemory shared;
  std::vector<std::unique_ptr<Meeting>> meetings, spareMeetings;
  std::array<NamedBarrier, kNumBarriers> barriers;
  std::map<uint64_t, Mbarrier> mbarriers;
  std::deque<std::shared_ptr<BulkCopy>> bulkCopies;
  std::vector<Warpgroup> warpgroups;
  /// Registers a warp may use after setmaxnreg; 0 before.
  std::vector<uint32_t> warpRegisters;
  /// Clock of each thread when its whole warp last met.
  std::vector<uint32_t> warpClocks;
  /// Counts what a polling thread may wait for.
  uint64_t events = 0;
  std::mt19937_64 random;
  bool failed = false;
  Fault fault = Fault::Trap;
  std::string message;
  LaunchStatistics statistics;

  /// Records the first fault.
  void setFault(Fault fault, std::string text);
  void wake(Thread &thread);
  /// The index of a warpgroup's own clock among the clocks of threads.
  uint32_t getWarpgroupClockIndex(uint32_t group) const {
    return uint32_t(threads.size()) + group;
  }
};

/// The thread that runs on this operating system thread.
Thread &getCurrentThread();
void setCurrentThread(Thread *thread);

/// Bytes of a thread's stack, which lies at a multiple of them.
inline constexpr uint64_t kStackBytes = uint64_t(64) << 10;

/// The most registers and shared memory a block may have (sm_80 to sm_100).
inline constexpr uint32_t kRegistersPerBlock = 65536;

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_MACHINE_H
