// Images in other sizes: nearest neighbours, weighted neighbours, padding.
// Coordinates are computed in f32, as PyTorch does unless the image is f64:
// which neighbour is nearest depends on it.
#include "titan/Execution/Kernel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

namespace {

/// A weighted sum of input places.
struct Tap {
  int64_t place;
  double weight;
};

/// How one dimension is resampled: the taps of each output coordinate.
using Axis = std::vector<SmallVector<Tap, 4>>;

} // namespace

// The sizes of the last dimensions after the op: given, or scaled.
static Shape getOutputSize(Call &call, ArrayRef<int64_t> inputSize) {
  Shape size = call.integers("output_size");
  if (!size.empty())
    return size;
  std::vector<double> factors = call.numbers("scale_factors");
  for (auto [dim, factor] : llvm::enumerate(factors))
    size.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(inputSize[dim]) * factor)));
  return size;
}

// The scale argument of a dimension, zero if there is none.
static double getScale(Call &call, int64_t dim, int64_t dims) {
  std::vector<double> factors = call.numbers("scale_factors");
  if (dim < static_cast<int64_t>(factors.size()))
    return factors[dim];
  if (dims == 1)
    return call.number("scales", 0);
  return call.number(dim == 0 ? "scales_h" : "scales_w", 0);
}

template <typename Float>
static Axis makeNearestAxis(int64_t in, int64_t out, double scale,
                            bool isExact) {
  Float ratio = scale > 0 ? static_cast<Float>(1.0 / scale)
                          : static_cast<Float>(in) / static_cast<Float>(out);
  Axis axis;
  for (int64_t at = 0; at < out; ++at) {
    Float position =
        (static_cast<Float>(at) + (isExact ? Float(0.5) : 0)) * ratio;
    auto place = static_cast<int64_t>(std::floor(position));
    axis.push_back({{std::clamp<int64_t>(place, 0, in - 1), 1.0}});
  }
  return axis;
}

template <typename Float>
static Float getSourceCoordinate(int64_t at, int64_t in, int64_t out,
                                 double scale, bool alignsCorners,
                                 bool isCubic) {
  if (alignsCorners) {
    Float ratio = out > 1
                      ? static_cast<Float>(in - 1) / static_cast<Float>(out - 1)
                      : Float(0);
    return ratio * static_cast<Float>(at);
  }
  Float ratio = scale > 0 ? static_cast<Float>(1.0 / scale)
                          : static_cast<Float>(in) / static_cast<Float>(out);
  Float position = ratio * (static_cast<Float>(at) + Float(0.5)) - Float(0.5);
  return !isCubic && position < 0 ? Float(0) : position;
}

template <typename Float>
static Axis makeLinearAxis(int64_t in, int64_t out, double scale,
                           bool alignsCorners) {
  Axis axis;
  for (int64_t at = 0; at < out; ++at) {
    Float position =
        getSourceCoordinate<Float>(at, in, out, scale, alignsCorners, false);
    int64_t low = std::min<int64_t>(static_cast<int64_t>(position), in - 1);
    int64_t high = std::min<int64_t>(low + 1, in - 1);
    Float weight = position - static_cast<Float>(low);
    axis.push_back({{low, 1.0 - weight}, {high, weight}});
  }
  return axis;
}

// The cubic convolution kernel with a = -0.75, over four neighbours.
template <typename Float>
static Axis makeCubicAxis(int64_t in, int64_t out, double scale,
                          bool alignsCorners) {
  constexpr double kA = -0.75;
  auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  auto far = [](double x) {
    return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
  };
  Axis axis;
  for (int64_t at = 0; at < out; ++at) {
    Float position =
        getSourceCoordinate<Float>(at, in, out, scale, alignsCorners, true);
    auto base = static_cast<int64_t>(std::floor(position));
    double t = position - static_cast<Float>(base);
    double weights[] = {far(t + 1), near(t), near(1 - t), far(1 - t + 1)};
    SmallVector<Tap, 4> taps;
    for (int64_t i = 0; i < 4; ++i)
      taps.push_back(
          {std::clamp<int64_t>(base - 1 + i, 0, in - 1), weights[i]});
    axis.push_back(taps);
  }
  return axis;
}

