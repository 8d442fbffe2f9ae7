// Convolutions of any number of space dimensions and their gradients, each one
// generic over batch, group, channels, space and window. Padding is a tensor of
// zeros around the input. The gradient of the input (and a transposed
// convolution, which is one) reads the outer gradient spread by the stride.
// Products are summed in f32, in f64 of f64.
#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// The geometry of a plain convolution from `in` to `out`; channels are those
/// of one group.
struct Geometry {
  int64_t batch, groups, inChannels, outChannels;
  SmallVector<int64_t> in, out, kernel, stride, padding, dilation;
  Type compute;

  size_t getNumSpaces() const { return kernel.size(); }
};

/// The loops of a nest in the order in which they were added.
class Loops {
public:
  explicit Loops(Lowering &l) : l(l) {}
  unsigned add(int64_t size) {
    sizes.push_back(l.builder().getIndexAttr(size));
    return sizes.size() - 1;
  }
  SmallVector<unsigned> add(ArrayRef<int64_t> each) {
    return llvm::map_to_vector(each, [&](int64_t size) { return add(size); });
  }
  ArrayRef<OpFoldResult> getSizes() const { return sizes; }

private:
  Lowering &l;
  SmallVector<OpFoldResult> sizes;
};
} // namespace

static SmallVector<int64_t> join(std::initializer_list<int64_t> first,
                                 ArrayRef<int64_t> rest) {
  SmallVector<int64_t> all(first);
  llvm::append_range(all, rest);
  return all;
}

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isTransposed(Operation *op) {
  return CallView(op).getBool("transposed", false);
}

// \p small and \p large are the output and the input of the plain convolution.
static Geometry getGeometry(Lowering &l, RankedTensorType large,
                            RankedTensorType small, RankedTensorType weight) {
  Geometry g;
  g.batch = large.getDimSize(0);
  g.groups = l.call().getInt("groups").value_or(1);
  g.inChannels = large.getDimSize(1) / g.groups;
  g.outChannels = small.getDimSize(1) / g.groups;
  g.in.assign(large.getShape().begin() + 2, large.getShape().end());
  g.out.assign(small.getShape().begin() + 2, small.getShape().end());
  g.kernel.assign(weight.getShape().begin() + 2, weight.getShape().end());
  auto fill = [&](StringRef name, SmallVector<int64_t> &values) {
    values = *l.call().getInts(name);
    values.resize(g.kernel.size(), values.back());
  };
  fill("stride", g.stride);
  fill("padding", g.padding);
  fill("dilation", g.dilation);
  g.compute = getComputeType(large.getElementType());
  return g;
}

// A tensor of batch, channels and space with the channels by group.
static Value splitGroups(Lowering &l, const Geometry &g, Value value) {
  RankedTensorType type = getType(value);
  return l.reshape(value, type.clone(join({type.getDimSize(0), g.groups,
                                           type.getDimSize(1) / g.groups},
                                          type.getShape().drop_front(2))));
}

static Value splitWeight(Lowering &l, const Geometry &g, Value weight) {
  RankedTensorType type = getType(weight);
  return l.reshape(
      weight,
      type.clone(join({g.groups, g.outChannels, g.inChannels}, g.kernel)));
}

// \p value among zeros: in each dimension of space from \p starts on with
// \p steps, in \p sizes altogether.
static Value spread(Lowering &l, Value value, ArrayRef<int64_t> sizes,
                    ArrayRef<int64_t> starts, ArrayRef<int64_t> steps) {
  ImplicitLocOpBuilder &b = l.builder();
  SmallVector<OpFoldResult> offsets, strides, whole;
  RankedTensorType type = getType(value);
  size_t lead = type.getRank() - sizes.size();
  for (size_t dim = 0; dim < static_cast<size_t>(type.getRank()); ++dim) {
    bool isSpace = dim >= lead;
    offsets.push_back(b.getIndexAttr(isSpace ? starts[dim - lead] : 0));
    strides.push_back(b.getIndexAttr(isSpace ? steps[dim - lead] : 1));
    whole.push_back(
        b.getIndexAttr(isSpace ? sizes[dim - lead] : type.getDimSize(dim)));
  }
  Formula f(b, type.getElementType());
  return tensor::InsertSliceOp::create(b, value, l.filled(whole, f.integer(0)),
                                       offsets, l.sizesOf(value), strides);
}

