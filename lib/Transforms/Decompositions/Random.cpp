// Dropout: drawing the mask apart from applying it.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

// Inference (train = False) and the two extremes have other forms: they stay.
static void decomposeDropout(Decomposer &d) {
  Value input = d.getOperand("input");
  std::optional<double> p = d.getCall().getNumber("p");
  RankedTensorType type = d.getResultType();
  if (!input || !p || *p <= 0 || *p >= 1 || !type || !type.hasStaticShape() ||
      !d.getCall().getBool("train", true))
    return d.giveUp();
  Value drawn = d.emit("aten.rand",
                       {{"", d.list(type.getShape())},
                        {"dtype", d.dtype(type.getElementType())},
                        {"device", d.device(input)}},
                       type);
  Value mask = d.compare("gt.Scalar", drawn, d.number(*p));
  // A product of a mask and a tensor has the tensor's type.
  Value kept = d.emit("aten.mul.Tensor", {{"", mask}, {"", input}}, type);
  d.replace({d.make("mul.Tensor", kept, d.number(1.0 / (1.0 - *p))), mask});
}

static void decomposeDropoutBackward(Decomposer &d) {
  Value grad = d.getOperand("grad_output");
  RankedTensorType type = d.getResultType();
  std::optional<double> factor = d.getCall().getNumber("scale");
  if (!grad || !type || !factor)
    return d.giveUp();
  Value mask = d.convert(d.getOperand("mask"), type.getElementType());
  Value scaled = d.make("mul.Tensor", mask, d.number(*factor));
  d.replace(d.make("mul.Tensor", grad, scaled));
}

void titan::populateRandomDecompositions(DecompositionTable &table) {
  table["aten.native_dropout"] = decomposeDropout;
  table["aten.native_dropout_backward"] = decomposeDropoutBackward;
}
