// Maxima over windows of planes in f32 and their gradients, with the numbers
// of the reference kernel: planes are divided among threads.
#include "LibraryKernels.h"

#include "titan/Execution/Threads.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A pool along one dimension.
struct Line {
  int64_t in, out, kernel, stride, padding, dilation;

  /// The positions in the kernel that lie inside the input at output \p at.
  std::pair<int64_t, int64_t> getRange(int64_t at) const {
    int64_t origin = at * stride - padding;
    int64_t begin = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
    int64_t end = in <= origin ? 0 : (in - origin + dilation - 1) / dilation;
    return {begin, std::min(end, kernel)};
  }
};
} // namespace

// Planes of fewer elements than this are not worth a thread.
static int64_t getGrain(int64_t planeSize) {
  constexpr int64_t kElements = 1 << 14;
  return std::max<int64_t>(kElements / std::max<int64_t>(planeSize, 1), 1);
}

static std::optional<Line> getLine(Call &call, const Tensor &self, int index) {
  auto read = [&](StringRef name, int64_t otherwise) {
    Shape values = call.integers(name);
    return values.empty() ? otherwise
                          : values[std::min<size_t>(index, values.size() - 1)];
  };
  Line line{};
  line.in = self.getDim(index - 2);
  line.kernel = read("kernel_size", 1);
  line.stride = read("stride", line.kernel);
  line.padding = read("padding", 0);
  line.dilation = read("dilation", 1);
  if (line.kernel < 1 || line.stride < 1 || line.dilation < 1 ||
      line.padding < 0 || 2 * line.padding > line.kernel)
    return std::nullopt;
  int64_t span =
      line.in + 2 * line.padding - line.dilation * (line.kernel - 1) - 1;
  if (span < 0)
    return std::nullopt;
  line.out = span / line.stride + 1;
  return line;
}

// The first greatest of each window of a plane, or its last NaN, and its place.
static void poolPlane(const Line &rows, const Line &columns, const float *from,
                      float *to, int64_t *places) {
  for (int64_t y = 0; y < rows.out; ++y) {
    auto [firstRow, endRow] = rows.getRange(y);
    for (int64_t x = 0; x < columns.out; ++x) {
      auto [firstColumn, endColumn] = columns.getRange(x);
      float top = 0;
      int64_t place = -1;
      for (int64_t r = firstRow; r < endRow; ++r) {
        int64_t row =
            (y * rows.stride - rows.padding + r * rows.dilation) * columns.in;
        for (int64_t c = firstColumn; c < endColumn; ++c) {
          int64_t at =
              row + x * columns.stride - columns.padding + c * columns.dilation;
          float value = from[at];
          if (place >= 0 && !(value > top) && value == value)
            continue;
          top = value;
          place = at;
        }
      }
      *to++ = top;
      *places++ = std::max<int64_t>(place, 0);
    }
  }
}

static std::optional<LogicalResult> computeMaxPool(Call &call) {
  const auto *self = call.get("self").getIf<Tensor>();
  if (!self || self->getDType() != DType::F32 || self->getRank() < 2 ||
      self->getNumElements() == 0 || call.flag("ceil_mode"))
    return std::nullopt;
  std::optional<Line> rows = getLine(call, *self, 0);
  std::optional<Line> columns = getLine(call, *self, 1);
  if (!rows || !columns)
    return std::nullopt;
  Tensor input = self->contiguous();
  Shape shape(self->getShape());
  shape[shape.size() - 2] = rows->out;
  shape.back() = columns->out;
  Tensor result = Tensor::makeUninitialized(DType::F32, shape);
  Tensor indices = Tensor::makeUninitialized(DType::I64, shape);
  const auto *from = reinterpret_cast<const float *>(input.getData());
  auto *to = reinterpret_cast<float *>(result.getData());
  auto *places = reinterpret_cast<int64_t *>(indices.getData());
  int64_t inArea = rows->in * columns->in, outArea = rows->out * columns->out;
  parallelFor(input.getNumElements() / inArea, getGrain(inArea),
              [&](int64_t begin, int64_t end) {
                for (int64_t plane = begin; plane < end; ++plane)
                  poolPlane(*rows, *columns, from + plane * inArea,
                            to + plane * outArea, places + plane * outArea);
              });
  if (failed(call.set(0, result)))
    return failure();
  return call.isWanted(1) ? call.set(1, indices) : success();
}

// Each gradient goes to the place that its maximum came from; sums in f64.
static std::optional<LogicalResult> computeMaxPoolBackward(Call &call) {
  const auto *self = call.get("self").getIf<Tensor>();
  const auto *grad = call.get("grad_output").getIf<Tensor>();
  const auto *given = call.get("indices").getIf<Tensor>();
  if (!self || !grad || !given || self->getRank() < 2 ||
      grad->getDType() != DType::F32 || given->getDType() != DType::I64 ||
      grad->getShape() != given->getShape() || self->getNumElements() == 0)
    return std::nullopt;
  int64_t inArea = self->getDim(-1) * self->getDim(-2);
  int64_t planes = self->getNumElements() / inArea;
  if (grad->getNumElements() % planes)
    return std::nullopt;
  int64_t outArea = grad->getNumElements() / planes;
  Tensor gradOut = grad->contiguous(), indices = given->contiguous();
  const auto *from = reinterpret_cast<const float *>(gradOut.getData());
  const auto *places = reinterpret_cast<const int64_t *>(indices.getData());
  // The reference kernel says which index is out of range.
  for (int64_t i = 0; i < planes * outArea; ++i)
    if (places[i] < 0 || places[i] >= inArea)
      return std::nullopt;
  Tensor result = Tensor::makeUninitialized(DType::F32, self->getShape());
  auto *to = reinterpret_cast<float *>(result.getData());
  parallelFor(planes, getGrain(inArea), [&](int64_t begin, int64_t end) {
    std::vector<double> sums(inArea);
    for (int64_t plane = begin; plane < end; ++plane) {
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t i = plane * outArea; i < (plane + 1) * outArea; ++i)
        sums[places[i]] += from[i];
      for (int64_t i = 0; i < inArea; ++i)
        to[plane * inArea + i] = static_cast<float>(sums[i]);
    }
  });
  return call.set(0, result);
}

void titan::addLibraryPooling(KernelTable &table) {
  addInFront(table, "aten.max_pool2d_with_indices", computeMaxPool);
  addInFront(table, "aten.max_pool2d_with_indices_backward",
             computeMaxPoolBackward);
}
