// Registered buffers, and allocations with red zones around them.
#include "GlobalMemory.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace mlir::titan::emulator;

static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kRedZone = 4096;

void GlobalMemory::Freeing::operator()(void *data) const { std::free(data); }

void GlobalMemory::add(void *data, uint64_t size, Access access,
                       bool uninitialised) {
  auto begin = reinterpret_cast<uint64_t>(data);
  uint64_t end = begin + size;
  if (size == 0)
    return;
  auto overlapped = buffers.lower_bound(begin);
  if (overlapped != buffers.begin() &&
      std::prev(overlapped)->second.end > begin)
    --overlapped;
  while (overlapped != buffers.end() && overlapped->first < end)
    overlapped = buffers.erase(overlapped);
  Buffer &buffer = buffers[begin];
  buffer.begin = begin;
  buffer.end = end;
  buffer.access = access;
  if (uninitialised)
    buffer.written = std::make_unique<uint8_t[]>(size);
}

void GlobalMemory::remove(const void *data) {
  buffers.erase(reinterpret_cast<uint64_t>(data));
}

void *GlobalMemory::allocate(uint64_t size, Access access, bool uninitialised) {
  uint64_t total =
      llvm::alignTo(size, kAlignment) + 2 * llvm::alignTo(kRedZone, kAlignment);
  void *memory = std::aligned_alloc(kAlignment, total);
  if (!memory)
    return nullptr;
  owned.emplace_back(memory);
  std::memset(memory, 0, total);
  void *data = static_cast<char *>(memory) + kRedZone;
  add(data, size, access, uninitialised);
  return data;
}

const Buffer *GlobalMemory::findNearest(uint64_t address) const {
  auto next = buffers.upper_bound(address);
  const Buffer *nearest = nullptr;
  uint64_t distance = UINT64_MAX;
  if (next != buffers.begin()) {
    const Buffer &below = std::prev(next)->second;
    distance = address - below.end;
    nearest = &below;
  }
  if (next != buffers.end() && next->first - address < distance)
    nearest = &next->second;
  return nearest;
}