namespace {

enum class Method : uint8_t { Nearest, NearestExact, Linear, Cubic };

} // namespace

template <typename Float>
static Axis makeAxis(Method method, int64_t in, int64_t out, double scale,
                     bool alignsCorners) {
  switch (method) {
  case Method::Nearest:
  case Method::NearestExact:
    return makeNearestAxis<Float>(in, out, scale,
                                  method == Method::NearestExact);
  case Method::Linear:
    return makeLinearAxis<Float>(in, out, scale, alignsCorners);
  case Method::Cubic:
    return makeCubicAxis<Float>(in, out, scale, alignsCorners);
  }
  llvm_unreachable("unknown method");
}

// Both axes of a resampling between `in` and `out` sizes of \p dims dimensions.
static std::pair<Axis, Axis> makeAxes(Call &call, Method method, DType dtype,
                                      ArrayRef<int64_t> in,
                                      ArrayRef<int64_t> out) {
  int64_t dims = in.size();
  bool aligns = call.flag("align_corners");
  auto make = [&](int64_t dim) {
    double scale = getScale(call, dim, dims);
    return dtype == DType::F64
               ? makeAxis<double>(method, in[dim], out[dim], scale, aligns)
               : makeAxis<float>(method, in[dim], out[dim], scale, aligns);
  };
  Axis rows = dims == 1 ? Axis{{{0, 1.0}}} : make(0);
  return {rows, make(dims - 1)};
}

static LogicalResult upsample(Call &call, Method method, int64_t dims) {
  Tensor self = call.tensor(call.has("self") ? "self" : "input");
  if (self.getRank() < dims + 1 || self.getNumElements() == 0)
    return call.fail("expected an image that is not empty");
  ArrayRef<int64_t> in = self.getShape().take_back(dims);
  Shape out = getOutputSize(call, in);
  if (static_cast<int64_t>(out.size()) != dims)
    return call.fail("expected a size or scale for every dimension");
  auto [rows, columns] = makeAxes(call, method, self.getDType(), in, out);
  int64_t inHeight = dims == 1 ? 1 : in[0], inWidth = in.back();
  int64_t planes = self.getNumElements() / (inHeight * inWidth);
  Values x = self.getValues<double>();
  Values result(planes * rows.size() * columns.size());
  size_t at = 0;
  for (int64_t plane = 0; plane < planes; ++plane)
    for (const auto &row : rows)
      for (const auto &column : columns) {
        double total = 0;
        for (Tap y : row) {
          double inRow = 0;
          for (Tap tap : column)
            inRow += tap.weight *
                     x[(plane * inHeight + y.place) * inWidth + tap.place];
          total += y.weight * inRow;
        }
        result[at++] = total;
      }
  Shape shape(self.getShape().drop_back(dims));
  shape.append(out);
  return call.set(0, shape, result);
}

static LogicalResult upsampleBackward(Call &call, Method method) {
  Tensor grad = call.tensor("grad_output");
  Shape inputSize = call.integers("input_size");
  if (grad.getRank() != 4 || inputSize.size() != 4)
    return call.fail("expected batch, channels, height and width");
  ArrayRef<int64_t> in = ArrayRef(inputSize).take_back(2);
  auto [rows, columns] =
      makeAxes(call, method, grad.getDType(), in, grad.getShape().take_back(2));
  Values g = grad.getValues<double>(), result(countElements(inputSize));
  size_t at = 0;
  for (int64_t plane = 0; plane < inputSize[0] * inputSize[1]; ++plane)
    for (const auto &row : rows)
      for (const auto &column : columns) {
        for (Tap y : row)
          for (Tap tap : column)
            result[(plane * in[0] + y.place) * in[1] + tap.place] +=
                y.weight * tap.weight * g[at];
        ++at;
      }
  return call.set(0, inputSize, result);
}

