// Activations and their backward. Half precision is computed in f32.
#include "Decomposer.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

static void decomposeSilu(Decomposer &d) {
  Value x = d.widen(d.getOperand("self"));
  Value denominator =
      d.make("add.Tensor", d.make("exp", d.make("neg", x)), d.integer(1));
  d.replace(d.narrow(d.make("div.Tensor", x, denominator)));
}

static void decomposeSiluBackward(Decomposer &d) {
  Value grad = d.widen(d.getOperand("grad_output"));
  Value x = d.widen(d.getOperand("self"));
  Value sigmoid = d.make("sigmoid", x);
  Value scaled = d.make("mul.Tensor", grad, sigmoid);
  Value rest = d.make("sub.Tensor", d.integer(1), sigmoid);
  Value slope =
      d.make("add.Tensor", d.make("mul.Tensor", x, rest), d.integer(1));
  d.replace(d.narrow(d.make("mul.Tensor", scaled, slope)));
}

// grad * y * (1 - y)
static void decomposeSigmoidBackward(Decomposer &d) {
  Value grad = d.widen(d.getOperand("grad_output"));
  Value y = d.widen(d.getOperand("output"));
  Value slope = d.make("mul.Tensor", y, d.make("sub.Tensor", d.integer(1), y));
  d.replace(d.narrow(d.make("mul.Tensor", grad, slope)));
}

// grad * (1 - y * y)
static void decomposeTanhBackward(Decomposer &d) {
  Value grad = d.widen(d.getOperand("grad_output"));
  Value y = d.widen(d.getOperand("output"));
  Value slope = d.make("sub.Tensor", d.integer(1), d.make("mul.Tensor", y, y));
  d.replace(d.narrow(d.make("mul.Tensor", grad, slope)));
}

static constexpr double kCubic = 0.044715;

static bool isTanhApproximation(Decomposer &d) {
  return d.getCall().getString("approximate") == "tanh";
}

// sqrt(2/pi) * (x + 0.044715 x^3)
static Value makeTanhArgument(Decomposer &d, Value x, Value square) {
  Value cube = d.make("mul.Tensor", square, x);
  Value sum =
      d.make("add.Tensor", x, d.make("mul.Tensor", cube, d.number(kCubic)));
  return d.make("mul.Tensor", sum,
                d.number(std::sqrt(2.0) * 2 / std::sqrt(M_PI) * 0.5));
}

static void decomposeGelu(Decomposer &d) {
  Value x = d.widen(d.getOperand("self"));
  if (isTanhApproximation(d)) {
    Value inner = makeTanhArgument(d, x, d.make("mul.Tensor", x, x));
    Value half = d.make("mul.Tensor", x, d.number(0.5));
    Value sum = d.make("add.Tensor", d.make("tanh", inner), d.integer(1));
    return d.replace(d.narrow(d.make("mul.Tensor", half, sum)));
  }
  Value half = d.make("mul.Tensor", x, d.number(0.5));
  Value erf = d.make("erf", d.make("mul.Tensor", x, d.number(M_SQRT1_2)));
  Value sum = d.make("add.Tensor", erf, d.integer(1));
  d.replace(d.narrow(d.make("mul.Tensor", half, sum)));
}

static Value makeTanhSlope(Decomposer &d, Value x) {
  Value square = d.make("mul.Tensor", x, x);
  Value inner = makeTanhArgument(d, x, square);
  Value tanh = d.make("tanh", inner);
  Value halfX = d.make("mul.Tensor", x, d.number(0.5));
  Value left = d.make("mul.Tensor", d.make("add.Tensor", tanh, d.integer(1)),
                      d.number(0.5));
  Value sech =
      d.make("sub.Tensor", d.integer(1), d.make("mul.Tensor", tanh, tanh));
  Value cubic = d.make("mul.Tensor", square, d.number(3 * kCubic));
  Value innerSlope =
      d.make("mul.Tensor", d.make("add.Tensor", cubic, d.integer(1)),
             d.number(std::sqrt(2.0) * 2 / std::sqrt(M_PI) * 0.5));
  Value right =
      d.make("mul.Tensor", d.make("mul.Tensor", halfX, sech), innerSlope);
  return d.make("add.Tensor", left, right);
}

// The normal distribution's function and x times its density.
static Value makeErfSlope(Decomposer &d, Value x) {
  Value erf = d.make("erf", d.make("mul.Tensor", x, d.number(M_SQRT1_2)));
  Value function = d.make("mul.Tensor", d.make("add.Tensor", erf, d.integer(1)),
                          d.number(0.5));
  Value exponent =
      d.make("mul.Tensor", d.make("mul.Tensor", x, x), d.number(-0.5));
  Value density = d.make("mul.Tensor", d.make("exp", exponent),
                         d.number(2 / std::sqrt(M_PI) * M_SQRT1_2 * 0.5));
  return d.make("add.Tensor", function, d.make("mul.Tensor", x, density));
}

static void decomposeGeluBackward(Decomposer &d) {
  Value grad = d.widen(d.getOperand("grad_output"));
  Value x = d.widen(d.getOperand("self"));
  Value slope =
      isTanhApproximation(d) ? makeTanhSlope(d, x) : makeErfSlope(d, x);
  d.replace(d.narrow(d.make("mul.Tensor", grad, slope)));
}

static void decomposeThresholdBackward(Decomposer &d) {
  Value grad = d.getOperand("grad_output");
  Value self = d.getOperand("self");
  RankedTensorType type = d.getResultType();
  if (!grad || !self || !type)
    return d.giveUp();
  Value isBelow = d.compare("le.Scalar", self, d.getArgument("threshold"));
  Value zero = d.constant(0, type.getElementType(), self);
  d.replace(d.select(isBelow, zero, grad));
}

void titan::populateActivationDecompositions(DecompositionTable &table) {
  table["aten.silu"] = decomposeSilu;
  table["aten.silu_backward"] = decomposeSiluBackward;
  table["aten.sigmoid_backward"] = decomposeSigmoidBackward;
  table["aten.tanh_backward"] = decomposeTanhBackward;
  table["aten.gelu"] = decomposeGelu;
  table["aten.gelu_backward"] = decomposeGeluBackward;
  table["aten.threshold_backward"] = decomposeThresholdBackward;
}
