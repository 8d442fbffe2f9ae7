// Parts of tensors along one dimension, taken and put.
#ifndef TITAN_LIB_CONVERSION_ATENTOLINALG_SLICES_H
#define TITAN_LIB_CONVERSION_ATENTOLINALG_SLICES_H

#include "Lowering.h"

namespace mlir::titan {

/// The \p size positions of \p source from \p start on along \p dim, every
/// \p step-th. \p type has its shape, or loses \p dim where \p size is 1.
Value extractSlice(Lowering &l, Value source, RankedTensorType type,
                   int64_t dim, int64_t start, int64_t step, int64_t size);

/// \p whole with \p part at the positions from \p start on along \p dim, every
/// \p step-th. A part of one dimension less stands at one position.
Value insertSlice(Lowering &l, Value part, Value whole, int64_t dim,
                  int64_t start, int64_t step);

/// A tensor of the static shape of \p type, filled with zeros.
Value makeZeros(Lowering &l, RankedTensorType type);

} // namespace mlir::titan

#endif // TITAN_LIB_CONVERSION_ATENTOLINALG_SLICES_H