static Value pad(Lowering &l, const Geometry &g, Value input) {
  if (llvm::all_of(g.padding, [](int64_t size) { return size == 0; }))
    return input;
  SmallVector<int64_t> sizes(g.in);
  for (auto [size, padding] : llvm::zip(sizes, g.padding))
    size += 2 * padding;
  SmallVector<int64_t> ones(sizes.size(), 1);
  return spread(l, input, sizes, g.padding, ones);
}

// The places that the windows at \p outs cover with their elements \p windows.
static void appendPlaces(Nest &nest, const Geometry &g, ArrayRef<unsigned> outs,
                         ArrayRef<unsigned> windows,
                         SmallVector<AffineExpr> &places) {
  for (size_t i = 0; i < g.getNumSpaces(); ++i)
    places.push_back(nest.loop(outs[i]) * g.stride[i] +
                     nest.loop(windows[i]) * g.dilation[i]);
}

static Value sumProducts(Nest &nest, const Geometry &g, unsigned numKept) {
  return nest.fold(
      firstLoops(numKept), g.compute, [](Formula &f) { return f.number(0); },
      [](Formula &f, Value total, ValueRange in) {
        return f.add(total, f.mul(in[0], in[1]));
      });
}

static SmallVector<unsigned> concat(std::initializer_list<unsigned> first,
                                    ArrayRef<unsigned> rest) {
  SmallVector<unsigned> all(first);
  llvm::append_range(all, rest);
  return all;
}

// All tensors have their channels by group.
static Value convolve(Lowering &l, const Geometry &g, Value input,
                      Value weight) {
  Loops loops(l);
  unsigned n = loops.add(g.batch), group = loops.add(g.groups);
  unsigned o = loops.add(g.outChannels);
  SmallVector<unsigned> outs = loops.add(g.out);
  unsigned c = loops.add(g.inChannels);
  SmallVector<unsigned> windows = loops.add(g.kernel);
  Nest nest(l, loops.getSizes());
  SmallVector<AffineExpr> places = {nest.loop(n), nest.loop(group),
                                    nest.loop(c)};
  appendPlaces(nest, g, outs, windows, places);
  nest.readAt(pad(l, g, input), places);
  nest.read(weight, concat({group, o, c}, windows));
  return sumProducts(nest, g, 3 + g.getNumSpaces());
}

static Value getWeightGradient(Lowering &l, const Geometry &g, Value grad,
                               Value input) {
  Loops loops(l);
  unsigned group = loops.add(g.groups), o = loops.add(g.outChannels);
  unsigned c = loops.add(g.inChannels);
  SmallVector<unsigned> windows = loops.add(g.kernel);
  unsigned n = loops.add(g.batch);
  SmallVector<unsigned> outs = loops.add(g.out);
  Nest nest(l, loops.getSizes());
  nest.read(grad, concat({n, group, o}, outs));
  SmallVector<AffineExpr> places = {nest.loop(n), nest.loop(group),
                                    nest.loop(c)};
  appendPlaces(nest, g, outs, windows, places);
  nest.readAt(pad(l, g, input), places);
  return sumProducts(nest, g, 3 + g.getNumSpaces());
}

