// Convolutions of f32 without transposition; the others are the reference
// kernel's.
#include "../OneDnn/Convolution.h"
#include "LibraryKernels.h"

using namespace mlir;
using namespace mlir::titan;

static const float *getFloats(const Tensor &tensor) {
  return reinterpret_cast<const float *>(tensor.getData());
}

static float *getFloats(Tensor &tensor) {
  return reinterpret_cast<float *>(tensor.getData());
}

static std::vector<int64_t> getList(Call &call, StringRef name, size_t count) {
  Shape given = call.integers(name);
  std::vector<int64_t> list(given.begin(), given.end());
  // One number stands for all dimensions.
  if (list.size() == 1)
    list.assign(count, list.front());
  return list;
}

static int64_t getOutputSize(int64_t input, int64_t window, int64_t stride,
                             int64_t padding, int64_t dilation) {
  return (input + 2 * padding - dilation * (window - 1) - 1) / stride + 1;
}

// The sizes, if they are those of a convolution that is known here.
static std::optional<ConvolutionSizes> getSizes(Call &call, const Tensor &input,
                                                const Tensor &weight) {
  int64_t rank = input.getRank();
  if (call.flag("transposed") || rank < 3 || rank > 5 ||
      weight.getRank() != rank || input.getDType() != DType::F32 ||
      weight.getDType() != DType::F32 || input.getNumElements() == 0 ||
      weight.getNumElements() == 0)
    return std::nullopt;
  ConvolutionSizes sizes;
  sizes.input.assign(input.getShape().begin(), input.getShape().end());
  sizes.weight.assign(weight.getShape().begin(), weight.getShape().end());
  sizes.stride = getList(call, "stride", rank - 2);
  sizes.padding = getList(call, "padding", rank - 2);
  sizes.dilation = getList(call, "dilation", rank - 2);
  sizes.groups = call.integer("groups", 1);
  for (const auto *list : {&sizes.stride, &sizes.padding, &sizes.dilation})
    if (static_cast<int64_t>(list->size()) != rank - 2)
      return std::nullopt;
  if (sizes.groups < 1 || weight.getDim(0) % sizes.groups ||
      input.getDim(1) != weight.getDim(1) * sizes.groups)
    return std::nullopt;
  sizes.output = {input.getDim(0), weight.getDim(0)};
  for (int64_t i = 0; i < rank - 2; ++i) {
    if (sizes.stride[i] < 1 || sizes.dilation[i] < 1 || sizes.padding[i] < 0)
      return std::nullopt;
    sizes.output.push_back(getOutputSize(input.getDim(i + 2),
                                         weight.getDim(i + 2), sizes.stride[i],
                                         sizes.padding[i], sizes.dilation[i]));
    if (sizes.output.back() < 1)
      return std::nullopt;
  }
  return sizes;
}

static std::optional<LogicalResult> computeConvolution(Call &call) {
  const auto *input = call.get("input").getIf<Tensor>();
  const auto *weight = call.get("weight").getIf<Tensor>();
  if (!input || !weight)
    return std::nullopt;
  std::optional<ConvolutionSizes> sizes = getSizes(call, *input, *weight);
  const auto *bias = call.get("bias").getIf<Tensor>();
  if (!sizes || (bias && bias->getDType() != DType::F32))
    return std::nullopt;
  Tensor from = input->contiguous(), by = weight->contiguous();
  Tensor added = bias ? bias->contiguous() : Tensor();
  Tensor result = Tensor::makeUninitialized(DType::F32, sizes->output);
  if (!convolve(
          *sizes, getFloats(std::as_const(from)), getFloats(std::as_const(by)),
          bias ? getFloats(std::as_const(added)) : nullptr, getFloats(result)))
    return std::nullopt;
  return call.set(0, result);
}

// The gradient of the bias: what each channel got, summed in f64.
static Tensor sumChannels(const Tensor &grad) {
  int64_t batch = grad.getDim(0), channels = grad.getDim(1);
  int64_t space =
      grad.getNumElements() / std::max<int64_t>(batch * channels, 1);
  Tensor result(DType::F32, {channels});
  const float *from = getFloats(grad);
  for (int64_t c = 0; c < channels; ++c) {
    double total = 0;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < space; ++i)
        total += from[(b * channels + c) * space + i];
    getFloats(result)[c] = static_cast<float>(total);
  }
  return result;
}

// One element where nobody asks for the tensor.
static ArrayRef<int64_t> getShapeIf(bool isWanted,
                                    const std::vector<int64_t> &shape) {
  return isWanted ? ArrayRef<int64_t>(shape) : ArrayRef<int64_t>();
}

static std::optional<LogicalResult> computeConvolutionBackward(Call &call) {
  const auto *grad = call.get("grad_output").getIf<Tensor>();
  const auto *input = call.get("input").getIf<Tensor>();
  const auto *weight = call.get("weight").getIf<Tensor>();
  if (!grad || !input || !weight || grad->getDType() != DType::F32)
    return std::nullopt;
  std::optional<ConvolutionSizes> sizes = getSizes(call, *input, *weight);
  if (!sizes || grad->getShape() != ArrayRef(sizes->output))
    return std::nullopt;
  std::vector<bool> wanted = call.flags("output_mask");
  wanted.resize(3);
  for (unsigned i = 0; i < 3; ++i)
    wanted[i] = wanted[i] && i < call.getNumResults() && call.isWanted(i);
  Tensor out = grad->contiguous(), in = input->contiguous();
  Tensor by = weight->contiguous();
  Tensor gradInput = Tensor::makeUninitialized(
      DType::F32, getShapeIf(wanted[0], sizes->input));
  Tensor gradWeight = Tensor::makeUninitialized(
      DType::F32, getShapeIf(wanted[1], sizes->weight));
  const Tensor &outView = out, &inView = in, &byView = by;
  if (wanted[0] &&
      !convolveBackwardInput(*sizes, getFloats(outView), getFloats(byView),
                             getFloats(gradInput)))
    return std::nullopt;
  if (wanted[1] &&
      !convolveBackwardWeight(*sizes, getFloats(outView), getFloats(inView),
                              getFloats(gradWeight)))
    return std::nullopt;
  if ((wanted[0] && failed(call.set(0, gradInput))) ||
      (wanted[1] && failed(call.set(1, gradWeight))))
    return failure();
  return wanted[2] ? call.set(2, sumChannels(out)) : success();
}

void titan::addLibraryConvolutions(KernelTable &table) {
  addInFront(table, "aten.convolution", computeConvolution);
  addInFront(table, "aten.convolution_backward", computeConvolutionBackward);
}
