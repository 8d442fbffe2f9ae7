// Layer norm and root-mean-square norm, with their backward.
#include "Decomposer.h"

#include <numeric>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// The dimensions that a norm works over, and those before them.
struct NormShape {
  SmallVector<int64_t> outer;
  SmallVector<int64_t> inner;
  /// Elements of the inner dimensions.
  int64_t size = 1;
};
} // namespace

// Gives up where the inner dimensions are unknown.
static std::optional<NormShape> getNormShape(Decomposer &d, Value input) {
  std::optional<SmallVector<int64_t>> shape =
      d.getCall().getInts("normalized_shape");
  auto type =
      input ? dyn_cast<RankedTensorType>(input.getType()) : RankedTensorType();
  if (!shape || !type || static_cast<int64_t>(shape->size()) > type.getRank()) {
    d.giveUp();
    return std::nullopt;
  }
  NormShape result;
  int64_t border = type.getRank() - shape->size();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    (dim < border ? result.outer : result.inner).push_back(dim);
    if (dim < border)
      continue;
    if (type.isDynamicDim(dim)) {
      d.giveUp();
      return std::nullopt;
    }
    result.size *= type.getDimSize(dim);
  }
  return result;
}

static Value sum(Decomposer &d, Value x, ArrayRef<int64_t> dims,
                 bool keepDims) {
  return d.reduce("sum.dim_IntList", x, dims, keepDims);
}

// A gradient of a weight or a bias: what is left after summing over the rows.
static Value sumRows(Decomposer &d, Value x, const NormShape &shape,
                     unsigned result) {
  Value total = shape.outer.empty() ? x : sum(d, x, shape.outer, false);
  return d.narrow(total, result);
}

