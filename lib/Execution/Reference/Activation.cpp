// Activations with parameters, and the gradients of activations.
#include "Pointwise.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::titan;

static constexpr StringRef kSelf[] = {"self"};
static constexpr StringRef kGradSelf[] = {"grad_output", "self"};
static constexpr StringRef kGradOutput[] = {"grad_output", "output"};

template <typename Element>
static LogicalResult mapSelf(Call &call, Element element) {
  return mapElements<double>(call, kSelf, call.resultType(), element);
}

template <typename Element>
static LogicalResult mapGrad(Call &call, Element element) {
  return mapElements<double>(call, kGradSelf, call.resultType(), element);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static constexpr double kRootHalf = std::numbers::sqrt2 / 2;
// 2 / sqrt(pi) * sqrt(2) / 2: the slope of the tanh form at zero.
static const double kBeta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
static constexpr double kKappa = 0.044715;

static LogicalResult computeGelu(Call &call) {
  if (call.text("approximate") == "tanh")
    return mapSelf(call, [](double x) {
      return 0.5 * x * (1 + std::tanh(kBeta * (x + kKappa * x * x * x)));
    });
  return mapSelf(call,
                 [](double x) { return x * 0.5 * std::erfc(-x * kRootHalf); });
}

static LogicalResult computeGeluBackward(Call &call) {
  if (call.text("approximate") == "tanh")
    return mapGrad(call, [](double grad, double x) {
      double t = std::tanh(kBeta * (x + kKappa * x * x * x));
      double slope = kBeta * (1 + 3 * kKappa * x * x);
      return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope);
    });
  return mapGrad(call, [](double grad, double x) {
    double density =
        std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi * kRootHalf;
    return grad * (0.5 * std::erfc(-x * kRootHalf) + x * density);
  });
}

static LogicalResult computeElu(Call &call) {
  double alpha = call.scalar("alpha", 1), scale = call.scalar("scale", 1);
  double inputScale = call.scalar("input_scale", 1);
  return mapSelf(call, [=](double x) {
    return x > 0 || std::isnan(x) ? x * scale
                                  : alpha * scale * std::expm1(x * inputScale);
  });
}

static LogicalResult computeEluBackward(Call &call) {
  static constexpr StringRef kNames[] = {"grad_output", "self_or_result"};
  double alpha = call.scalar("alpha", 1), scale = call.scalar("scale", 1);
  double inputScale = call.scalar("input_scale", 1);
  bool isResult = call.flag("is_result");
  return mapElements<double>(
      call, kNames, call.resultType(), [=](double grad, double x) {
        if (x > 0)
          return grad * scale;
        return isResult ? grad * inputScale * (x + alpha * scale)
                        : grad * inputScale * alpha * scale *
                              std::exp(x * inputScale);
      });
}

static LogicalResult computeCelu(Call &call) {
  double alpha = call.scalar("alpha", 1);
  return mapSelf(call, [=](double x) {
    return x > 0 ? x : alpha * std::expm1(x / alpha);
  });
}

static LogicalResult computeLeakyRelu(Call &call) {
  double slope = call.scalar("negative_slope", 0.01);
  return mapSelf(call, [=](double x) { return x > 0 ? x : x * slope; });
}

static LogicalResult computeSoftplus(Call &call) {
  double beta = call.scalar("beta", 1),
         threshold = call.scalar("threshold", 20);
  return mapSelf(call, [=](double x) {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  });
}

static LogicalResult computeHardTanh(Call &call) {
  double low = call.scalar("min_val", -1), high = call.scalar("max_val", 1);
  return mapSelf(call, [=](double x) {
    return std::isnan(x) ? x : std::min(std::max(x, low), high);
  });
}

static LogicalResult computeShrink(Call &call, bool isSoft) {
  double lambda = call.scalar("lambd", 0.5);
  return mapSelf(call, [=](double x) {
    if (x >= -lambda && x <= lambda)
      return 0.0;
    return isSoft ? (x > lambda    ? x - lambda
                     : x < -lambda ? x + lambda
                                   : x)
                  : x;
  });
}

static LogicalResult computeThreshold(Call &call) {
  double threshold = call.scalar("threshold"), value = call.scalar("value");
  return mapSelf(call, [=](double x) { return x <= threshold ? value : x; });
}

static LogicalResult computeLogit(Call &call) {
  bool clamps = call.has("eps");
  double eps = call.scalar("eps");
  return mapSelf(call, [=](double x) {
    if (clamps)
      x = x < eps ? eps : x > 1 - eps ? 1 - eps : x;
    return std::log(x / (1 - x));
  });
}

static LogicalResult computeLogitBackward(Call &call) {
  bool clamps = call.has("eps");
  double eps = call.scalar("eps");
  return mapGrad(call, [=](double grad, double x) {
    if (clamps && (x < eps || x > 1 - eps))
      return 0.0;
    if (!clamps && (x < 0 || x > 1))
      return std::nan("");
    return grad / (x * (1 - x));
  });
}

// The buffer is what the vectorised kernel keeps; ours keeps nothing.
static LogicalResult computeLogSigmoidForward(Call &call) {
  if (failed(mapSelf(call, [](double x) {
        return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x)));
      })))
    return failure();
  if (call.getNumResults() < 2 || !call.isWanted(1))
    return success();
  std::optional<Shape> declared = call.getStaticShape(1);
  if (declared && countElements(*declared) == 0)
    return call.set(1, Tensor(call.resultType(1), *declared));
  Tensor self = call.tensor("self");
  std::vector<double> buffer = self.getValues<double>();
  for (double &value : buffer)
    value = std::exp(-std::abs(value));
  return call.set(1, self.getShape(), buffer);
}

