// Blocks come from the system in a few sizes, so that a freed one fits the next
// request of about its size: eight sizes between a power of two and the next.
#include "titan/Execution/Arena.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace mlir::titan;

// The size of the block that serves a request of \p bytes.
static int64_t roundToClass(int64_t bytes) {
  auto wanted = static_cast<uint64_t>(std::max(bytes, Arena::kAlignment));
  uint64_t step = std::max<uint64_t>(llvm::bit_floor(wanted) / 8,
                                     static_cast<uint64_t>(Arena::kAlignment));
  return static_cast<int64_t>(llvm::alignTo(wanted, step));
}

Arena::~Arena() { dropCache(); }

void Arena::dropCache() {
  for (auto &[size, blocks] : cache)
    for (char *block : blocks)
      std::free(block);
  cache.clear();
  cachedBytes = 0;
}

char *Arena::allocate(int64_t bytes) {
  blockBytes += bytes;
  peakBlockBytes = std::max(peakBlockBytes, blockBytes);
  int64_t size = roundToClass(bytes);
  if (auto it = cache.find(size); it != cache.end() && !it->second.empty()) {
    char *block = it->second.back();
    it->second.pop_back();
    cachedBytes -= size;
    return block;
  }
  // What is kept for later must not add to what is needed now.
  if (cachedBytes > peakBlockBytes - blockBytes)
    dropCache();
  void *block = std::aligned_alloc(kAlignment, size);
  if (!block) {
    dropCache();
    block = std::aligned_alloc(kAlignment, size);
  }
  if (!block)
    llvm::report_bad_alloc_error("out of memory for tensors");
  return static_cast<char *>(block);
}

void Arena::release(char *block, int64_t bytes) {
  blockBytes -= bytes;
  int64_t size = roundToClass(bytes);
  cache[size].push_back(block);
  cachedBytes += size;
}

void Arena::addValue(int64_t bytes) {
  valueBytes += bytes;
  peakValueBytes = std::max(peakValueBytes, valueBytes);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

// Tensors are made in hundreds of places that have nothing to do with memory;
// none of them would be clearer for naming the arena.
static std::shared_ptr<Arena> &getInnermost() {
  static thread_local std::shared_ptr<Arena> innermost;
  return innermost;
}

ArenaScope::ArenaScope(std::shared_ptr<Arena> arena)
    : previous(std::exchange(getInnermost(), std::move(arena))) {}

ArenaScope::~ArenaScope() { getInnermost() = std::move(previous); }

const std::shared_ptr<Arena> &ArenaScope::getCurrent() {
  return getInnermost();
}