// In one dimension: position h of the input has part in the outputs o with
// o * stride + k * dilation = h + padding. The gradients stand `reach` =
// dilation * (kernel - 1) from the start, `stride` apart; element k of the
// window reads at h + padding + reach - k * dilation, where there is the
// gradient of such an output or a zero.
static Value getInputGradient(Lowering &l, const Geometry &g, Value grad,
                              Value weight) {
  SmallVector<int64_t> sizes, reaches;
  for (size_t i = 0; i < g.getNumSpaces(); ++i) {
    reaches.push_back(g.dilation[i] * (g.kernel[i] - 1));
    sizes.push_back(g.in[i] + 2 * g.padding[i] + reaches.back());
  }
  Value apart = spread(l, grad, sizes, reaches, g.stride);
  Loops loops(l);
  unsigned n = loops.add(g.batch), group = loops.add(g.groups);
  unsigned c = loops.add(g.inChannels);
  SmallVector<unsigned> ins = loops.add(g.in);
  unsigned o = loops.add(g.outChannels);
  SmallVector<unsigned> windows = loops.add(g.kernel);
  Nest nest(l, loops.getSizes());
  SmallVector<AffineExpr> places = {nest.loop(n), nest.loop(group),
                                    nest.loop(o)};
  for (size_t i = 0; i < g.getNumSpaces(); ++i)
    places.push_back(nest.loop(ins[i]) + (g.padding[i] + reaches[i]) -
                     nest.loop(windows[i]) * g.dilation[i]);
  nest.readAt(apart, places);
  nest.read(weight, concat({group, o, c}, windows));
  return sumProducts(nest, g, 3 + g.getNumSpaces());
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

static Lowered lowerConvolution(Lowering &l) {
  Value input = l.tensor("input"), weight = l.tensor("weight");
  bool transposes = isTransposed(l.operation());
  RankedTensorType from = getType(input), to = l.resultType();
  Geometry g = getGeometry(l, transposes ? to : from, transposes ? from : to,
                           getType(weight));
  Value own = splitGroups(l, g, input), split = splitWeight(l, g, weight);
  Value product = transposes ? getInputGradient(l, g, own, split)
                             : convolve(l, g, own, split);
  Value joined = l.reshape(product, to.clone(g.compute));
  if (!joined)
    return failure();
  Value bias = l.tensor("bias");
  if (!bias)
    return SmallVector<Value>{l.castElements(joined, to.getElementType())};
  Nest nest(l, joined);
  nest.read(joined);
  nest.read(bias, {1});
  return SmallVector<Value>{
      nest.map(g.compute, to.getElementType(),
               [](Formula &f, ValueRange in) { return f.add(in[0], in[1]); })};
}

static Lowered lowerConvolutionBackward(Lowering &l) {
  Value grad = l.tensor("grad_output"), input = l.tensor("input");
  Value weight = l.tensor("weight");
  Geometry g = getGeometry(l, getType(input), getType(grad), getType(weight));
  Value outer = splitGroups(l, g, grad), own = splitGroups(l, g, input);
  Nest nest(l, grad);
  nest.read(grad);
  Value bias = nest.sum({1}, l.builder().getF64Type(),
                        [](Formula &, ValueRange in) { return in[0]; });
  return fitResults(l,
                    {getInputGradient(l, g, outer, splitWeight(l, g, weight)),
                     getWeightGradient(l, g, outer, own), bias});
}

static bool hasWindows(Operation *op, bool isBackward) {
  RankedTensorType input = getTensorType(op, "input");
  RankedTensorType weight = getTensorType(op, "weight");
  CallView call(op);
  if (!isAllStatic(op) || !input || !weight || input.getRank() < 3 ||
      input.getRank() != weight.getRank() ||
      !isa<FloatType>(input.getElementType()) ||
      !areLiterals(op, {"stride", "padding", "dilation", "groups"}) ||
      (isBackward && isTransposed(op)))
    return false;
  auto isGiven = [&](StringRef name) {
    auto values = call.getInts(name);
    return values && !values->empty();
  };
  return isGiven("stride") && isGiven("padding") && isGiven("dilation") &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getNumElements() > 0;
         });
}

void titan::addConvolutionLowerings(LoweringTable &table) {
  table.add({"aten.convolution"}, lowerConvolution,
            [](Operation *op) { return hasWindows(op, /*isBackward=*/false); });
  table.add({"aten.convolution_backward"}, lowerConvolutionBackward,
            [](Operation *op) {
              return hasWindows(op, /*isBackward=*/true) &&
                     op->getNumResults() == 3;
            });
}