// Halves along a dimension: the first times the sigmoid of the second.
static LogicalResult computeGlu(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim", -1), self.getRank());
  if (failed(dim) || self.getRank() == 0 || self.getDim(*dim) % 2)
    return call.fail("expected a dimension of an even size");
  int64_t half = self.getDim(*dim) / 2;
  Tensor first = self.slice(*dim, 0, half);
  std::vector<double> a = first.getValues<double>();
  std::vector<double> b = self.slice(*dim, half, half).getValues<double>();
  for (size_t i = 0; i < a.size(); ++i)
    a[i] /= 1 + std::exp(-b[i]);
  return call.set(0, first.getShape(), a);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

static LogicalResult computeSoftplusBackward(Call &call) {
  double beta = call.scalar("beta", 1),
         threshold = call.scalar("threshold", 20);
  return mapGrad(call, [=](double grad, double x) {
    return x * beta > threshold ? grad : grad / (1 + std::exp(-x * beta));
  });
}

static LogicalResult computeHardTanhBackward(Call &call) {
  double low = call.scalar("min_val", -1), high = call.scalar("max_val", 1);
  return mapGrad(call, [=](double grad, double x) {
    return x <= low || x >= high ? 0 : grad;
  });
}

static LogicalResult computeLeakyReluBackward(Call &call) {
  double slope = call.scalar("negative_slope", 0.01);
  return mapGrad(
      call, [=](double grad, double x) { return x > 0 ? grad : grad * slope; });
}

static LogicalResult computeThresholdBackward(Call &call) {
  double threshold = call.scalar("threshold");
  return mapGrad(
      call, [=](double grad, double x) { return x <= threshold ? 0 : grad; });
}

static LogicalResult computeMishBackward(Call &call) {
  return mapGrad(call, [](double grad, double x) {
    double t = std::tanh(std::log1p(std::exp(x)));
    return grad * (t + x * (1 - t * t) / (1 + std::exp(-x)));
  });
}

static LogicalResult computeDropoutBackward(Call &call) {
  static constexpr StringRef kNames[] = {"grad_output", "mask"};
  double scale = call.scalar("scale", 1);
  return mapElements<double>(
      call, kNames, call.resultType(),
      [=](double grad, double mask) { return grad * mask * scale; });
}

// In training the noise is the slope of each element.
static LogicalResult computeRreluBackward(Call &call) {
  static constexpr StringRef kNames[] = {"grad_output", "self", "noise"};
  double slope = (call.number("lower") + call.number("upper")) / 2;
  bool isTraining = call.flag("training");
  return mapElements<double>(
      call, kNames, call.resultType(),
      [=](double grad, double x, double noise) {
        return isTraining ? grad * noise : x > 0 ? grad : grad * slope;
      });
}

void titan::addActivationKernels(KernelTable &table) {
  table.add("aten.gelu", computeGelu);
  table.add("aten.elu", computeElu);
  table.add("aten.celu", computeCelu);
  table.add("aten.leaky_relu", computeLeakyRelu);
  table.add("aten.softplus", computeSoftplus);
  table.add("aten.hardtanh", computeHardTanh);
  table.add("aten.hardshrink",
            [](Call &call) { return computeShrink(call, false); });
  table.add("aten.softshrink",
            [](Call &call) { return computeShrink(call, true); });
  table.add("aten.threshold", computeThreshold);
  table.add("aten.logit", computeLogit);
  table.add("aten.log_sigmoid_forward", computeLogSigmoidForward);
  table.add("aten.glu", computeGlu);

  table.add("aten.gelu_backward", computeGeluBackward);
  table.add("aten.elu_backward", computeEluBackward);
  table.add("aten.hardsigmoid_backward", [](Call &call) {
    return mapGrad(call, [](double grad, double x) {
      // PyTorch's constant is an f32, whatever the type.
      return x > -3 && x < 3 ? grad * (1.0f / 6.0f) : 0;
    });
  });
  table.add("aten.hardswish_backward", [](Call &call) {
    return mapGrad(call, [](double grad, double x) {
      return x <= -3 ? 0 : x < 3 ? grad * (x / 3 + 0.5) : grad;
    });
  });
  table.add("aten.hardtanh_backward", computeHardTanhBackward);
  table.add("aten.leaky_relu_backward", computeLeakyReluBackward);
  table.add("aten.log_sigmoid_backward", [](Call &call) {
    return mapGrad(
        call, [](double grad, double x) { return grad / (1 + std::exp(x)); });
  });
  table.add("aten.logit_backward", computeLogitBackward);
  table.add("aten.mish_backward", computeMishBackward);
  table.add("aten.sigmoid_backward", [](Call &call) {
    return mapElements<double>(
        call, kGradOutput, call.resultType(),
        [](double grad, double y) { return grad * (1 - y) * y; });
  });
  table.add("aten.silu_backward", [](Call &call) {
    return mapGrad(call, [](double grad, double x) {
      double s = 1 / (1 + std::exp(-x));
      return grad * s * (1 + x * (1 - s));
    });
  });
  table.add("aten.softplus_backward", computeSoftplusBackward);
  table.add("aten.tanh_backward", [](Call &call) {
    return mapElements<double>(
        call, kGradOutput, call.resultType(),
        [](double grad, double y) { return grad * (1 - y * y); });
  });
  table.add("aten.threshold_backward", computeThresholdBackward);
  table.add("aten.native_dropout_backward", computeDropoutBackward);
  table.add("aten.rrelu_with_noise_backward", computeRreluBackward);
}
