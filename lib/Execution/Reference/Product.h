// The one matrix product of the reference engine.
#ifndef TITAN_LIB_EXECUTION_REFERENCE_PRODUCT_H
#define TITAN_LIB_EXECUTION_REFERENCE_PRODUCT_H

#include "titan/Execution/Kernel.h"

namespace mlir::titan {

/// Adds the product of \p a (m x k) and \p b (k x n), both contiguous, to \p c
/// (m x n). Each element is summed in the order of k.
template <typename T>
void addProduct(const T *a, const T *b, T *c, int64_t m, int64_t k, int64_t n) {
  for (int64_t row = 0; row < m; ++row)
    for (int64_t i = 0; i < k; ++i) {
      T factor = a[row * k + i];
      const T *from = b + i * n;
      T *to = c + row * n;
      for (int64_t column = 0; column < n; ++column)
        to[column] += factor * from[column];
    }
}

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_REFERENCE_PRODUCT_H
