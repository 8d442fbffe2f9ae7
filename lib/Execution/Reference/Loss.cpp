// Losses and their gradients. `reduction` is 0 for none, 1 for the mean, 2 for
// the sum.
#include "titan/Execution/Kernel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

namespace {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

} // namespace

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

// The elements of `self` and `target` (and `weight`, 1 if absent).
static FailureOr<Shape> getElements(Call &call, Values &x, Values &y,
                                    Values &weight) {
  std::vector<Tensor> operands = {call.tensor("self"), call.tensor("target")};
  bool isWeighted = call.has("weight");
  if (isWeighted)
    operands.push_back(call.tensor("weight"));
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  x = operands[0].expand(*shape).getValues<double>();
  y = operands[1].expand(*shape).getValues<double>();
  weight = isWeighted ? operands[2].expand(*shape).getValues<double>()
                      : Values(x.size(), 1);
  return shape;
}

static LogicalResult reduce(Call &call, ArrayRef<int64_t> shape,
                            const Values &losses) {
  int64_t reduction = call.integer("reduction", kMean);
  if (reduction == kNone)
    return call.set(0, shape, losses);
  double total = 0;
  for (double loss : losses)
    total += loss;
  if (reduction == kMean)
    total /= static_cast<double>(losses.size());
  return call.set(0, {}, Values{total});
}

// \p loss of each element and its target, weighted and reduced.
template <typename Loss>
static LogicalResult computeLoss(Call &call, Loss loss) {
  Values x, y, weight;
  FailureOr<Shape> shape = getElements(call, x, y, weight);
  if (failed(shape))
    return failure();
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = loss(x[i], y[i]) * weight[i];
  return reduce(call, *shape, x);
}

// \p slope of each element, times the gradient of the loss; of a mean each
// element has its share.
template <typename Slope>
static LogicalResult computeLossBackward(Call &call, Slope slope) {
  Values x, y, weight;
  FailureOr<Shape> shape = getElements(call, x, y, weight);
  if (failed(shape))
    return failure();
  Tensor grad = call.tensor("grad_output");
  if (!grad.isBroadcastableTo(*shape))
    return call.fail("the gradient does not fit the loss");
  Values grads = grad.expand(*shape).getValues<double>();
  double share = call.integer("reduction", kMean) == kMean
                     ? 1 / static_cast<double>(x.size())
                     : 1;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = slope(x[i], y[i]) * weight[i] * grads[i] * share;
  return call.set(0, *shape, x);
}

static double getSign(double x) { return (x > 0) - (x < 0); }

// Quadratic up to \p width, then linear.
static double smoothLoss(double distance, double width) {
  double size = std::abs(distance);
  return size < width ? 0.5 * size * size / width : size - 0.5 * width;
}

static double huberLoss(double distance, double delta) {
  double size = std::abs(distance);
  return size <= delta ? 0.5 * size * size : delta * (size - 0.5 * delta);
}

static double crossEntropy(double x, double y) {
  // Logarithms below -100 are cut there.
  return (y - 1) * std::max(std::log1p(-x), -100.0) -
         y * std::max(std::log(x), -100.0);
}

static LogicalResult computeCrossEntropyWithLogits(Call &call) {
  Values positive;
  if (call.has("pos_weight")) {
    Tensor weight = call.tensor("pos_weight");
    ArrayRef<int64_t> shape = call.tensor("self").getShape();
    if (!weight.isBroadcastableTo(shape))
      return call.fail("'pos_weight' does not fit the loss");
    positive = weight.expand(shape).getValues<double>();
  }
  size_t at = 0;
  return computeLoss(call, [&](double x, double y) {
    double factor = positive.empty() ? 1 : 1 + (positive[at++] - 1) * y;
    double softplus = std::log1p(std::exp(-std::abs(x))) + std::max(-x, 0.0);
    return (1 - y) * x + factor * softplus;
  });
}

static LogicalResult computeDivergence(Call &call) {
  bool isLog = call.flag("log_target");
  return computeLoss(call, [=](double x, double y) {
    if (isLog)
      return std::exp(y) * (y - x);
    return y == 0 ? 0 : y * (std::log(y) - x);
  });
}

//===----------------------------------------------------------------------===//
// Negative log likelihood
//===----------------------------------------------------------------------===//

namespace {

/// Scores of classes along dimension 1 (or the only one), a target an item.
struct Classes {
  DimSplit split;
  Values weight;
  std::vector<int64_t> targets;
  int64_t ignored;

  double getWeight(int64_t item) const {
    return targets[item] == ignored ? 0 : weight[targets[item]];
  }
};

} // namespace

