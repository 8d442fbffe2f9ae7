// Convolutions of f32 tensors by oneDNN. Nothing of oneDNN shows here: its C++
// interface throws, which the rest of the compiler is not made for.
#ifndef TITAN_LIB_EXECUTION_COMPILED_ONEDNN_CONVOLUTION_H
#define TITAN_LIB_EXECUTION_COMPILED_ONEDNN_CONVOLUTION_H

#include <cstdint>
#include <vector>

namespace mlir::titan {

/// Sizes of one convolution over one to three dimensions of space, as PyTorch
/// gives them: input [batch, channels, space], weight [channels out, channels
/// in / groups, space], output [batch, channels out, space].
struct ConvolutionSizes {
  std::vector<int64_t> input, weight, output;
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
};

/// All tensors are contiguous. Each function returns whether oneDNN knows such
/// a convolution; if not, nothing was written.
/// @{
bool convolve(const ConvolutionSizes &sizes, const float *input,
              const float *weight, const float *bias, float *output);
bool convolveBackwardInput(const ConvolutionSizes &sizes, const float *grad,
                           const float *weight, float *gradInput);
bool convolveBackwardWeight(const ConvolutionSizes &sizes, const float *grad,
                            const float *input, float *gradWeight);
/// @}

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_COMPILED_ONEDNN_CONVOLUTION_H
