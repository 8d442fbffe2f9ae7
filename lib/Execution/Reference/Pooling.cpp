// Means and maxima over windows of the last dimensions. Pools of fewer than
// three dimensions are pools of three with sizes of 1 in front.
#include "titan/Execution/Kernel.h"

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

namespace {

constexpr int kSpace = 3;

/// Windows over the last `dims` dimensions of a tensor.
struct Windows {
  int64_t planes = 1;
  int64_t in[kSpace] = {1, 1, 1}, out[kSpace] = {1, 1, 1},
          kernel[kSpace] = {1, 1, 1}, stride[kSpace] = {1, 1, 1},
          padding[kSpace] = {0, 0, 0}, dilation[kSpace] = {1, 1, 1};
  Shape outShape;

  int64_t inArea() const { return in[0] * in[1] * in[2]; }
  int64_t outArea() const { return out[0] * out[1] * out[2]; }
  /// The coordinates of an output element.
  void locate(int64_t at, int64_t (&place)[kSpace]) const {
    place[2] = at % out[2];
    place[1] = at / out[2] % out[1];
    place[0] = at / out[2] / out[1];
  }
  /// Calls \p visit with the place in the input plane and the position in the
  /// kernel of what the window of output element \p at covers.
  template <typename Visit>
  void forWindow(int64_t at, Visit visit) const {
    int64_t place[kSpace];
    locate(at, place);
    for (int64_t k = 0; k < kernel[0] * kernel[1] * kernel[2]; ++k) {
      int64_t offsets[kSpace] = {k / kernel[2] / kernel[1],
                                 k / kernel[2] % kernel[1], k % kernel[2]};
      int64_t position = 0;
      bool isInside = true;
      for (int d = 0; d < kSpace; ++d) {
        int64_t x =
            place[d] * stride[d] - padding[d] + offsets[d] * dilation[d];
        isInside &= x >= 0 && x < in[d];
        position = position * in[d] + x;
      }
      if (isInside)
        visit(position, k);
    }
  }
  /// What a mean over the window divides by: its part inside the padded input,
  /// or inside the input.
  int64_t getDivisor(int64_t at, bool includesPadding) const {
    int64_t place[kSpace], size = 1;
    locate(at, place);
    for (int d = 0; d < kSpace; ++d) {
      int64_t begin = place[d] * stride[d] - padding[d];
      int64_t end = std::min(begin + kernel[d], in[d] + padding[d]);
      if (!includesPadding) {
        begin = std::max<int64_t>(begin, 0);
        end = std::min(end, in[d]);
      }
      size *= std::max<int64_t>(end - begin, 0);
    }
    return size;
  }
};

} // namespace

