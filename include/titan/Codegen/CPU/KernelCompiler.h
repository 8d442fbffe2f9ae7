// Machine code for kernels, in the process that runs them.
#ifndef TITAN_CODEGEN_CPU_KERNELCOMPILER_H
#define TITAN_CODEGEN_CPU_KERNELCOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::titan {

/// A part of a kernel that can be divided among threads: its function does the
/// trips from `begin` to `end`, each exactly once, in any order and division.
struct KernelPhase {
  std::string name;
  int64_t trips = 0;
  /// A division starts at a multiple of this.
  int64_t grain = 1;
};

/// How a kernel is called: its phases, one after another. A phase is given a
/// pointer to contiguous memory for each argument (numbers too, of eight
/// bytes), each result and each scratch value of the kernel, in this order, and
/// one to an i64 of -1, which becomes the least number of an assertion that
/// does not hold, counted from one. What is written does not overlap anything
/// else.
struct KernelLoops {
  /// What must hold of the data, an index within its range for one; the rest of
  /// what the kernel wrote is of no use where it does not.
  struct Assertion {
    Location loc;
    std::string message;
  };

  std::vector<KernelPhase> phases;
  std::vector<Assertion> assertions;
  /// The size of each scratch value.
  std::vector<int64_t> scratchBytes;
};

/// Replaces the functions of \p kernels, which hold aten and prims ops that all
/// have a lowering to linalg, and static shapes, by functions of the LLVM
/// dialect, one a phase. The kernels that no loops could be planned for are
/// missing in the result.
FailureOr<llvm::StringMap<KernelLoops>> lowerKernels(ModuleOp kernels);

/// Kernels that can be called.
class CompiledKernels {
public:
  ~CompiledKernels();

  /// Compiles what lowerKernels made of \p kernels for the CPU that this
  /// process runs on. No contraction or reassociation of floating point ops:
  /// the numbers are those of the ops as written.
  static llvm::Expected<std::unique_ptr<CompiledKernels>>
  compile(ModuleOp kernels);

  /// The function of the phase called \p name; null if there is none.
  using Function = void (*)(void **buffers, int64_t begin, int64_t end);
  Function lookup(llvm::StringRef name) const;

private:
  struct Impl;
  explicit CompiledKernels(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::titan

#endif // TITAN_CODEGEN_CPU_KERNELCOMPILER_H
