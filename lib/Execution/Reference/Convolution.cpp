// Convolutions in one to three dimensions, their gradients, and the columns of
// windows that they are made of. A convolution of fewer than three dimensions
// is one of three with sizes of 1 in front.
#include "titan/Execution/Kernel.h"

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

namespace {

constexpr int kSpace = 3;

/// The geometry of a convolution from `input` (N, C, space) by a weight
/// (O, C / groups, kernel) to an output (N, O, space).
struct Convolution {
  int64_t batch = 1, inChannels = 1, outChannels = 1, groups = 1;
  int64_t in[kSpace] = {1, 1, 1}, out[kSpace] = {1, 1, 1},
          kernel[kSpace] = {1, 1, 1};
  int64_t stride[kSpace] = {1, 1, 1}, padding[kSpace] = {0, 0, 0},
          dilation[kSpace] = {1, 1, 1};

  int64_t inPerGroup() const { return inChannels / groups; }
  int64_t outPerGroup() const { return outChannels / groups; }
  static int64_t area(const int64_t (&size)[kSpace]) {
    return size[0] * size[1] * size[2];
  }

  /// Calls \p visit with the places in input, weight and output of every
  /// product, input channels and kernel positions innermost.
  template <typename Visit>
  void forEachProduct(Visit visit) const;
};

} // namespace

template <typename Visit>
void Convolution::forEachProduct(Visit visit) const {
  int64_t inArea = area(in), outArea = area(out), kernelArea = area(kernel);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t o = 0; o < outChannels; ++o)
      for (int64_t c = 0; c < inPerGroup(); ++c) {
        int64_t channel = o / outPerGroup() * inPerGroup() + c;
        int64_t inBase = (n * inChannels + channel) * inArea;
        int64_t weightBase = (o * inPerGroup() + c) * kernelArea;
        int64_t outBase = (n * outChannels + o) * outArea;
        for (int64_t z = 0; z < kernel[0]; ++z)
          for (int64_t y = 0; y < kernel[1]; ++y)
            for (int64_t x = 0; x < kernel[2]; ++x) {
              int64_t w = weightBase + (z * kernel[1] + y) * kernel[2] + x;
              for (int64_t i = 0; i < out[0]; ++i) {
                int64_t d = i * stride[0] - padding[0] + z * dilation[0];
                if (d < 0 || d >= in[0])
                  continue;
                for (int64_t j = 0; j < out[1]; ++j) {
                  int64_t h = j * stride[1] - padding[1] + y * dilation[1];
                  if (h < 0 || h >= in[1])
                    continue;
                  int64_t from = inBase + (d * in[1] + h) * in[2];
                  int64_t to = outBase + (i * out[1] + j) * out[2];
                  for (int64_t k = 0; k < out[2]; ++k) {
                    int64_t at = k * stride[2] - padding[2] + x * dilation[2];
                    if (at >= 0 && at < in[2])
                      visit(from + at, w, to + k);
                  }
                }
              }
            }
      }
}

