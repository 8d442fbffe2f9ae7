// oneDNN divides its work by GCC's OpenMP runtime. Its entry points are called
// directly, because a compiler's own OpenMP would bring its own runtime along,
// and two pools of threads that each take every core are slower than one.
#include "titan/Execution/Threads.h"

#include <algorithm>
#include <dlfcn.h>

using namespace mlir;

namespace {

/// What is used of the interface that libgomp keeps stable. Found in the
/// process rather than linked: whatever oneDNN was given is what is wanted.
struct OpenMP {
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
  int (*getMaxThreads)() = nullptr;
  int (*getNumThreads)() = nullptr;
  int (*getThread)() = nullptr;
  int (*isInParallel)() = nullptr;
  void (*setNumThreads)(int) = nullptr;

  OpenMP() {
    find(parallel, "GOMP_parallel");
    find(getMaxThreads, "omp_get_max_threads");
    find(getNumThreads, "omp_get_num_threads");
    find(getThread, "omp_get_thread_num");
    find(isInParallel, "omp_in_parallel");
    find(setNumThreads, "omp_set_num_threads");
  }
  explicit operator bool() const {
    return parallel && getMaxThreads && getNumThreads && getThread &&
           isInParallel && setNumThreads;
  }

private:
  template <typename Function>
  static void find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

struct Division {
  int64_t count, grain;
  llvm::function_ref<void(int64_t, int64_t)> body;
};
} // namespace

// Without OpenMP everything stays in the thread that asks.
static const OpenMP &getOpenMP() {
  static const OpenMP openMP;
  return openMP;
}

static void runPart(void *data) {
  const auto &division = *static_cast<const Division *>(data);
  int64_t threads = getOpenMP().getNumThreads();
  int64_t thread = getOpenMP().getThread();
  int64_t grains = (division.count + division.grain - 1) / division.grain;
  int64_t begin = grains * thread / threads * division.grain;
  int64_t end = std::min(grains * (thread + 1) / threads * division.grain,
                         division.count);
  if (begin < end)
    division.body(begin, end);
}

void titan::setNumThreads(int64_t count) {
  if (const OpenMP &openMP = getOpenMP())
    openMP.setNumThreads(
        static_cast<int>(std::clamp<int64_t>(count, 1, 1 << 16)));
}

int64_t titan::getNumThreads() {
  return getOpenMP() ? getOpenMP().getMaxThreads() : 1;
}

void titan::parallelFor(int64_t count, int64_t grain,
                        llvm::function_ref<void(int64_t, int64_t)> body) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  int64_t threads =
      std::min<int64_t>(getNumThreads(), (count + grain - 1) / grain);
  if (threads <= 1 || getOpenMP().isInParallel())
    return body(0, count);
  Division division{count, grain, body};
  getOpenMP().parallel(runPart, &division, static_cast<unsigned>(threads), 0);
}
