// Runs the blocks of a grid: fibers take turns in the order of the schedule,
// asynchronous copies land when nothing else can go on (or at random moments),
// and when nothing at all can, that is a deadlock.
#include "ModuleCode.h"
#include "llvm/ADT/ScopeExit.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

using namespace mlir::titan::emulator;

/// Rounds in which threads poll in vain before that is a deadlock.
static constexpr unsigned kVainRounds = 64;

namespace {

/// Stacks of a block's threads, mapped once per worker.
class Stacks {
public:
  explicit Stacks(size_t count) : bytes((count + 1) * kStackBytes) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  Stacks(const Stacks &) = delete;
  ~Stacks() {
    if (isValid())
      munmap(memory, bytes);
  }
  bool isValid() const { return memory != MAP_FAILED; }
  char *get(size_t index) const {
    auto begin = reinterpret_cast<uint64_t>(memory);
    begin = (begin + kStackBytes - 1) & ~(kStackBytes - 1);
    return reinterpret_cast<char *>(begin + index * kStackBytes);
  }

private:
  size_t bytes;
  void *memory;
};

/// One operating system thread's share of a launch.
class Worker {
public:
  Worker(LaunchContext &context, const Stacks &stacks)
      : context(context), stacks(stacks) {
    block.context = &context;
  }
  bool map() { return block.shared.map(); }
  /// Runs one block; false if it failed.
  bool run(uint64_t number);
  Block block;

private:
  void prepare(uint64_t number);
  void prepareThread(Thread &thread, uint32_t index, const uint32_t *ctaid);
  bool runRound(bool all);
  bool landCopy();
  void reportDeadlock();

  LaunchContext &context;
  const Stacks &stacks;
  std::vector<uint32_t> order;
};

} // namespace

/// The body of a fiber.
static void runThread(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  Block &block = *thread->block;
  block.context->entry(block.context->launch->arguments.data());
  thread->site = 0;
  finishThread(*thread);
  --block.live;
  ++block.events;
  // Bar.sync without a count waits for the threads that still run.
  checkBarriers(block);
  while (true)
    thread->wait(ThreadState::Done, "");
}

void Worker::prepareThread(Thread &thread, uint32_t index,
                           const uint32_t *ctaid) {
  const Launch &launch = *context.launch;
  thread.block = &block;
  thread.index = index;
  SpecialRegisters &r = thread.registers;
  auto set = [](uint32_t *to, uint32_t x, uint32_t y, uint32_t z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
  };
  const Extent &b = launch.block;
  set(r.tid, index % b.x, index / b.x % b.y, index / (b.x * b.y));
  set(r.ntid, b.x, b.y, b.z);
  set(r.ctaid, ctaid[0], ctaid[1], ctaid[2]);
  set(r.nctaid, launch.grid.x, launch.grid.y, launch.grid.z);
  r.lane = index % kWarpSize;
  r.warp = index / kWarpSize;
  r.warps = uint32_t((b.volume() + kWarpSize - 1) / kWarpSize);
  r.sharedBytes = uint32_t(block.shared.getBytes());
  r.dynamicSharedBytes = launch.dynamicSharedBytes;
  r.lanesEqual = 1u << r.lane;
  r.lanesLess = r.lanesEqual - 1;
  r.lanesLessEqual = r.lanesLess | r.lanesEqual;
  r.lanesGreater = ~r.lanesLessEqual;
  r.lanesGreaterEqual = ~r.lanesLess;
  r.one = 1;
  r.zero = 0;
  r.warpSize = kWarpSize;
  r.fuel = context.options.maxIterations;
  r.shared = block.shared.getBase();
  thread.fiber.start(stacks.get(index), kStackBytes, runThread, &thread);
}

void Worker::prepare(uint64_t number) {
  const Launch &launch = *context.launch;
  auto count = uint32_t(launch.block.volume());
  block.number = number;
  block.threads = std::vector<Thread>(count);
  block.live = count;
  block.meetings.clear();
  block.barriers = {};
  block.mbarriers.clear();
  block.bulkCopies.clear();
  block.warpgroups = std::vector<Warpgroup>(count / kWarpgroupSize);
  block.warpRegisters.assign((count + kWarpSize - 1) / kWarpSize, 0);
  block.warpClocks.assign(count, 0);
  block.events = 1;
  block.random.seed(context.options.seed * 0x9e3779b97f4a7c15ull + number);
  block.shared.reset(context.code->staticSharedBytes +
                         launch.dynamicSharedBytes,
                     context.checkAccesses);
  uint32_t ctaid[3] = {
      uint32_t(number % launch.grid.x),
      uint32_t(number / launch.grid.x % launch.grid.y),
      uint32_t(number / (uint64_t(launch.grid.x) * launch.grid.y))};
  for (uint32_t i = 0; i < count; ++i)
    prepareThread(block.threads[i], i, ctaid);
  order.resize(count);
  std::iota(order.begin(), order.end(), 0);
  if (context.options.schedule == Schedule::Descending)
    std::reverse(order.begin(), order.end());
}

