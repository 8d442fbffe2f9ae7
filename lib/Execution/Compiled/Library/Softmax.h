// The softmax of rows in f32, and its derivative.
#ifndef TITAN_LIB_EXECUTION_COMPILED_LIBRARY_SOFTMAX_H
#define TITAN_LIB_EXECUTION_COMPILED_LIBRARY_SOFTMAX_H

#include <cstdint>

namespace mlir::titan {

/// Turns \p row, of \p count scores, into probabilities and returns the log of
/// the sum of the exponentials. Scores that are all minus infinity, or none,
/// give zeros and minus infinity; a NaN among them gives NaNs.
double applySoftmax(float *row, int64_t count);

/// Turns \p grad, the gradient of probabilities \p weights, into that of the
/// scores.
void applySoftmaxBackward(const float *weights, float *grad, int64_t count);

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_COMPILED_LIBRARY_SOFTMAX_H