static FailureOr<Windows> getWindows(Call &call, const Tensor &input,
                                     int64_t dims) {
  auto read = [&](StringRef name, int64_t otherwise) {
    Shape values = call.integers(name);
    if (values.empty())
      values.push_back(otherwise);
    values.resize(dims, values.back());
    return values;
  };
  Shape kernel = read("kernel_size", 1), stride = call.integers("stride");
  if (stride.empty())
    stride = kernel;
  stride.resize(dims, stride.back());
  Shape padding = read("padding", 0), dilation = read("dilation", 1);
  if (input.getRank() < dims)
    return call.fail("expected at least " + Twine(dims) + " dimensions");
  Windows windows;
  int64_t leading = input.getRank() - dims;
  for (int64_t dim = 0; dim < leading; ++dim) {
    windows.planes *= input.getDim(dim);
    windows.outShape.push_back(input.getDim(dim));
  }
  for (int64_t dim = 0; dim < dims; ++dim) {
    int at = kSpace - dims + dim;
    int64_t size = input.getDim(leading + dim), s = stride[dim];
    if (s <= 0 || kernel[dim] <= 0 || dilation[dim] <= 0)
      return call.fail("expected positive windows and strides");
    int64_t span =
        size + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1;
    bool rounds = call.flag("ceil_mode");
    int64_t count = (span + (rounds ? s - 1 : 0)) / s + 1;
    // The last window begins inside the input or its front padding.
    if (rounds && (count - 1) * s >= size + padding[dim])
      --count;
    if (span < 0 || count < 0)
      return call.fail("the window is larger than the padded input");
    windows.in[at] = size;
    windows.out[at] = count;
    windows.kernel[at] = kernel[dim];
    windows.stride[at] = s;
    windows.padding[at] = padding[dim];
    windows.dilation[at] = dilation[dim];
    windows.outShape.push_back(count);
  }
  return windows;
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

static double getAverageDivisor(Call &call, const Windows &windows,
                                int64_t at) {
  if (call.has("divisor_override"))
    return call.number("divisor_override");
  return static_cast<double>(
      windows.getDivisor(at, call.flag("count_include_pad", true)));
}

static LogicalResult computeAveragePool(Call &call, int64_t dims) {
  Tensor self = call.tensor("self");
  FailureOr<Windows> windows = getWindows(call, self, dims);
  if (failed(windows))
    return failure();
  Values x = self.getValues<double>();
  Values result(windows->planes * windows->outArea());
  for (int64_t plane = 0; plane < windows->planes; ++plane)
    for (int64_t at = 0; at < windows->outArea(); ++at) {
      double total = 0;
      windows->forWindow(at, [&](int64_t position, int64_t) {
        total += x[plane * windows->inArea() + position];
      });
      result[plane * windows->outArea() + at] =
          total / getAverageDivisor(call, *windows, at);
    }
  return call.set(0, windows->outShape, result);
}

static LogicalResult computeAveragePoolBackward(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<Windows> windows = getWindows(call, self, 2);
  if (failed(windows))
    return failure();
  Values grad = call.tensor("grad_output").getValues<double>();
  if (static_cast<int64_t>(grad.size()) != windows->planes * windows->outArea())
    return call.fail("the gradient does not fit the windows");
  Values result(self.getNumElements());
  for (int64_t plane = 0; plane < windows->planes; ++plane)
    for (int64_t at = 0; at < windows->outArea(); ++at) {
      double share = grad[plane * windows->outArea() + at] /
                     getAverageDivisor(call, *windows, at);
      windows->forWindow(at, [&](int64_t position, int64_t) {
        result[plane * windows->inArea() + position] += share;
      });
    }
  return call.set(0, self.getShape(), result);
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

// The first greatest of each window, or its last NaN as the kernels have it;
// \p name says what of it becomes result 1: its place in the input plane, or
// its position in the kernel.
static LogicalResult computeMaxPool(Call &call, bool wantsOffsets) {
  Tensor self = call.tensor("self");
  FailureOr<Windows> windows = getWindows(call, self, 2);
  if (failed(windows))
    return failure();
  Values x = self.getValues<double>();
  Values result(windows->planes * windows->outArea());
  std::vector<int64_t> places(result.size());
  for (int64_t plane = 0; plane < windows->planes; ++plane)
    for (int64_t at = 0; at < windows->outArea(); ++at) {
      bool isFirst = true;
      double &top = result[plane * windows->outArea() + at];
      windows->forWindow(at, [&](int64_t position, int64_t k) {
        double value = x[plane * windows->inArea() + position];
        if (!isFirst && !(value > top) && value == value)
          return;
        isFirst = false;
        top = value;
        places[plane * windows->outArea() + at] = wantsOffsets ? k : position;
      });
    }
  if (failed(call.set(0, windows->outShape, result)))
    return failure();
  return call.set(1, windows->outShape, places);
}

static LogicalResult computeMaxPoolBackward(Call &call) {
  Tensor self = call.tensor("self");
  Values grad = call.tensor("grad_output").getValues<double>();
  std::vector<int64_t> places = call.tensor("indices").getValues<int64_t>();
  int64_t inArea = self.getRank() < 2 ? 0 : self.getDim(-1) * self.getDim(-2);
  int64_t planes = inArea ? self.getNumElements() / inArea : 0;
  if (places.size() != grad.size() || !planes || grad.size() % planes)
    return call.fail("the indices do not fit the gradient");
  auto outArea = static_cast<int64_t>(grad.size()) / planes;
  Values result(self.getNumElements());
  for (auto [at, value] : llvm::enumerate(grad)) {
    int64_t place = places[at];
    if (place < 0 || place >= inArea)
      return call.fail("index " + Twine(place) + " is out of range");
    result[static_cast<int64_t>(at) / outArea * inArea + place] += value;
  }
  return call.set(0, self.getShape(), result);
}

// Positions in kernels as places in the input plane.
static LogicalResult computeOffsetsToPlaces(Call &call) {
  Tensor self = call.tensor("self");
  Shape kernel = call.integers("kernel_size"), stride = call.integers("stride");
  Shape size = call.integers("input_size"), padding = call.integers("padding");
  Shape dilation = call.integers("dilation");
  for (const Shape *values : {&kernel, &stride, &size, &padding, &dilation})
    if (values->size() != 2 || self.getRank() < 2)
      return call.fail("expected height and width");
  int64_t width = self.getDim(-1), height = self.getDim(-2);
  std::vector<int64_t> places = self.getValues<int64_t>();
  for (auto [at, place] : llvm::enumerate(places)) {
    int64_t column = static_cast<int64_t>(at) % width;
    int64_t row = static_cast<int64_t>(at) / width % height;
    int64_t y = row * stride[0] - padding[0] + place / kernel[1] * dilation[0];
    int64_t x =
        column * stride[1] - padding[1] + place % kernel[1] * dilation[1];
    place = y * size[1] + x;
  }
  return call.set(0, self.getShape(), places);
}

//===----------------------------------------------------------------------===//
// Adaptive pools
//===----------------------------------------------------------------------===//

// Calls \p visit for every output element with the range of rows and columns
// that it covers: from floor(i * in / out) to ceil((i + 1) * in / out).
template <typename Visit>
static void forAdaptiveWindows(int64_t inHeight, int64_t inWidth,
                               int64_t outHeight, int64_t outWidth,
                               Visit visit) {
  for (int64_t y = 0; y < outHeight; ++y)
    for (int64_t x = 0; x < outWidth; ++x)
      visit(y * outWidth + x, y * inHeight / outHeight,
            ((y + 1) * inHeight + outHeight - 1) / outHeight,
            x * inWidth / outWidth,
            ((x + 1) * inWidth + outWidth - 1) / outWidth);
}

static LogicalResult computeAdaptivePool(Call &call, bool isMax) {
  Tensor self = call.tensor("self");
  Shape size = call.integers("output_size");
  if (self.getRank() < 2 || size.size() != 2)
    return call.fail("expected height and width");
  int64_t height = self.getDim(-2), width = self.getDim(-1);
  int64_t planes = countElements(self.getShape().drop_back(2));
  Values x = self.getValues<double>();
  Values result(planes * size[0] * size[1]);
  std::vector<int64_t> places(result.size());
  for (int64_t plane = 0; plane < planes; ++plane)
    forAdaptiveWindows(
        height, width, size[0], size[1],
        [&](int64_t at, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
          double &to = result[plane * size[0] * size[1] + at];
          int64_t &best = places[plane * size[0] * size[1] + at];
          bool isFirst = true;
          for (int64_t row = y0; row < y1; ++row)
            for (int64_t column = x0; column < x1; ++column) {
              int64_t place = row * width + column;
              double value = x[plane * height * width + place];
              if (!isMax) {
                to += value / static_cast<double>((y1 - y0) * (x1 - x0));
              } else if (isFirst || value > to || value != value) {
                to = value;
                best = place;
                isFirst = false;
              }
            }
        });
  Shape shape(self.getShape().drop_back(2));
  shape.append(size);
  if (failed(call.set(0, shape, result)))
    return failure();
  return isMax ? call.set(1, shape, places) : success();
}

static LogicalResult computeAdaptivePoolBackward(Call &call) {
  Tensor self = call.tensor("self"), grad = call.tensor("grad_output");
  if (self.getRank() < 2 || grad.getRank() != self.getRank())
    return call.fail("expected height and width");
  int64_t height = self.getDim(-2), width = self.getDim(-1);
  int64_t outHeight = grad.getDim(-2), outWidth = grad.getDim(-1);
  int64_t planes = countElements(self.getShape().drop_back(2));
  Values g = grad.getValues<double>(), result(self.getNumElements());
  if (static_cast<int64_t>(g.size()) != planes * outHeight * outWidth)
    return call.fail("the gradient does not fit the input");
  for (int64_t plane = 0; plane < planes; ++plane)
    forAdaptiveWindows(
        height, width, outHeight, outWidth,
        [&](int64_t at, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
          double share = g[plane * outHeight * outWidth + at] /
                         static_cast<double>((y1 - y0) * (x1 - x0));
          for (int64_t row = y0; row < y1; ++row)
            for (int64_t column = x0; column < x1; ++column)
              result[(plane * height + row) * width + column] += share;
        });
  return call.set(0, self.getShape(), result);
}

void titan::addPoolingKernels(KernelTable &table) {
  table.add("aten.avg_pool1d",
            [](Call &call) { return computeAveragePool(call, 1); });
  table.add("aten.avg_pool2d",
            [](Call &call) { return computeAveragePool(call, 2); });
  table.add("aten.avg_pool3d",
            [](Call &call) { return computeAveragePool(call, 3); });
  table.add("aten.avg_pool2d_backward", computeAveragePoolBackward);
  table.add("aten.max_pool2d_with_indices",
            [](Call &call) { return computeMaxPool(call, false); });
  table.add("prims._low_memory_max_pool_with_offsets",
            [](Call &call) { return computeMaxPool(call, true); });
  table.add("prims._low_memory_max_pool_offsets_to_indices",
            computeOffsetsToPlaces);
  table.add("aten.max_pool2d_with_indices_backward", computeMaxPoolBackward);
  table.add("aten._adaptive_avg_pool2d",
            [](Call &call) { return computeAdaptivePool(call, false); });
  table.add("aten.adaptive_max_pool2d",
            [](Call &call) { return computeAdaptivePool(call, true); });
  table.add("aten._adaptive_avg_pool2d_backward", computeAdaptivePoolBackward);
}
