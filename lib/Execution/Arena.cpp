// Blocks come from the system in a few sizes, so that a freed one fits the next
// request of about its size: eight sizes between a power of two and the next.
#include "titan/Execution/Arena.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir::titan;

// The size of the block that serves a request of \p bytes.
static int64_t roundToClass(int64_t bytes) {
  auto wanted = static_cast<uint64_t>(std::max(bytes, Arena::kAlignment));
  uint64_t step = std::max<uint64_t>(llvm::bit_floor(wanted) / 8,
                                     static_cast<uint64_t>(Arena::kAlignment));
  return static_cast<int64_t>(llvm::alignTo(wanted, step));
}

// A large block lies in huge pages where the system has them: the first touch
// of each page costs as much as writing a good part of it.
static char *takeFromSystem(int64_t size) {
  constexpr int64_t kHugePage = int64_t{2} << 20;
  bool isLarge = size >= 2 * kHugePage;
  void *block =
      std::aligned_alloc(isLarge ? kHugePage : Arena::kAlignment,
                         isLarge ? llvm::alignTo(size, kHugePage) : size);
#ifdef MADV_HUGEPAGE
  if (block && isLarge)
    (void)madvise(block, size, MADV_HUGEPAGE);
#endif
  return static_cast<char *>(block);
}

Arena::~Arena() { giveBack(cachedBytes); }

// Gives blocks that wait back to the system, the longest unused first, until
// they are \p bytes or more.
void Arena::giveBack(int64_t bytes) {
  for (int64_t given = 0; given < bytes && !waiting.empty();) {
    auto [size, block] = waiting.front();
    std::vector<Waiting::iterator> &same = cache[size];
    // The oldest of its size stands first: blocks are taken from the end.
    same.erase(same.begin());
    waiting.pop_front();
    std::free(block);
    cachedBytes -= size;
    given += size;
  }
}

char *Arena::allocate(int64_t bytes) {
  blockBytes += bytes;
  peakBlockBytes = std::max(peakBlockBytes, blockBytes);
  int64_t size = roundToClass(bytes);
  if (auto it = cache.find(size); it != cache.end() && !it->second.empty()) {
    char *block = it->second.back()->second;
    waiting.erase(it->second.back());
    it->second.pop_back();
    cachedBytes -= size;
    return block;
  }
  // What is kept for later must not add to what is needed now.
  giveBack(cachedBytes - (peakBlockBytes - blockBytes));
  char *block = takeFromSystem(size);
  if (!block) {
    giveBack(cachedBytes);
    block = takeFromSystem(size);
  }
  if (!block)
    llvm::report_bad_alloc_error("out of memory for tensors");
  return block;
}

void Arena::release(char *block, int64_t bytes) {
  blockBytes -= bytes;
  int64_t size = roundToClass(bytes);
  cache[size].push_back(waiting.insert(waiting.end(), {size, block}));
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