static Value scale(Decomposer &d, Value x, Value weight) {
  return weight ? d.make("mul.Tensor", x, d.widen(weight)) : x;
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

static void decomposeLayerNorm(Decomposer &d) {
  Value input = d.getOperand("input");
  std::optional<NormShape> shape = getNormShape(d, input);
  std::optional<double> eps = d.getCall().getNumber("eps");
  Value wide = d.widen(input);
  if (!shape || !eps || !wide)
    return d.giveUp();
  auto type = cast<RankedTensorType>(wide.getType());
  SmallVector<int64_t> reduced(type.getShape());
  for (int64_t dim : shape->inner)
    reduced[dim] = 1;
  Type statistic = type.clone(reduced);
  SmallVector<Value> moments = d.emitMany("aten.var_mean.correction",
                                          {{"", wide},
                                           {"", d.list(shape->inner)},
                                           {"correction", d.integer(0)},
                                           {"keepdim", d.flag(true)}},
                                          {statistic, statistic});
  Value rstd =
      d.make("rsqrt", d.make("add.Tensor", moments[0], d.number(*eps)));
  Value centred = d.make("sub.Tensor", wide, moments[1]);
  Value output = scale(d, d.make("mul.Tensor", centred, rstd),
                       d.getOptionalOperand("weight"));
  if (Value bias = d.getOptionalOperand("bias"))
    output = d.make("add.Tensor", output, d.widen(bias));
  output = d.narrow(output, 0);
  d.replace({output, d.isUsed(1) ? d.narrow(moments[1], 1) : Value(),
             d.isUsed(2) ? d.narrow(rstd, 2) : Value()});
}

// rstd / n * (n * g - sum(g) - x * sum(g * x)), x normalized, g scaled.
static Value makeLayerNormGrad(Decomposer &d, Value normalized, Value grad,
                               Value rstd, const NormShape &shape) {
  Value times = d.make("mul.Tensor", grad, d.integer(shape.size));
  Value total = sum(d, grad, shape.inner, true);
  Value projection =
      sum(d, d.make("mul.Tensor", grad, normalized), shape.inner, true);
  Value along = d.make("mul.Tensor", normalized, projection);
  Value inner = d.make("sub.Tensor", d.make("sub.Tensor", times, total), along);
  Value factor = d.make("div.Tensor", rstd, d.integer(shape.size));
  return d.make("mul.Tensor", factor, inner);
}

static void decomposeLayerNormBackward(Decomposer &d) {
  Value input = d.getOperand("input");
  std::optional<NormShape> shape = getNormShape(d, input);
  if (!shape)
    return;
  Value grad = d.widen(d.getOperand("grad_out"));
  Value rstd = d.widen(d.getOperand("rstd"));
  Value wide = d.widen(input);
  Value mean = d.widen(d.getOperand("mean"));
  Value centred = d.make("sub.Tensor", wide, mean);
  Value normalized = d.make("mul.Tensor", centred, rstd);
  Value gradInput, gradWeight, gradBias;
  if (d.isUsed(0))
    gradInput = d.narrow(
        makeLayerNormGrad(d, normalized,
                          scale(d, grad, d.getOptionalOperand("weight")), rstd,
                          *shape),
        0);
  if (d.isUsed(1))
    gradWeight = sumRows(d, d.make("mul.Tensor", grad, normalized), *shape, 1);
  if (d.isUsed(2))
    gradBias = sumRows(d, grad, *shape, 2);
  d.replace({gradInput, gradWeight, gradBias});
}

//===----------------------------------------------------------------------===//
// Root-mean-square norm
//===----------------------------------------------------------------------===//

// Without an epsilon PyTorch takes the smallest step of the type it computes
// in.
static std::optional<double> getEpsilon(Decomposer &d, Value wide) {
  if (std::optional<double> eps = d.getCall().getNumber("eps"))
    return eps;
  auto type = wide
                  ? dyn_cast<FloatType>(
                        cast<RankedTensorType>(wide.getType()).getElementType())
                  : FloatType();
  if (!type)
    return std::nullopt;
  return type.isF64() ? std::numeric_limits<double>::epsilon()
                      : std::numeric_limits<float>::epsilon();
}

static void decomposeRmsNorm(Decomposer &d) {
  Value input = d.getOperand("input");
  std::optional<NormShape> shape = getNormShape(d, input);
  Value wide = d.widen(input);
  std::optional<double> eps = getEpsilon(d, wide);
  if (!shape || !eps)
    return d.giveUp();
  Value square = d.make("pow.Tensor_Scalar", wide, d.integer(2));
  Value mean = d.reduce("mean.dim", square, shape->inner, true);
  Value rstd = d.make("rsqrt", d.make("add.Tensor", mean, d.number(*eps)));
  Value output = scale(d, d.make("mul.Tensor", wide, rstd),
                       d.getOptionalOperand("weight"));
  output = d.narrow(output, 0);
  d.replace({output, d.isUsed(1) ? d.narrow(rstd, 1) : Value()});
}

static void decomposeRmsNormBackward(Decomposer &d) {
  Value input = d.getOperand("input");
  std::optional<NormShape> shape = getNormShape(d, input);
  if (!shape)
    return;
  Value grad = d.widen(d.getOperand("grad_out"));
  Value rstd = d.widen(d.getOperand("rstd"));
  Value normalized = d.make("mul.Tensor", d.widen(input), rstd);
  Value gradInput, gradWeight;
  if (d.isUsed(0)) {
    Value scaled = scale(d, grad, d.getOptionalOperand("weight"));
    Value projection =
        sum(d, d.make("mul.Tensor", normalized, scaled), shape->inner, true);
    Value mean = d.make("div.Tensor", normalized, d.integer(shape->size));
    Value inner =
        d.make("sub.Tensor", scaled, d.make("mul.Tensor", mean, projection));
    gradInput = d.narrow(d.make("mul.Tensor", inner, rstd), 0);
  }
  if (d.isUsed(1))
    gradWeight = sumRows(d, d.make("mul.Tensor", grad, normalized), *shape, 1);
  d.replace({gradInput, gradWeight});
}

void titan::populateNormDecompositions(DecompositionTable &table) {
  table["aten.native_layer_norm"] = decomposeLayerNorm;
  table["aten.native_layer_norm_backward"] = decomposeLayerNormBackward;
  table["aten._fused_rms_norm"] = decomposeRmsNorm;
  table["aten._fused_rms_norm_backward"] = decomposeRmsNormBackward;
}