// The geometry that the op's arguments give. A transposed convolution is the
// gradient of a plain one, so its input plays the output.
static FailureOr<Convolution> getGeometry(Call &call, const Tensor &input,
                                          const Tensor &weight,
                                          Shape &outShape) {
  int64_t dims = input.getRank() - 2;
  if (dims < 1 || dims > kSpace || weight.getRank() != input.getRank())
    return call.fail("expected an input of 3 to 5 dimensions and a weight of "
                     "as many");
  bool isTransposed = call.flag("transposed");
  Shape stride = call.integers("stride"), padding = call.integers("padding");
  Shape dilation = call.integers("dilation");
  Shape outputPadding = call.integers("output_padding");
  auto pick = [](const Shape &values, int64_t dim, int64_t otherwise) {
    if (values.empty())
      return otherwise;
    return values[std::min<int64_t>(dim, values.size() - 1)];
  };
  Convolution geometry;
  geometry.batch = input.getDim(0);
  geometry.groups = std::max<int64_t>(call.integer("groups", 1), 1);
  int64_t inputChannels = input.getDim(1);
  int64_t otherChannels =
      isTransposed ? weight.getDim(1) * geometry.groups : weight.getDim(0);
  int64_t expected =
      isTransposed ? weight.getDim(0) : weight.getDim(1) * geometry.groups;
  if (expected != inputChannels || inputChannels % geometry.groups ||
      otherChannels % geometry.groups)
    return call.fail("a weight of " + formatShape(weight.getShape()) +
                     " does not fit an input of " +
                     formatShape(input.getShape()));
  outShape = {geometry.batch, otherChannels};
  for (int64_t dim = 0; dim < dims; ++dim) {
    int at = kSpace - dims + dim;
    int64_t size = input.getDim(dim + 2), kernel = weight.getDim(dim + 2);
    int64_t s = pick(stride, dim, 1), p = pick(padding, dim, 0);
    int64_t d = pick(dilation, dim, 1);
    if (s <= 0 || d <= 0)
      return call.fail("expected positive strides and dilations");
    int64_t result = isTransposed
                         ? (size - 1) * s - 2 * p + d * (kernel - 1) + 1 +
                               pick(outputPadding, dim, 0)
                         : (size + 2 * p - d * (kernel - 1) - 1) / s + 1;
    if (result < 0)
      return call.fail("the kernel is larger than the padded input");
    outShape.push_back(result);
    geometry.stride[at] = s;
    geometry.padding[at] = p;
    geometry.dilation[at] = d;
    geometry.kernel[at] = kernel;
    geometry.in[at] = isTransposed ? result : size;
    geometry.out[at] = isTransposed ? size : result;
  }
  geometry.inChannels = isTransposed ? otherChannels : inputChannels;
  geometry.outChannels = isTransposed ? inputChannels : otherChannels;
  return geometry;
}

// A bias a channel, spread over batch and area.
static void addBias(Values &values, const Values &bias, int64_t area) {
  for (auto [at, value] : llvm::enumerate(values))
    value += bias[static_cast<int64_t>(at) / area % bias.size()];
}

static LogicalResult computeConvolution(Call &call) {
  Tensor input = call.tensor("input"), weight = call.tensor("weight");
  Shape shape;
  FailureOr<Convolution> geometry = getGeometry(call, input, weight, shape);
  if (failed(geometry))
    return failure();
  Values x = input.getValues<double>(), w = weight.getValues<double>();
  Values result(countElements(shape));
  if (call.flag("transposed"))
    geometry->forEachProduct([&](int64_t in, int64_t at, int64_t out) {
      result[in] += x[out] * w[at];
    });
  else
    geometry->forEachProduct([&](int64_t in, int64_t at, int64_t out) {
      result[out] += x[in] * w[at];
    });
  if (call.has("bias")) {
    Values bias = call.tensor("bias").getValues<double>();
    if (static_cast<int64_t>(bias.size()) != shape[1])
      return call.fail("the bias does not fit the channels");
    if (!bias.empty())
      addBias(result, bias, countElements(ArrayRef(shape).drop_front(2)));
  }
  return call.set(0, shape, result);
}