// Bilinear samples at the coordinates of a grid in [-1, 1]; what lies outside
// is zero.
static LogicalResult computeGridSample(Call &call) {
  Tensor input = call.tensor("input"), grid = call.tensor("grid");
  if (call.integer("interpolation_mode") != 0 ||
      call.integer("padding_mode") != 0)
    return call.fail("only bilinear samples with zeros around are known");
  if (input.getRank() != 4 || grid.getRank() != 4 || grid.getDim(-1) != 2)
    return call.fail("expected an image and a grid of pairs");
  bool aligns = call.flag("align_corners");
  int64_t channels = input.getDim(1), height = input.getDim(2),
          width = input.getDim(3), outHeight = grid.getDim(1),
          outWidth = grid.getDim(2), batch = input.getDim(0);
  Values x = input.getValues<double>(), g = grid.getValues<double>();
  Values result(batch * channels * outHeight * outWidth);
  auto place = [&](double coordinate, int64_t size) {
    auto length = static_cast<double>(size);
    return aligns ? (coordinate + 1) / 2 * (length - 1)
                  : ((coordinate + 1) * length - 1) / 2;
  };
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t at = 0; at < outHeight * outWidth; ++at) {
      const double *pair = &g[(n * outHeight * outWidth + at) * 2];
      double u = place(pair[0], width), v = place(pair[1], height);
      double left = std::floor(u), top = std::floor(v);
      for (int64_t c = 0; c < channels; ++c) {
        double total = 0;
        for (int corner = 0; corner < 4; ++corner) {
          double column = left + (corner & 1), row = top + (corner >> 1);
          if (!(column >= 0 && column < static_cast<double>(width) &&
                row >= 0 && row < static_cast<double>(height)))
            continue;
          double weight = (1 - std::abs(u - column)) * (1 - std::abs(v - row));
          total += weight *
                   x[((n * channels + c) * height + static_cast<int64_t>(row)) *
                         width +
                     static_cast<int64_t>(column)];
        }
        result[(n * channels + c) * outHeight * outWidth + at] = total;
      }
    }
  return call.set(0, {batch, channels, outHeight, outWidth}, result);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

// Pads, last dimension first, may be negative: then they cut.
static LogicalResult computeConstantPad(Call &call) {
  Tensor self = call.tensor("self").to(call.resultType());
  Shape pad = call.integers("pad"), shape(self.getShape());
  if (static_cast<int64_t>(pad.size()) > 2 * self.getRank() || pad.size() % 2)
    return call.fail("expected two pads a dimension");
  Tensor source = self;
  SmallVector<int64_t> begins(self.getRank(), 0);
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t dim = self.getRank() - 1 - static_cast<int64_t>(i);
    int64_t before = pad[2 * i], after = pad[2 * i + 1];
    shape[dim] += before + after;
    int64_t cut = std::max<int64_t>(-before, 0);
    int64_t length = source.getDim(dim) - cut - std::max<int64_t>(-after, 0);
    if (shape[dim] < 0 || length < 0)
      return call.fail("the pads cut more than there is");
    source = source.slice(dim, cut, length);
    begins[dim] = std::max<int64_t>(before, 0);
  }
  Tensor result(call.resultType(), shape);
  if (call.has("value"))
    result.assign(call.tensor("value").to(call.resultType()));
  Tensor place = result;
  for (auto [dim, begin] : llvm::enumerate(begins))
    place = place.slice(dim, begin, source.getDim(dim));
  place.assign(source);
  return call.set(0, result);
}

