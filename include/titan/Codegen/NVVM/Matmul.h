// Matrix products as GPU kernels: what is asked for, and the kernel for it.
#ifndef TITAN_CODEGEN_NVVM_MATMUL_H
#define TITAN_CODEGEN_NVVM_MATMUL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>

namespace mlir::titan {

/// Element types that the kernels multiply and write.
enum class MatmulType { BFloat16, Float16, Float32 };

/// How an operand lies in memory. `left` is m by k and `right` k by n; the
/// second letter of a pair belongs to `right`. N: as said, rows contiguous; T:
/// the transpose of that.
enum class MatmulLayout { NN, NT, TN };

/// What is applied to each sum, after the bias and before the residual.
enum class MatmulActivation { None, Relu, Silu };

/// What happens to the f32 sums on their way to memory:
/// cast(activation(sum + bias[column]) + residual[row, column]).
struct MatmulEpilogue {
  /// A vector of n elements of the operands' type.
  bool bias = false;
  MatmulActivation activation = MatmulActivation::None;
  /// A matrix of the output's shape and of the operands' type.
  bool residual = false;
  MatmulType output = MatmulType::Float32;
};

/// One product with static sizes; every matrix is contiguous, and so are the
/// `batch` of them. Base addresses are multiples of 16 bytes.
struct MatmulProblem {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  /// Of both operands; sums are f32.
  MatmulType operands = MatmulType::BFloat16;
  MatmulLayout layout = MatmulLayout::NN;
  MatmulEpilogue epilogue;
};

/// How the work is divided: a block of 128 threads computes `rows` by `columns`
/// elements, with `stages` slices of k in shared memory at once.
struct MatmulTile {
  int64_t rows, columns, stages;
};

/// Threads of a block, and elements of k in a slice.
inline constexpr int64_t kMatmulThreads = 128;
inline constexpr int64_t kMatmulSlice = 64;

/// The tiles that `chooseMatmulTile` chooses among.
ArrayRef<MatmulTile> getMatmulTiles();

/// The tile for a problem: the largest one that the matrix fills.
MatmulTile chooseMatmulTile(const MatmulProblem &problem);

/// Dynamic shared memory that the kernel is launched with, in bytes.
int64_t getMatmulSharedBytes(const MatmulTile &tile);

/// Builds a module of LLVM and NVVM dialect with one kernel, `name`, for sm_80
/// and later: `cp.async` into swizzled shared memory, `ldmatrix`, `mma.sync`.
/// Its parameters are pointers: left, right, output, then bias and residual
/// where the problem has them. The grid is ceil(n / columns) by ceil(m / rows)
/// by batch. Fails, with an error at `location`, for f32 operands, for sizes
/// below one or from 2^31 elements a matrix on, and for a tile that is not in
/// the table.
FailureOr<OwningOpRef<ModuleOp>> buildMatmulKernel(Location location,
                                                   StringRef name,
                                                   const MatmulProblem &problem,
                                                   const MatmulTile &tile);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_MATMUL_H
