// The global memory that kernels may touch.
#ifndef TITAN_LIB_EMULATOR_GLOBALMEMORY_H
#define TITAN_LIB_EMULATOR_GLOBALMEMORY_H

#include "titan/Emulator/Emulator.h"
#include <map>
#include <memory>
#include <vector>

namespace mlir::titan::emulator {

/// A range that kernels may touch.
struct Buffer {
  uint64_t begin = 0, end = 0;
  Access access = Access::ReadWrite;
  /// One byte per byte, 1 once written; empty where reads need no write.
  std::unique_ptr<uint8_t[]> written;
};

/// The registered buffers, by address.
class GlobalMemory {
public:
  void add(void *data, uint64_t size, Access access, bool uninitialised);
  void remove(const void *data);
  void *allocate(uint64_t size, Access access, bool uninitialised);

  /// The buffer that holds `address`, or null.
  const Buffer *find(uint64_t address) const {
    auto next = buffers.upper_bound(address);
    if (next == buffers.begin())
      return nullptr;
    const Buffer &buffer = std::prev(next)->second;
    return address < buffer.end ? &buffer : nullptr;
  }
  /// The buffer nearest to an address that is in none, or null.
  const Buffer *findNearest(uint64_t address) const;

private:
  struct Freeing {
    void operator()(void *data) const;
  };
  std::map<uint64_t, Buffer> buffers;
  std::vector<std::unique_ptr<void, Freeing>> owned;
};

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_GLOBALMEMORY_H