static FailureOr<Classes> getClasses(Call &call, const Tensor &self) {
  if (self.getRank() == 0)
    return call.fail("expected scores of classes");
  Classes classes{DimSplit(self.getShape(), self.getRank() == 1 ? 0 : 1),
                  {},
                  call.tensor("target").getValues<int64_t>(),
                  call.integer("ignore_index", -100)};
  int64_t count = classes.split.size;
  classes.weight = call.has("weight")
                       ? call.tensor("weight").getValues<double>()
                       : Values(count, 1);
  if (static_cast<int64_t>(classes.weight.size()) != count ||
      static_cast<int64_t>(classes.targets.size()) !=
          classes.split.outer * classes.split.inner)
    return call.fail("the weight or the target does not fit the scores");
  for (int64_t target : classes.targets)
    if (target != classes.ignored && (target < 0 || target >= count))
      return call.fail("target " + Twine(target) + " is out of range of " +
                       Twine(count) + " classes");
  return classes;
}

static LogicalResult computeLikelihood(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<Classes> classes = getClasses(call, self);
  if (failed(classes))
    return failure();
  Values scores = self.getValues<double>();
  Values losses(classes->targets.size());
  double total = 0, totalWeight = 0;
  for (size_t item = 0; item < losses.size(); ++item) {
    double weight = classes->getWeight(item);
    if (classes->targets[item] == classes->ignored)
      continue;
    auto inner = classes->split.inner;
    losses[item] =
        -weight * scores[classes->split.at(static_cast<int64_t>(item) / inner,
                                           classes->targets[item],
                                           static_cast<int64_t>(item) % inner)];
    total += losses[item];
    totalWeight += weight;
  }
  int64_t reduction = call.integer("reduction", kMean);
  if (reduction == kNone) {
    if (failed(call.set(0, call.tensor("target").getShape(), losses)))
      return failure();
    return call.set(1, {}, Values{0});
  }
  // With nothing to count the mean is 0 / 0.
  if (reduction == kMean)
    total /= totalWeight;
  if (failed(call.set(0, {}, Values{total})))
    return failure();
  return call.set(1, {}, Values{totalWeight});
}

static LogicalResult computeLikelihoodBackward(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<Classes> classes = getClasses(call, self);
  if (failed(classes))
    return failure();
  Tensor target = call.tensor("target"), grad = call.tensor("grad_output");
  if (!grad.isBroadcastableTo(target.getShape()))
    return call.fail("the gradient does not fit the target");
  Values grads = grad.expand(target.getShape()).getValues<double>();
  double divisor = call.integer("reduction", kMean) == kMean
                       ? call.number("total_weight", 1)
                       : 1;
  Values result(self.getNumElements());
  for (size_t item = 0; item < grads.size(); ++item) {
    if (classes->targets[item] == classes->ignored)
      continue;
    auto inner = classes->split.inner;
    result[classes->split.at(static_cast<int64_t>(item) / inner,
                             classes->targets[item],
                             static_cast<int64_t>(item) % inner)] =
        -classes->getWeight(item) * grads[item] / divisor;
  }
  return call.set(0, self.getShape(), result);
}

void titan::addLossKernels(KernelTable &table) {
  table.add("aten.mse_loss", [](Call &call) {
    return computeLoss(call,
                       [](double x, double y) { return (x - y) * (x - y); });
  });
  table.add("aten.mse_loss_backward", [](Call &call) {
    return computeLossBackward(call,
                               [](double x, double y) { return 2 * (x - y); });
  });
  table.add("aten.l1_loss", [](Call &call) {
    return computeLoss(call,
                       [](double x, double y) { return std::abs(x - y); });
  });
  table.add("aten.smooth_l1_loss", [](Call &call) {
    double beta = call.number("beta", 1);
    return computeLoss(
        call, [=](double x, double y) { return smoothLoss(x - y, beta); });
  });
  table.add("aten.smooth_l1_loss_backward", [](Call &call) {
    double beta = call.number("beta", 1);
    return computeLossBackward(call, [=](double x, double y) {
      double distance = x - y;
      return std::abs(distance) < beta ? distance / beta : getSign(distance);
    });
  });
  table.add("aten.huber_loss", [](Call &call) {
    double delta = call.number("delta", 1);
    return computeLoss(
        call, [=](double x, double y) { return huberLoss(x - y, delta); });
  });
  table.add("aten.huber_loss_backward", [](Call &call) {
    double delta = call.number("delta", 1);
    return computeLossBackward(call, [=](double x, double y) {
      double distance = x - y;
      return std::abs(distance) <= delta ? distance : delta * getSign(distance);
    });
  });
  table.add("aten.binary_cross_entropy",
            [](Call &call) { return computeLoss(call, crossEntropy); });
  table.add("aten.binary_cross_entropy_backward", [](Call &call) {
    return computeLossBackward(call, [](double x, double y) {
      return (x - y) / std::max((1 - x) * x, 1e-12);
    });
  });
  table.add("aten.binary_cross_entropy_with_logits",
            computeCrossEntropyWithLogits);
  table.add("aten.soft_margin_loss", [](Call &call) {
    return computeLoss(
        call, [](double x, double y) { return std::log1p(std::exp(-x * y)); });
  });
  table.add("aten.kl_div", computeDivergence);
  table.add({"aten.nll_loss_forward", "aten.nll_loss2d_forward"},
            computeLikelihood);
  table.add({"aten.nll_loss_backward", "aten.nll_loss2d_backward"},
            computeLikelihoodBackward);
}
