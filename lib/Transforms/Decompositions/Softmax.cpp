#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

// The values shifted so that the largest is zero, in the type to compute in.
static Value shift(Decomposer &d, Value x, int64_t dim) {
  Value wide = d.widen(x);
  return d.make("sub.Tensor", wide, d.reduce("amax", wide, {dim}, true));
}

static Value sum(Decomposer &d, Value x, int64_t dim) {
  return d.reduce("sum.dim_IntList", x, {dim}, /*keepDims=*/true);
}

static int64_t getDim(Decomposer &d) {
  std::optional<int64_t> dim = d.getCall().getInt("dim");
  if (!dim)
    d.giveUp();
  return dim.value_or(0);
}

static void decomposeSoftmax(Decomposer &d) {
  int64_t dim = getDim(d);
  Value exp = d.make("exp", shift(d, d.getOperand("self"), dim));
  d.replace(d.narrow(d.make("div.Tensor", exp, sum(d, exp, dim))));
}

static void decomposeLogSoftmax(Decomposer &d) {
  int64_t dim = getDim(d);
  Value shifted = shift(d, d.getOperand("self"), dim);
  Value log = d.make("log", sum(d, d.make("exp", shifted), dim));
  d.replace(d.narrow(d.make("sub.Tensor", shifted, log)));
}

// Inductor fuses the last two steps into prims.fma(-output, sum, product).
static void decomposeSoftmaxBackward(Decomposer &d) {
  int64_t dim = getDim(d);
  Value output = d.widen(d.getOperand("output"));
  Value product =
      d.make("mul.Tensor", d.widen(d.getOperand("grad_output")), output);
  Value total = sum(d, product, dim);
  Value negated = d.make("neg", output);
  if (!product)
    return d.giveUp();
  d.replace(
      d.narrow(d.emit("prims.fma", {{"", negated}, {"", total}, {"", product}},
                      product.getType())));
}

static void decomposeLogSoftmaxBackward(Decomposer &d) {
  int64_t dim = getDim(d);
  Value grad = d.widen(d.getOperand("grad_output"));
  Value exp = d.make("exp", d.widen(d.getOperand("output")));
  Value scaled = d.make("mul.Tensor", exp, sum(d, grad, dim));
  d.replace(d.narrow(d.make("sub.Tensor", grad, scaled)));
}

void titan::populateSoftmaxDecompositions(DecompositionTable &table) {
  table["aten._softmax"] = decomposeSoftmax;
  table["aten._log_softmax"] = decomposeLogSoftmax;
  table["aten._softmax_backward_data"] = decomposeSoftmaxBackward;
  table["aten._log_softmax_backward_data"] = decomposeLogSoftmaxBackward;
}
