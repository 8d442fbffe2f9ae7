// Activations with parameters, and the gradients of activations: each formula
// is evaluated in f64 and rounded once.
#include "Elementwise.h"

#include <numbers>

using namespace mlir;
using namespace mlir::titan;

static constexpr double kRootHalf = std::numbers::sqrt2 / 2;
// 2 / sqrt(pi) * sqrt(2) / 2: the slope of the tanh form at zero.
static constexpr double kBeta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
static constexpr double kKappa = 0.044715;

//===----------------------------------------------------------------------===//
// gelu
//===----------------------------------------------------------------------===//

static bool usesTanh(Lowering &l) {
  return l.call().getString("approximate") == "tanh";
}

static Value tanhOfCubic(Formula &f, Value x) {
  Value cube = f.mul(f.mul(x, x), x);
  return f.tanh(
      f.mul(f.number(kBeta), f.add(x, f.mul(f.number(kKappa), cube))));
}

// The normal distribution up to x, twice.
static Value twiceNormalCdf(Formula &f, Value x) {
  return f.erfc(f.mul(f.neg(x), f.number(kRootHalf)));
}

static FailureOr<SmallVector<Value>> lowerGelu(Lowering &l) {
  return mapNamed(l, {"self"}, Width::Wide, [&](Formula &f, ValueRange in) {
    Value half = f.mul(in[0], f.number(0.5));
    if (usesTanh(l))
      return f.mul(half, f.add(f.number(1), tanhOfCubic(f, in[0])));
    return f.mul(half, twiceNormalCdf(f, in[0]));
  });
}

static Value geluSlope(Formula &f, Value x) {
  Value square = f.mul(x, x), half = f.number(0.5);
  Value density = f.mul(f.exp(f.mul(f.number(-0.5), square)),
                        f.number(std::numbers::inv_sqrtpi * kRootHalf));
  return f.add(f.mul(half, twiceNormalCdf(f, x)), f.mul(x, density));
}

static Value tanhGeluSlope(Formula &f, Value x) {
  Value one = f.number(1), half = f.number(0.5), t = tanhOfCubic(f, x);
  Value inner = f.mul(f.number(kBeta),
                      f.add(one, f.mul(f.number(3 * kKappa), f.mul(x, x))));
  Value right = f.mul(f.mul(f.mul(half, x), f.sub(one, f.mul(t, t))), inner);
  return f.add(f.mul(half, f.add(one, t)), right);
}

static FailureOr<SmallVector<Value>> lowerGeluBackward(Lowering &l) {
  return mapNamed(l, {"grad_output", "self"}, Width::Wide,
                  [&](Formula &f, ValueRange in) {
                    Value slope = usesTanh(l) ? tanhGeluSlope(f, in[1])
                                              : geluSlope(f, in[1]);
                    return f.mul(in[0], slope);
                  });
}

//===----------------------------------------------------------------------===//
// Formulas of the literals
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> lowerLeakyRelu(Lowering &l) {
  double slope = getParameter(l, "negative_slope", 0.01);
  return mapNamed(l, {"self"}, Width::Wide, [&](Formula &f, ValueRange in) {
    return f.select(f.greater(in[0], f.number(0)), in[0],
                    f.mul(in[0], f.number(slope)));
  });
}

static FailureOr<SmallVector<Value>> lowerLeakyReluBackward(Lowering &l) {
  double slope = getParameter(l, "negative_slope", 0.01);
  return mapNamed(l, {"grad_output", "self"}, Width::Wide,
                  [&](Formula &f, ValueRange in) {
                    return f.select(f.greater(in[1], f.number(0)), in[0],
                                    f.mul(in[0], f.number(slope)));
                  });
}

static FailureOr<SmallVector<Value>> lowerElu(Lowering &l) {
  double alpha = getParameter(l, "alpha", 1),
         scale = getParameter(l, "scale", 1);
  double inputScale = getParameter(l, "input_scale", 1);
  return mapNamed(l, {"self"}, Width::Wide, [&](Formula &f, ValueRange in) {
    Value x = in[0];
    Value low = f.mul(f.number(alpha * scale),
                      f.apply<math::ExpM1Op>(f.mul(x, f.number(inputScale))));
    Value high = f.mul(x, f.number(scale));
    return f.select(f.either(f.greater(x, f.number(0)), f.isNan(x)), high, low);
  });
}

static FailureOr<SmallVector<Value>> lowerSoftplus(Lowering &l) {
  double beta = getParameter(l, "beta", 1);
  double threshold = getParameter(l, "threshold", 20);
  return mapNamed(l, {"self"}, Width::Wide, [&](Formula &f, ValueRange in) {
    Value factor = f.number(beta), scaled = f.mul(in[0], factor);
    Value soft = f.div(f.log1p(f.exp(scaled)), factor);
    return f.select(f.greater(scaled, f.number(threshold)), in[0], soft);
  });
}

static FailureOr<SmallVector<Value>> lowerSoftplusBackward(Lowering &l) {
  double beta = getParameter(l, "beta", 1);
  double threshold = getParameter(l, "threshold", 20);
  return mapNamed(
      l, {"grad_output", "self"}, Width::Wide, [&](Formula &f, ValueRange in) {
        Value scaled = f.mul(in[1], f.number(beta));
        Value soft = f.div(in[0], f.add(f.number(1), f.exp(f.neg(scaled))));
        return f.select(f.greater(scaled, f.number(threshold)), in[0], soft);
      });
}

