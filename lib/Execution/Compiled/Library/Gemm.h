// Products of f32 matrices by oneDNN.
#ifndef TITAN_LIB_EXECUTION_COMPILED_LIBRARY_GEMM_H
#define TITAN_LIB_EXECUTION_COMPILED_LIBRARY_GEMM_H

#include "titan/Execution/Tensor.h"

namespace mlir::titan {

/// A matrix in memory: rows, or columns where it is transposed, are contiguous
/// and \p stride elements apart.
struct Matrix {
  const float *data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t stride = 0;
  bool isTransposed = false;

  Matrix transposed() const {
    return {data, columns, rows, stride, !isTransposed};
  }
};

/// The matrix that the last two dimensions of \p tensor hold at \p offset
/// elements behind its first; none if neither rows nor columns are contiguous.
std::optional<Matrix> getMatrix(const Tensor &tensor, int64_t offset = 0);

/// c = alpha a b + beta c, where c has a.rows rows of b.columns elements,
/// \p stride apart. A beta of zero does not read c. Sums run in f32, in an
/// order that sizes, layouts and the number of threads decide.
void multiply(const Matrix &a, const Matrix &b, float alpha, float beta,
              float *c, int64_t stride);

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_COMPILED_LIBRARY_GEMM_H
