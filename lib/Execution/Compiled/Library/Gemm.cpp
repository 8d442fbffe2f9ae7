#include "Gemm.h"

#include <dnnl.h>

using namespace mlir;
using namespace mlir::titan;

std::optional<Matrix> titan::getMatrix(const Tensor &tensor, int64_t offset) {
  int64_t rank = tensor.getRank();
  if (rank < 2 || tensor.getDType() != DType::F32)
    return std::nullopt;
  int64_t rows = tensor.getDim(-2), columns = tensor.getDim(-1);
  int64_t rowStride = tensor.getStrides()[rank - 2];
  int64_t columnStride = tensor.getStrides()[rank - 1];
  const auto *data = reinterpret_cast<const float *>(tensor.getData()) + offset;
  // A stride over one element says nothing.
  if ((columnStride == 1 || columns == 1) &&
      (rowStride >= columns || rows == 1))
    return Matrix{data, rows, columns, std::max(rowStride, columns), false};
  if ((rowStride == 1 || rows == 1) && (columnStride >= rows || columns == 1))
    return Matrix{data, rows, columns, std::max(columnStride, rows), true};
  return std::nullopt;
}

void titan::multiply(const Matrix &a, const Matrix &b, float alpha, float beta,
                     float *c, int64_t stride) {
  // oneDNN's products are of matrices that have elements.
  if (a.rows == 0 || b.columns == 0)
    return;
  if (a.columns == 0) {
    for (int64_t row = 0; row < a.rows; ++row)
      for (int64_t column = 0; column < b.columns; ++column) {
        float &element = c[row * stride + column];
        element = beta == 0 ? 0 : beta * element;
      }
    return;
  }
  (void)dnnl_sgemm(a.isTransposed ? 'T' : 'N', b.isTransposed ? 'T' : 'N',
                   a.rows, b.columns, a.columns, alpha, a.data, a.stride,
                   b.data, b.stride, beta, c, stride);
}
