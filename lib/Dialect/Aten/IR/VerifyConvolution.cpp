// Convolutions, pooling, padding and interpolation: shapes by the formulas of
// sliding windows. A list of one number stands for that number in every spatial
// dimension.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// Entry `i` of a list, none if the list or the entry is not known.
static std::optional<int64_t> getEntry(const TypeCheck &check, StringRef name,
                                       unsigned i, int64_t otherwise) {
  auto list = check.getInts(name);
  if (!list || list->empty())
    return otherwise;
  int64_t value =
      (*list)[list->size() == 1 ? 0 : std::min<size_t>(i, list->size() - 1)];
  if (ShapedType::isDynamic(value))
    return std::nullopt;
  return value;
}

namespace {

/// The parameters of a window in one spatial dimension.
struct Window {
  int64_t kernel, stride, padding, dilation;

  /// The number of places of the window over `size` elements.
  int64_t slide(int64_t size, bool ceil) const {
    int64_t span = size + 2 * padding - dilation * (kernel - 1) - 1;
    int64_t count = (span + (ceil ? stride - 1 : 0)) / stride + 1;
    // The last window starts inside the input or its left padding.
    if (ceil && (count - 1) * stride >= size + padding)
      --count;
    return count;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static int64_t getConvolved(const TypeCheck &check, unsigned i, int64_t size,
                            int64_t kernel, bool transposed) {
  auto stride = getEntry(check, "stride", i, 1);
  auto padding = getEntry(check, "padding", i, 0);
  auto dilation = getEntry(check, "dilation", i, 1);
  auto extra = getEntry(check, "output_padding", i, 0);
  if (!stride || !padding || !dilation || !extra || *stride <= 0 ||
      ShapedType::isDynamic(size) || ShapedType::isDynamic(kernel))
    return ShapedType::kDynamic;
  if (transposed)
    return (size - 1) * *stride - 2 * *padding + *dilation * (kernel - 1) +
           *extra + 1;
  return Window{kernel, *stride, *padding, *dilation}.slide(size, false);
}

LogicalResult aten::verifyConvolution(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  RankedTensorType weight = check.getTensor("weight");
  if (!input || !weight)
    return success();
  // Without its batch dimension the input has one less.
  int64_t batch = input.getRank() == weight.getRank() ? 1 : 0;
  if (input.getRank() + 1 - batch != weight.getRank() || weight.getRank() < 3)
    return check.error() << "an input and a weight of the same rank, found "
                         << input << " and " << weight;
  if (failed(check.expectSameDtype("input", "weight")))
    return failure();
  bool transposed = check.getCall().getBool("transposed", false);
  int64_t groups = check.getInt("groups").value_or(1);
  if (groups <= 0)
    return check.error() << "a positive number of groups, found " << groups;
  int64_t channels = input.getDimSize(batch);
  int64_t wanted = weight.getDimSize(transposed ? 0 : 1);
  if (!transposed && !ShapedType::isDynamic(wanted))
    wanted *= groups;
  if (!agree(channels, wanted))
    return check.error() << wanted << " input channels, found " << channels;
  int64_t produced = weight.getDimSize(transposed ? 1 : 0);
  if (transposed && !ShapedType::isDynamic(produced))
    produced *= groups;
  if (RankedTensorType bias = check.getTensor("bias");
      bias && !agree(bias.getShape(), produced))
    return check.error() << "'bias' of shape " << formatShape(produced)
                         << ", found " << bias;
  Shape shape;
  if (batch)
    shape.push_back(input.getDimSize(0));
  shape.push_back(produced);
  for (int64_t i = 0; i < weight.getRank() - 2; ++i)
    shape.push_back(getConvolved(check, i, input.getDimSize(batch + 1 + i),
                                 weight.getDimSize(2 + i), transposed));
  return check.expectType(0, shape, input.getElementType());
}

// The results that `output_mask` asks for are the gradients of the operands
// `names`.
static LogicalResult expectGradients(const TypeCheck &check,
                                     ArrayRef<StringRef> names) {
  const CallView &call = check.getCall();
  ArrayRef<bool> mask;
  if (std::optional<unsigned> index = call.find("output_mask"))
    if (auto array =
            dyn_cast_or_null<DenseBoolArrayAttr>(call.getAttribute(*index)))
      mask = array.asArrayRef();
  for (auto [index, name] : llvm::enumerate(names))
    if (index < mask.size() && mask[index])
      if (RankedTensorType type = check.getTensor(name);
          type && failed(check.expectShape(index, type.getShape())))
        return failure();
  return success();
}

LogicalResult aten::verifyConvolutionBackward(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGradients(check, {"input", "weight"})))
    return failure();
  return check.expectSameDtype("input", "weight");
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

// The shape after pooling over the last `spatial` dimensions.
static std::optional<Shape> getPooled(const TypeCheck &check,
                                      RankedTensorType self) {
  auto kernel = check.getInts("kernel_size");
  if (!kernel || kernel->empty())
    return std::nullopt;
  StringRef name = check.getOperation()->getName().getStringRef();
  unsigned spatial = name.contains("1d") ? 1 : name.contains("3d") ? 3 : 2;
  if (self.getRank() < spatial)
    return std::nullopt;
  bool ceil = check.getCall().getBool("ceil_mode", false);
  Shape shape(self.getShape());
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t &size = shape[shape.size() - spatial + i];
    auto window = getEntry(check, "kernel_size", i, 1);
    // The stride is the kernel's size unless it is given.
    auto stride = getEntry(check, "stride", i, window.value_or(1));
    auto padding = getEntry(check, "padding", i, 0);
    auto dilation = getEntry(check, "dilation", i, 1);
    bool known = window && stride && padding && dilation && *stride > 0 &&
                 !ShapedType::isDynamic(size);
    size = known
               ? Window{*window, *stride, *padding, *dilation}.slide(size, ceil)
               : ShapedType::kDynamic;
  }
  return shape;
}

LogicalResult aten::verifyPool(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  std::optional<Shape> shape = getPooled(check, self);
  if (!shape)
    return success();
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (failed(check.expectShape(i, *shape)))
      return failure();
  if (op->getNumResults() == 2 &&
      failed(check.expectDtype(1, IntegerType::get(op->getContext(), 64))))
    return failure();
  return check.expectDtype(0, self.getElementType());
}

LogicalResult aten::verifyAdaptivePool(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  auto size = check.getInts("output_size");
  if (!self || !size || self.getRank() < static_cast<int64_t>(size->size()))
    return success();
  Shape shape(self.getShape().drop_back(size->size()));
  llvm::append_range(shape, *size);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (failed(check.expectShape(i, shape)))
      return failure();
  return check.expectDtype(0, self.getElementType());
}

// The gradient of the operand called `self`.
LogicalResult aten::verifyGradientOfSelf(Operation *op) {
  TypeCheck check(op);
  return check.expectLike(0, check.getTensor("self"));
}

//===----------------------------------------------------------------------===//
// Padding and interpolation
//===----------------------------------------------------------------------===//

// `pad` and `padding` hold (before, after) pairs, the last dimension first.
static std::optional<Shape> getPadded(const TypeCheck &check,
                                      RankedTensorType self) {
  auto pad = check.getInts(check.getCall().find("pad") ? "pad" : "padding");
  if (!pad || pad->size() > 2 * static_cast<size_t>(self.getRank()))
    return std::nullopt;
  Shape shape(self.getShape());
  for (size_t i = 0; i + 1 < pad->size(); i += 2) {
    int64_t &size = shape[shape.size() - 1 - i / 2];
    int64_t before = (*pad)[i], after = (*pad)[i + 1];
    bool known = !ShapedType::isDynamic(size) &&
                 !ShapedType::isDynamic(before) &&
                 !ShapedType::isDynamic(after);
    size = known ? size + before + after : ShapedType::kDynamic;
  }
  return shape;
}

LogicalResult aten::verifyPad(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (auto pad = check.getInts("pad"); pad && pad->size() % 2)
    return check.error() << "pairs of padding, found " << pad->size()
                         << " numbers";
  std::optional<Shape> shape = getPadded(check, self);
  if (!shape)
    return check.error() << "at most " << self.getRank()
                         << " pairs of padding, found more";
  return check.expectType(0, *shape, self.getElementType());
}

LogicalResult aten::verifyUpsample(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self =
      check.getTensor(check.getCall().find("self") ? "self" : "input");
  auto size = check.getInts("output_size");
  if (!self || !size || self.getRank() < 3)
    return success();
  if (static_cast<int64_t>(size->size()) != self.getRank() - 2)
    return check.error() << self.getRank() - 2 << " output sizes, found "
                         << size->size();
  Shape shape(self.getShape().take_front(2));
  llvm::append_range(shape, *size);
  return check.expectType(0, shape, self.getElementType());
}

LogicalResult aten::verifyUpsampleBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType grad = check.getTensor("grad_output");
  auto size = check.getInts("input_size");
  return grad && size ? check.expectType(0, *size, grad.getElementType())
                      : success();
}

LogicalResult aten::verifyPixelShuffle(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  std::optional<int64_t> up = check.getInt("upscale_factor");
  int64_t factor = up ? *up : check.getInt("downscale_factor").value_or(1);
  if (!self)
    return success();
  if (self.getRank() < 3 || factor <= 0)
    return check.error() << "3 dimensions or more and a positive factor, found "
                         << self << " and " << factor;
  Shape shape(self.getShape());
  MutableArrayRef<int64_t> image = MutableArrayRef<int64_t>(shape).take_back(3);
  for (auto [i, size] : llvm::enumerate(image)) {
    if (ShapedType::isDynamic(size))
      continue;
    int64_t by = i == 0 ? factor * factor : factor;
    bool shrinks = (i == 0) == up.has_value();
    if (shrinks && size % by)
      return check.error() << "dimension " << self.getRank() - 3 + i
                           << " to be a multiple of " << by << ", found "
                           << size;
    size = shrinks ? size / by : size * by;
  }
  return check.expectType(0, shape, self.getElementType());
}