static LogicalResult computeConvolutionBackward(Call &call) {
  Tensor input = call.tensor("input"), weight = call.tensor("weight");
  Tensor grad = call.tensor("grad_output");
  Shape shape;
  FailureOr<Convolution> geometry = getGeometry(call, input, weight, shape);
  if (failed(geometry))
    return failure();
  if (grad.getShape() != ArrayRef<int64_t>(shape))
    return call.fail("expected a gradient of " + formatShape(shape) + ", got " +
                     formatShape(grad.getShape()));
  bool isTransposed = call.flag("transposed");
  Values x = input.getValues<double>(), w = weight.getValues<double>();
  Values g = grad.getValues<double>();
  std::vector<bool> wanted = call.flags("output_mask");
  wanted.resize(3, true);
  Values gradInput(wanted[0] ? x.size() : 0);
  Values gradWeight(wanted[1] ? w.size() : 0);
  geometry->forEachProduct([&](int64_t in, int64_t at, int64_t out) {
    // `in` and `out` are places of the plain convolution.
    int64_t ofInput = isTransposed ? out : in;
    int64_t ofGrad = isTransposed ? in : out;
    if (wanted[0])
      gradInput[ofInput] += g[ofGrad] * w[at];
    if (wanted[1])
      gradWeight[at] += g[ofGrad] * x[ofInput];
  });
  if (wanted[0] && failed(call.set(0, input.getShape(), gradInput)))
    return failure();
  if (wanted[1] && failed(call.set(1, weight.getShape(), gradWeight)))
    return failure();
  if (!wanted[2])
    return success();
  Values gradBias(shape[1]);
  int64_t area = countElements(ArrayRef(shape).drop_front(2));
  for (auto [at, value] : llvm::enumerate(g))
    gradBias[static_cast<int64_t>(at) / area % shape[1]] += value;
  return call.set(2, {shape[1]}, gradBias);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

// Windows of an image of height and width as columns, or the sum of columns
// back into the image. Calls \p visit with the places in the image and among
// the columns.
template <typename Visit>
static void forEachColumn(Call &call, int64_t planes, int64_t height,
                          int64_t width, int64_t &rows, int64_t &columns,
                          Visit visit) {
  Shape kernel = call.integers("kernel_size"), stride = call.integers("stride");
  Shape padding = call.integers("padding"),
        dilation = call.integers("dilation");
  int64_t outHeight =
      (height + 2 * padding[0] - dilation[0] * (kernel[0] - 1) - 1) /
          stride[0] +
      1;
  int64_t outWidth =
      (width + 2 * padding[1] - dilation[1] * (kernel[1] - 1) - 1) / stride[1] +
      1;
  rows = kernel[0] * kernel[1];
  columns = outHeight * outWidth;
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t at = 0; at < columns; ++at) {
        int64_t y = at / outWidth * stride[0] - padding[0] +
                    k / kernel[1] * dilation[0];
        int64_t x = at % outWidth * stride[1] - padding[1] +
                    k % kernel[1] * dilation[1];
        if (y >= 0 && y < height && x >= 0 && x < width)
          visit((plane * height + y) * width + x,
                (plane * rows + k) * columns + at);
      }
}

// Whether the arguments that describe windows have two positive numbers each.
static bool hasWindows(Call &call) {
  for (StringRef name : {"kernel_size", "stride", "dilation", "padding"}) {
    Shape values = call.integers(name);
    int64_t least = name == "padding" ? 0 : 1;
    if (values.size() != 2 || values[0] < least || values[1] < least)
      return false;
  }
  return true;
}

static LogicalResult computeColumns(Call &call) {
  Tensor self = call.tensor("self");
  if (self.getRank() != 4 || !hasWindows(call))
    return call.fail("expected batch, channels, height and width");
  int64_t planes = self.getDim(0) * self.getDim(1), rows = 0, columns = 0;
  Values image = self.getValues<double>();
  std::vector<std::pair<int64_t, int64_t>> moves;
  forEachColumn(call, planes, self.getDim(2), self.getDim(3), rows, columns,
                [&](int64_t from, int64_t to) { moves.push_back({from, to}); });
  Values result(planes * rows * columns);
  for (auto [from, to] : moves)
    result[to] = image[from];
  return call.set(0, {self.getDim(0), self.getDim(1) * rows, columns}, result);
}

static LogicalResult computeImage(Call &call) {
  Tensor self = call.tensor("self");
  Shape size = call.integers("output_size"),
        kernel = call.integers("kernel_size");
  if (self.getRank() != 3 || size.size() != 2 || !hasWindows(call))
    return call.fail("expected batch, rows and columns");
  int64_t channels = self.getDim(1) / (kernel[0] * kernel[1]);
  int64_t planes = self.getDim(0) * channels, rows = 0, columns = 0;
  Values values = self.getValues<double>();
  Values image(planes * size[0] * size[1]);
  forEachColumn(call, planes, size[0], size[1], rows, columns,
                [&](int64_t to, int64_t from) {
                  if (from < static_cast<int64_t>(values.size()))
                    image[to] += values[from];
                });
  return call.set(0, {self.getDim(0), channels, size[0], size[1]}, image);
}

void titan::addConvolutionKernels(KernelTable &table) {
  table.add("aten.convolution", computeConvolution);
  table.add("aten.convolution_backward", computeConvolutionBackward);
  table.add("aten.im2col", computeColumns);
  table.add("aten.col2im", computeImage);
}
