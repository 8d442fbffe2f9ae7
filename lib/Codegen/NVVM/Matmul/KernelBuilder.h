// Writes kernels in LLVM and NVVM dialect with little ado.
#ifndef TITAN_CODEGEN_NVVM_MATMUL_KERNELBUILDER_H
#define TITAN_CODEGEN_NVVM_MATMUL_KERNELBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::titan {

/// The arithmetic of a kernel's indices, 32 bits wide, and its accesses.
struct KernelBuilder {
  OpBuilder builder;
  Location location;

  KernelBuilder(Location location)
      : builder(location.getContext()), location(location) {}

  Value constant(int64_t value);
  Value add(Value left, Value right);
  Value mul(Value left, Value right);
  Value div(Value left, int64_t right);
  Value rem(Value left, int64_t right);
  Value bitXor(Value left, Value right);
  Value less(Value left, int64_t right);
  Value both(Value left, Value right);
  Value select(Value condition, Value yes, Value no);
  /// The address `index` elements of `type` after `base`; the index is
  /// unsigned and has 32 bits.
  Value address(Value base, Type type, Value index);
  Value load(Value base, Type type, Value index);
  void store(Value value, Value base, Type type, Value index);
  /// `value` as f32, and a number of type f32 as `type`.
  Value widen(Value value);
  Value narrow(Value value, Type type);
};

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_MATMUL_KERNELBUILDER_H
