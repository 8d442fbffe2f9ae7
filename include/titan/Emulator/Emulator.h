// Runs compiled GPU kernels on the CPU and says what is wrong with them.
#ifndef TITAN_EMULATOR_EMULATOR_H
#define TITAN_EMULATOR_EMULATOR_H

#include "titan/Emulator/Fault.h"
#include "titan/Emulator/TensorMap.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::titan::emulator {

/// The order in which the threads of a block get their turns. A correct kernel
/// gives the same results under each; one that lacks a barrier rarely does.
enum class Schedule { Ascending, Descending, Random };

/// Extent of a grid or a block, in blocks or threads.
struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t volume() const { return uint64_t(x) * y * z; }
};

/// What is fixed when a module is loaded.
struct LoadOptions {
  /// Checks every access to memory. Without it a kernel runs a few times faster
  /// and a wild access is the host's segmentation fault.
  bool checkAccesses = true;
};

/// How one launch runs.
struct LaunchOptions {
  Schedule schedule = Schedule::Ascending;
  /// Seeds the random schedule and the landing of asynchronous copies in it.
  uint64_t seed = 1;
  /// Operating system threads, which take whole blocks. A kernel that adds to
  /// global memory by floating-point atomics, reads what an atomic returns, or
  /// prints gets one, so that a launch always gives the same bits.
  unsigned workers = 1;
  /// Looks for races in shared memory. Needs `checkAccesses`.
  bool detectRaces = true;
  /// Loop iterations a thread may run before the launch fails as endless.
  uint64_t maxIterations = uint64_t(1) << 32;
};

/// A grid to run.
struct Launch {
  Extent grid, block;
  /// Blocks that form a cluster; only 1x1x1 is emulated.
  Extent cluster;
  /// Bytes of dynamic shared memory, the `.extern` array's length.
  uint32_t dynamicSharedBytes = 0;
  /// One address per kernel parameter, of the parameter's value, as
  /// cuLaunchKernel takes them. A parameter passed by value as a structure (a
  /// tensor map) is read in place.
  std::vector<const void *> arguments;
};

/// What a kernel may do with a buffer.
enum class Access { Read, ReadWrite };

/// Counts of one launch.
struct LaunchStatistics {
  /// Times a thread gave up its turn.
  uint64_t switches = 0;
  /// What the kernel printed.
  std::string output;
};

class ModuleCode;
class GlobalMemory;

/// A loaded module and the global memory its kernels may touch. Launches on one
/// emulator must not overlap; several emulators may run at once.
class Emulator {
public:
  /// Loads LLVM bitcode or assembly for an nvptx triple. Fails on malformed
  /// input, and on operations that the emulator does not know, naming all of
  /// them.
  static llvm::Expected<std::unique_ptr<Emulator>>
  create(llvm::MemoryBufferRef module, const LoadOptions &options = {});
  ~Emulator();

  /// Lets kernels touch `size` bytes at `data`, which the caller owns and keeps
  /// alive. With `uninitialised`, reading a byte that no kernel wrote is a
  /// fault. A buffer that overlaps an earlier one replaces it.
  void registerBuffer(void *data, uint64_t size,
                      Access access = Access::ReadWrite,
                      bool uninitialised = false);
  /// Takes the right to touch the buffer at `data` back.
  void unregisterBuffer(const void *data);
  /// A new zeroed buffer, 256-byte aligned as cudaMalloc's, with unregistered
  /// red zones around it. Lives as long as the emulator.
  void *allocate(uint64_t size, Access access = Access::ReadWrite,
                 bool uninitialised = false);

  /// The module's kernels, in its order.
  std::vector<std::string> getKernels() const;
  /// Bytes of static shared memory the kernel's module has, as placed.
  uint64_t getStaticSharedBytes() const;

  /// Runs a kernel to its end. A kernel's own fault is a `KernelFault`; a
  /// launch that does not fit (unknown kernel, too many threads, too much
  /// shared memory, wrong number of arguments) is one too.
  llvm::Expected<LaunchStatistics> launch(llvm::StringRef kernel,
                                          const Launch &launch,
                                          const LaunchOptions &options = {});

private:
  Emulator();
  std::unique_ptr<ModuleCode> code;
  std::unique_ptr<GlobalMemory> memory;
};

} // namespace mlir::titan::emulator

#endif // TITAN_EMULATOR_EMULATOR_H
