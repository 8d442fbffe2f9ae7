// Machine code for kernels, in the process that runs them.
#ifndef TITAN_CODEGEN_CPU_KERNELCOMPILER_H
#define TITAN_CODEGEN_CPU_KERNELCOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::titan {

/// Lowers the functions of \p kernels, which hold aten and prims ops that all
/// have a lowering to linalg, to the LLVM dialect. A function of n tensors with
/// m results becomes one of n + m pointers to contiguous memory, the results
/// last, none of which overlap. Scalars are passed by value.
LogicalResult lowerKernels(ModuleOp kernels);

/// Kernels that can be called.
class CompiledKernels {
public:
  ~CompiledKernels();

  /// Compiles what lowerKernels made of \p kernels for the CPU that this
  /// process runs on. No contraction or reassociation of floating point ops:
  /// the numbers are those of the ops as written.
  static llvm::Expected<std::unique_ptr<CompiledKernels>>
  compile(ModuleOp kernels);

  /// The function called \p name: takes an array of pointers to its arguments
  /// (a pointer to a pointer for each tensor). Null if there is none.
  using Function = void (*)(void **);
  Function lookup(llvm::StringRef name) const;

private:
  struct Impl;
  explicit CompiledKernels(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::titan

#endif // TITAN_CODEGEN_CPU_KERNELCOMPILER_H
