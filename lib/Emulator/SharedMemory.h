// The shared memory of a block and what is known of each of its bytes.
#ifndef TITAN_LIB_EMULATOR_SHAREDMEMORY_H
#define TITAN_LIB_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <vector>

namespace mlir::titan::emulator {

struct Thread;

/// How memory is accessed.
enum AccessFlags : uint32_t {
  kReads = 0,
  kWrites = 1,
  kAtomic = 2,
  /// By the async proxy: wgmma and bulk copies.
  kAsync = 4,
};

/// Shared memory, 256 KiB at a multiple of 256 KiB below 2 GiB: that is what
/// makes a 32-bit address in PTX and a 14-bit one in a descriptor work.
class SharedMemory {
public:
  static constexpr uint64_t kArenaBytes = 256 << 10;
  /// What an sm_90 block may use.
  static constexpr uint64_t kMaximumBytes = 227 << 10;

  SharedMemory() = default;
  SharedMemory(const SharedMemory &) = delete;
  ~SharedMemory();
  /// Maps the arena; false where there is no room.
  bool map();
  char *getBase() const { return base; }
  bool contains(uint64_t address) const {
    return address - reinterpret_cast<uint64_t>(base) < kArenaBytes;
  }
  /// Forgets the last block: poisons `bytes` with NaNs and starts an epoch.
  void reset(uint64_t bytes, bool track);
  uint64_t getBytes() const { return bytes; }
  bool isTracked() const { return track; }

  /// All threads of the block met at a barrier: what was before is ordered.
  void startEpoch() { ++epoch; }
  uint32_t getEpoch() const { return epoch; }

  /// Checks an access and remembers it; does not return if it is a fault.
  void access(Thread &thread, uint64_t address, uint32_t size, uint32_t flags);
  /// Marks bytes that a copy in progress will write (or has stopped to).
  void setPending(uint64_t address, uint32_t size, bool pending);
  /// The same for bytes that a copy in progress reads.
  void setBeingRead(uint64_t address, uint32_t size, bool beingRead);
  /// Records reads by the warpgroup whose clock has index `reader`.
  void recordReads(uint64_t address, uint32_t size, uint32_t reader,
                   uint32_t clock);

private:
  /// What is known of two bytes.
  struct Cell {
    uint32_t writeEpoch = 0, writeClock = 0, writeSite = 0;
    uint32_t readEpoch = 0;
    uint32_t readClock[2] = {0, 0};
    uint16_t writer = 0;
    uint16_t reader[2] = {0, 0};
    uint8_t valid = 0;
    /// Bytes of the last write.
    uint8_t writeMask = 0;
    bool pending = false;
    bool atomic = false;
    bool async = false;
    /// Copies that still read it.
    uint8_t beingRead = 0;
    /// Several threads wrote parts of it.
    bool mixed = false;
  };
  void checkCell(Thread &thread, Cell &cell, uint8_t mask, uint32_t flags,
                 uint64_t address);
  void checkRead(Thread &thread, const Cell &cell, uint8_t mask, uint32_t flags,
                 uint64_t address);

  char *base = nullptr;
  uint64_t bytes = 0;
  bool track = false;
  uint32_t epoch = 1;
  /// The first epoch of the running block; older cells are void.
  uint32_t firstEpoch = 1;
  std::vector<Cell> cells;
};

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_SHAREDMEMORY_H