/// Lets each thread that can go on do so once. Polling threads can when
/// something happened since they looked, or when `all` says so.
bool Worker::runRound(bool all) {
  bool random = context.options.schedule == Schedule::Random;
  if (random)
    std::shuffle(order.begin(), order.end(), block.random);
  bool ran = false;
  for (uint32_t index : order) {
    Thread &thread = block.threads[index];
    bool ready = thread.state == ThreadState::Ready ||
                 (thread.state == ThreadState::Polling &&
                  (all || thread.polledAt != block.events));
    if (!ready)
      continue;
    ran = true;
    thread.state = ThreadState::Ready;
    setCurrentThread(&thread);
    block.scheduler.switchTo(thread.fiber);
    setCurrentThread(nullptr);
    if (block.failed)
      return false;
    if (random && !block.bulkCopies.empty() && block.random() % 16 == 0)
      landCopy();
  }
  return ran;
}

bool Worker::landCopy() {
  if (block.bulkCopies.empty())
    return false;
  size_t which = 0;
  if (context.options.schedule == Schedule::Descending)
    which = block.bulkCopies.size() - 1;
  if (context.options.schedule == Schedule::Random)
    which = block.random() % block.bulkCopies.size();
  std::shared_ptr<BulkCopy> copy = block.bulkCopies[which];
  block.bulkCopies.erase(block.bulkCopies.begin() + ptrdiff_t(which));
  if (!copy->landed) {
    copy->landed = true;
    copy->land();
  }
  ++block.events;
  return true;
}

/// One line per warp and place: where its threads are, and what for.
void Worker::reportDeadlock() {
  struct Group {
    uint32_t warp, count;
    const Thread *first;
  };
  std::vector<Group> groups;
  uint32_t exited = 0;
  bool atBarrier = false;
  for (const Thread &thread : block.threads) {
    if (thread.state == ThreadState::Done) {
      ++exited;
      continue;
    }
    atBarrier |= llvm::StringRef(thread.waitsFor).starts_with("barrier");
    auto same = std::find_if(groups.begin(), groups.end(), [&](Group &group) {
      return group.warp == thread.warp() && group.first->site == thread.site &&
             group.first->waitsFor == thread.waitsFor;
    });
    if (same == groups.end())
      groups.push_back({thread.warp(), 1, &thread});
    else
      ++same->count;
  }
  std::string text = "no thread can go on (kernel '" + context.kernel +
                     "', block " + std::to_string(block.number) +
                     "): " + std::to_string(exited) + " of " +
                     std::to_string(block.threads.size()) + " threads exited";
  for (const Group &group : groups)
    text += "; warp " + std::to_string(group.warp) + ": " +
            std::to_string(group.count) + " threads wait for " +
            group.first->waitsFor + " at " +
            context.code->describeSite(group.first->site);
  block.setFault(atBarrier && (exited || groups.size() > 1)
                     ? Fault::BarrierDivergence
                     : Fault::Deadlock,
                 text);
}

bool Worker::run(uint64_t number) {
  prepare(number);
  unsigned vain = 0;
  while (block.live && !block.failed) {
    uint64_t events = block.events;
    bool ran = runRound(/*all=*/false);
    if (block.failed)
      break;
    if (ran && block.events != events) {
      vain = 0;
      continue;
    }
    if (ran && vain < kVainRounds) {
      ++vain;
      continue;
    }
    if (landCopy()) {
      vain = 0;
      continue;
    }
    if (++vain > 2 * kVainRounds || !runRound(/*all=*/true)) {
      if (!block.failed)
        reportDeadlock();
      break;
    }
  }
  return !block.failed;
}

llvm::Expected<LaunchStatistics>
mlir::titan::emulator::runGrid(LaunchContext &context, const Kernel &kernel) {
  uint64_t blocks = context.launch->grid.volume();
  unsigned workers = std::max(1u, context.options.workers);
  if (kernel.ordered)
    workers = 1;
  workers = unsigned(std::min<uint64_t>(workers, blocks));
  struct Result {
    uint64_t number = UINT64_MAX;
    Fault fault = Fault::Trap;
    std::string message;
  };
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::vector<Result> results(workers);
  std::vector<LaunchStatistics> statistics(workers);
  auto work = [&](unsigned index) {
    Stacks stacks(context.launch->block.volume());
    Worker worker(context, stacks);
    if (!stacks.isValid() || !worker.map()) {
      results[index] = {0, Fault::BadLaunch, "cannot map a block's memory"};
      stop = true;
      return;
    }
#if defined(__SSE__)
    unsigned control = _mm_getcsr();
    llvm::scope_exit restore([=] { _mm_setcsr(control); });
    if (context.flushDenormals)
      _mm_setcsr(control | 0x8040);
#endif
    // Blocks are taken in order, and one that was taken runs to its end, so
    // that the first failing block is the same however many workers there are.
    for (uint64_t number; !stop && (number = next++) < blocks;)
      if (!worker.run(number)) {
        results[index] = {number, worker.block.fault, worker.block.message};
        stop = true;
      }
    statistics[index] = std::move(worker.block.statistics);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i)
    threads.emplace_back(work, i);
  work(0);
  for (std::thread &thread : threads)
    thread.join();
  auto first =
      std::min_element(results.begin(), results.end(),
                       [](auto &a, auto &b) { return a.number < b.number; });
  if (first->number != UINT64_MAX)
    return llvm::make_error<KernelFault>(first->fault, first->message);
  LaunchStatistics sum;
  for (LaunchStatistics &one : statistics) {
    sum.switches += one.switches;
    sum.output += one.output;
  }
  return sum;
}