// For each coordinate of a padded dimension the one it repeats.
static FailureOr<std::vector<int64_t>> mapPadded(Call &call, int64_t size,
                                                 int64_t before, int64_t after,
                                                 bool reflects) {
  std::vector<int64_t> from;
  for (int64_t at = -before; at < size + after; ++at) {
    int64_t place = at;
    if (reflects)
      place = place < 0       ? -place
              : place >= size ? 2 * (size - 1) - place
                              : place;
    else
      place = std::clamp<int64_t>(place, 0, size - 1);
    if (place < 0 || place >= size)
      return call.fail("the pad is larger than the dimension");
    from.push_back(place);
  }
  return from;
}

// Calls \p visit with the place in self and in the padded tensor.
template <typename Visit>
static FailureOr<Shape> forEachPadded(Call &call, const Tensor &self,
                                      bool reflects, Visit visit) {
  Shape padding = call.integers("padding");
  int64_t dims = padding.size() / 2;
  if (dims < 1 || dims > 2 || self.getRank() < dims + 1)
    return call.fail("expected one or two padded dimensions");
  Shape shape(self.getShape());
  int64_t width = self.getDim(-1), height = dims == 2 ? self.getDim(-2) : 1;
  auto columns = mapPadded(call, width, padding[0], padding[1], reflects);
  auto rows = dims == 2
                  ? mapPadded(call, height, padding[2], padding[3], reflects)
                  : FailureOr<std::vector<int64_t>>(std::vector<int64_t>{0});
  if (failed(columns) || failed(rows))
    return failure();
  shape.back() = columns->size();
  if (dims == 2)
    shape[shape.size() - 2] = rows->size();
  int64_t planes = countElements(self.getShape().drop_back(dims)), at = 0;
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t row : *rows)
      for (int64_t column : *columns)
        visit((plane * height + row) * width + column, at++);
  return shape;
}

static LogicalResult pad(Call &call, bool reflects) {
  Tensor self = call.tensor("self");
  Values x = self.getValues<double>(), result;
  FailureOr<Shape> shape =
      forEachPadded(call, self, reflects,
                    [&](int64_t from, int64_t) { result.push_back(x[from]); });
  if (failed(shape))
    return failure();
  return call.set(0, *shape, result);
}

static LogicalResult padBackward(Call &call, bool reflects) {
  Tensor self = call.tensor("self");
  Values grad = call.tensor("grad_output").getValues<double>();
  Values result(self.getNumElements());
  FailureOr<Shape> shape =
      forEachPadded(call, self, reflects, [&](int64_t to, int64_t from) {
        if (from < static_cast<int64_t>(grad.size()))
          result[to] += grad[from];
      });
  if (failed(shape))
    return failure();
  return call.set(0, self.getShape(), result);
}

void titan::addResampleKernels(KernelTable &table) {
  auto add = [&](StringRef name, Method method, int64_t dims) {
    table.add(name, [=](Call &call) { return upsample(call, method, dims); });
  };
  add("aten.upsample_nearest1d", Method::Nearest, 1);
  add("aten.upsample_nearest2d", Method::Nearest, 2);
  add("aten._upsample_nearest_exact2d", Method::NearestExact, 2);
  add("aten.upsample_bilinear2d", Method::Linear, 2);
  add("aten.upsample_bicubic2d", Method::Cubic, 2);
  table.add("aten.upsample_nearest2d_backward",
            [](Call &call) { return upsampleBackward(call, Method::Nearest); });
  table.add("aten.upsample_bilinear2d_backward",
            [](Call &call) { return upsampleBackward(call, Method::Linear); });
  table.add("aten.grid_sampler_2d", computeGridSample);
  table.add("aten.constant_pad_nd", computeConstantPad);
  table.add({"aten.reflection_pad1d", "aten.reflection_pad2d"},
            [](Call &call) { return pad(call, true); });
  table.add(
      {"aten.reflection_pad1d_backward", "aten.reflection_pad2d_backward"},
      [](Call &call) { return padBackward(call, true); });
  table.add("aten.replication_pad2d",
            [](Call &call) { return pad(call, false); });
  table.add("aten.replication_pad2d_backward",
            [](Call &call) { return padBackward(call, false); });
}