static FailureOr<SmallVector<Value>> lowerHardTanh(Lowering &l) {
  double low = getParameter(l, "min_val", -1);
  double high = getParameter(l, "max_val", 1);
  return mapNamed(l, {"self"}, Width::Narrow, [&](Formula &f, ValueRange in) {
    return f.minimum(f.maximum(in[0], f.number(low)), f.number(high));
  });
}

static FailureOr<SmallVector<Value>> lowerHardTanhBackward(Lowering &l) {
  double low = getParameter(l, "min_val", -1);
  double high = getParameter(l, "max_val", 1);
  return mapNamed(l, {"grad_output", "self"}, Width::Narrow,
                  [&](Formula &f, ValueRange in) {
                    Value isOutside =
                        f.either(f.lessEqual(in[1], f.number(low)),
                                 f.greaterEqual(in[1], f.number(high)));
                    return f.select(isOutside, f.number(0), in[0]);
                  });
}

static FailureOr<SmallVector<Value>> lowerThreshold(Lowering &l) {
  double threshold = getParameter(l, "threshold", 0);
  double value = getParameter(l, "value", 0);
  return mapNamed(l, {"self"}, Width::Narrow, [&](Formula &f, ValueRange in) {
    return f.select(f.lessEqual(in[0], f.number(threshold)), f.number(value),
                    in[0]);
  });
}

static FailureOr<SmallVector<Value>> lowerThresholdBackward(Lowering &l) {
  double threshold = getParameter(l, "threshold", 0);
  return mapNamed(l, {"grad_output", "self"}, Width::Narrow,
                  [&](Formula &f, ValueRange in) {
                    return f.select(f.lessEqual(in[1], f.number(threshold)),
                                    f.number(0), in[0]);
                  });
}

static FailureOr<SmallVector<Value>> lowerDropoutBackward(Lowering &l) {
  double scale = getParameter(l, "scale", 1);
  return mapNamed(l, {"grad_output", "mask"}, Width::Wide,
                  [&](Formula &f, ValueRange in) {
                    return f.mul(f.mul(in[0], in[1]), f.number(scale));
                  });
}

//===----------------------------------------------------------------------===//
// Gradients without parameters
//===----------------------------------------------------------------------===//

namespace {
struct Gradient {
  StringLiteral name;
  /// The operand beside `grad_output`.
  StringLiteral other;
  Value (*formula)(Formula &, Value grad, Value x);
};
} // namespace

static constexpr Gradient kGradients[] = {
    {"aten.sigmoid_backward", "output",
     [](Formula &f, Value grad, Value y) {
       return f.mul(f.mul(grad, f.sub(f.number(1), y)), y);
     }},
    {"aten.tanh_backward", "output",
     [](Formula &f, Value grad, Value y) {
       return f.mul(grad, f.sub(f.number(1), f.mul(y, y)));
     }},
    {"aten.silu_backward", "self",
     [](Formula &f, Value grad, Value x) {
       Value s = f.sigmoid(x), one = f.number(1);
       return f.mul(f.mul(grad, s), f.add(one, f.mul(x, f.sub(one, s))));
     }},
    {"aten.mish_backward", "self",
     [](Formula &f, Value grad, Value x) {
       Value one = f.number(1), t = f.tanh(f.log1p(f.exp(x)));
       Value slope = f.div(f.mul(x, f.sub(one, f.mul(t, t))),
                           f.add(one, f.exp(f.neg(x))));
       return f.mul(grad, f.add(t, slope));
     }},
    {"aten.log_sigmoid_backward", "self",
     [](Formula &f, Value grad, Value x) {
       return f.div(grad, f.add(f.number(1), f.exp(x)));
     }},
    {"aten.hardsigmoid_backward", "self",
     [](Formula &f, Value grad, Value x) {
       Value isInside =
           f.both(f.greater(x, f.number(-3)), f.less(x, f.number(3)));
       // PyTorch's constant is an f32, whatever the type.
       return f.select(isInside, f.mul(grad, f.number(1.0f / 6.0f)),
                       f.number(0));
     }},
    {"aten.hardswish_backward", "self",
     [](Formula &f, Value grad, Value x) {
       Value slope = f.add(f.div(x, f.number(3)), f.number(0.5));
       Value middle =
           f.select(f.less(x, f.number(3)), f.mul(grad, slope), grad);
       return f.select(f.lessEqual(x, f.number(-3)), f.number(0), middle);
     }},
};

void titan::addActivationLowerings(LoweringTable &table) {
  auto add = [&](StringRef name, auto lower) {
    table.add({name}, lower, hasResultOf(NumberKinds::Floats));
  };
  for (const Gradient &entry : kGradients)
    add(entry.name, [&entry](Lowering &l) {
      return mapNamed(l, {"grad_output", entry.other}, Width::Wide,
                      [&](Formula &f, ValueRange in) {
                        return entry.formula(f, in[0], in[1]);
                      });
    });
  add("aten.gelu", lowerGelu);
  add("aten.gelu_backward", lowerGeluBackward);
  add("aten.elu", lowerElu);
  add("aten.leaky_relu", lowerLeakyRelu);
  add("aten.leaky_relu_backward", lowerLeakyReluBackward);
  add("aten.softplus", lowerSoftplus);
  add("aten.softplus_backward", lowerSoftplusBackward);
  add("aten.hardtanh", lowerHardTanh);
  add("aten.hardtanh_backward", lowerHardTanhBackward);
  add("aten.threshold", lowerThreshold);
  add("aten.threshold_backward", lowerThresholdBackward);
  add("aten.native_dropout_backward", lowerDropoutBackward);
}
