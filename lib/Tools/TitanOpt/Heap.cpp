#include "Heap.h"

#if defined(__linux__)
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__linux__) && defined(__GLIBC__) && defined(MADV_HUGEPAGE)

// What a graph of ten thousand ops takes; a larger one takes more such steps.
static constexpr int kStep = 32 << 20;

void mlir::titan::prepareHeap() {
  // glibc's own adaptation of the two thresholds stops at these values; to set
  // one of them switches it off.
  mallopt(M_TOP_PAD, kStep);
  mallopt(M_TRIM_THRESHOLD, 2 * kStep);
  mallopt(M_MMAP_THRESHOLD, kStep);
  // The heap ends where the break stands, after an allocation that moved it.
  auto *before = static_cast<char *>(sbrk(0));
  void *volatile block = std::malloc(kStep / 64);
  std::free(block);
  auto *after = static_cast<char *>(sbrk(0));
  if (after <= before)
    return;
  // Whole pages only, which the start of the heap need not be.
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t start = reinterpret_cast<uintptr_t>(before) & ~(page - 1);
  madvise(reinterpret_cast<void *>(start),
          after - reinterpret_cast<char *>(start), MADV_HUGEPAGE);
}

#else

void mlir::titan::prepareHeap() {}

#endif
