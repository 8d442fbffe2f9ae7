// Normalisations by mean and deviation, and their gradients. Statistics and
// sums are f64 and rounded once, when they become results.
#include "titan/Execution/Kernel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

// The values of an optional operand, \p count times \p otherwise if absent.
static Values getOptional(Call &call, StringRef name, int64_t count,
                          double otherwise) {
  if (!call.has(name))
    return Values(count, otherwise);
  return call.tensor(name).getValues<double>();
}

static bool hasSize(const Values &values, int64_t size) {
  return static_cast<int64_t>(values.size()) == size;
}

//===----------------------------------------------------------------------===//
// Layer norm and root mean square norm: rows of elements
//===----------------------------------------------------------------------===//

namespace {

/// A tensor as rows of the normalised elements.
struct NormRows {
  Shape statisticsShape;
  int64_t count = 1, length = 1;
  NormRows(const Tensor &input, ArrayRef<int64_t> normalized) {
    int64_t leading = input.getRank() - static_cast<int64_t>(normalized.size());
    for (int64_t dim = 0; dim < input.getRank(); ++dim) {
      int64_t size = input.getShape()[dim];
      (dim < leading ? count : length) *= size;
      statisticsShape.push_back(dim < leading ? size : 1);
    }
  }
};

} // namespace

static LogicalResult computeLayerNorm(Call &call) {
  Tensor input = call.tensor("input");
  NormRows rows(input, call.integers("normalized_shape"));
  Values x = input.getValues<double>();
  Values weight = getOptional(call, "weight", rows.length, 1);
  Values bias = getOptional(call, "bias", rows.length, 0);
  if (!hasSize(weight, rows.length) || !hasSize(bias, rows.length))
    return call.fail("the weight does not fit the normalised shape");
  Values means(rows.count), rstds(rows.count);
  double eps = call.number("eps");
  auto length = static_cast<double>(rows.length);
  for (int64_t row = 0; row < rows.count; ++row) {
    double *line = x.data() + row * rows.length, total = 0, squares = 0;
    for (int64_t i = 0; i < rows.length; ++i)
      total += line[i];
    double mean = total / length;
    for (int64_t i = 0; i < rows.length; ++i)
      squares += (line[i] - mean) * (line[i] - mean);
    double rstd = 1 / std::sqrt(squares / length + eps);
    for (int64_t i = 0; i < rows.length; ++i)
      line[i] = (line[i] - mean) * rstd * weight[i] + bias[i];
    means[row] = mean;
    rstds[row] = rstd;
  }
  if (failed(call.set(0, input.getShape(), x)) ||
      failed(call.set(1, rows.statisticsShape, means)))
    return failure();
  return call.set(2, rows.statisticsShape, rstds);
}

static LogicalResult computeLayerNormBackward(Call &call) {
  Tensor input = call.tensor("input");
  NormRows rows(input, call.integers("normalized_shape"));
  Values x = input.getValues<double>();
  Values grad = call.tensor("grad_out").getValues<double>();
  Values means = call.tensor("mean").getValues<double>();
  Values rstds = call.tensor("rstd").getValues<double>();
  Values weight = getOptional(call, "weight", rows.length, 1);
  if (!hasSize(weight, rows.length) || !hasSize(means, rows.count) ||
      !hasSize(rstds, rows.count) || grad.size() != x.size())
    return call.fail("the operands do not fit the normalised shape");
  Values gradWeight(rows.length), gradBias(rows.length), gradInput(x.size());
  auto length = static_cast<double>(rows.length);
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t base = row * rows.length;
    double sum = 0, dot = 0;
    for (int64_t i = 0; i < rows.length; ++i) {
      double normal = (x[base + i] - means[row]) * rstds[row];
      double scaled = grad[base + i] * weight[i];
      sum += scaled;
      dot += scaled * normal;
      gradWeight[i] += grad[base + i] * normal;
      gradBias[i] += grad[base + i];
    }
    for (int64_t i = 0; i < rows.length; ++i) {
      double normal = (x[base + i] - means[row]) * rstds[row];
      gradInput[base + i] = rstds[row] * (grad[base + i] * weight[i] -
                                          sum / length - normal * dot / length);
    }
  }
  Shape normalized = call.integers("normalized_shape");
  if (failed(call.set(0, input.getShape(), gradInput)) ||
      failed(call.set(1, normalized, gradWeight)))
    return failure();
  return call.set(2, normalized, gradBias);
}

static LogicalResult computeRmsNorm(Call &call) {
  Tensor input = call.tensor("input");
  NormRows rows(input, call.integers("normalized_shape"));
  Values x = input.getValues<double>();
  Values weight = getOptional(call, "weight", rows.length, 1);
  if (!hasSize(weight, rows.length))
    return call.fail("the weight does not fit the normalised shape");
  // Without an eps it is the epsilon of the type that is computed in.
  double epsilon = input.getDType() == DType::F64 ? 0x1p-52 : 0x1p-23;
  double eps = call.number("eps", epsilon);
  Values rstds(rows.count);
  for (int64_t row = 0; row < rows.count; ++row) {
    double *line = x.data() + row * rows.length, squares = 0;
    for (int64_t i = 0; i < rows.length; ++i)
      squares += line[i] * line[i];
    rstds[row] =
        1 / std::sqrt(squares / static_cast<double>(rows.length) + eps);
    for (int64_t i = 0; i < rows.length; ++i)
      line[i] *= rstds[row] * weight[i];
  }
  if (failed(call.set(0, input.getShape(), x)))
    return failure();
  return call.getNumResults() > 1 ? call.set(1, rows.statisticsShape, rstds)
                                  : success();
}

static LogicalResult computeRmsNormBackward(Call &call) {
  Tensor input = call.tensor("input");
  NormRows rows(input, call.integers("normalized_shape"));
  Values x = input.getValues<double>();
  Values grad = call.tensor("grad_out").getValues<double>();
  Values rstds = call.tensor("rstd").getValues<double>();
  Values weight = getOptional(call, "weight", rows.length, 1);
  if (!hasSize(weight, rows.length) || !hasSize(rstds, rows.count) ||
      grad.size() != x.size())
    return call.fail("the operands do not fit the normalised shape");
  Values gradWeight(rows.length), gradInput(x.size());
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t base = row * rows.length;
    double dot = 0;
    for (int64_t i = 0; i < rows.length; ++i) {
      double normal = x[base + i] * rstds[row];
      dot += grad[base + i] * weight[i] * normal;
      gradWeight[i] += grad[base + i] * normal;
    }
    for (int64_t i = 0; i < rows.length; ++i)
      gradInput[base + i] = rstds[row] * (grad[base + i] * weight[i] -
                                          x[base + i] * rstds[row] * dot /
                                              static_cast<double>(rows.length));
  }
  if (failed(call.set(0, input.getShape(), gradInput)))
    return failure();
  return call.set(1, call.integers("normalized_shape"), gradWeight);
}

//===----------------------------------------------------------------------===//
// Group norm
//===----------------------------------------------------------------------===//

namespace {

struct GroupShape {
  int64_t batch, channels, area, groups, perGroup, length;
  explicit GroupShape(Call &call)
      : batch(call.integer("N")), channels(call.integer("C")),
        area(call.integer("HxW")),
        groups(std::max<int64_t>(call.integer("group"), 1)),
        perGroup(channels / groups), length(perGroup * area) {}
  bool fits(const Tensor &input) const {
    return input.getNumElements() == batch * channels * area &&
           channels % groups == 0;
  }
  // Where the elements of a group begin, and the channel of one of them.
  int64_t begin(int64_t n, int64_t group) const {
    return (n * groups + group) * length;
  }
  int64_t channel(int64_t group, int64_t i) const {
    return group * perGroup + i / area;
  }
};

} // namespace

static LogicalResult computeGroupNorm(Call &call) {
  Tensor input = call.tensor("input");
  GroupShape shape(call);
  Values weight = getOptional(call, "weight", shape.channels, 1);
  Values bias = getOptional(call, "bias", shape.channels, 0);
  if (!shape.fits(input) || !hasSize(weight, shape.channels) ||
      !hasSize(bias, shape.channels))
    return call.fail("the operands do not fit the groups");
  Values x = input.getValues<double>();
  Values means(shape.batch * shape.groups), rstds(means.size());
  auto length = static_cast<double>(shape.length);
  for (int64_t n = 0; n < shape.batch; ++n)
    for (int64_t g = 0; g < shape.groups; ++g) {
      double *line = x.data() + shape.begin(n, g), total = 0, squares = 0;
      for (int64_t i = 0; i < shape.length; ++i)
        total += line[i];
      double mean = total / length;
      for (int64_t i = 0; i < shape.length; ++i)
        squares += (line[i] - mean) * (line[i] - mean);
      double rstd = 1 / std::sqrt(squares / length + call.number("eps"));
      for (int64_t i = 0; i < shape.length; ++i) {
        int64_t channel = shape.channel(g, i);
        line[i] = (line[i] - mean) * rstd * weight[channel] + bias[channel];
      }
      means[n * shape.groups + g] = mean;
      rstds[n * shape.groups + g] = rstd;
    }
  if (failed(call.set(0, input.getShape(), x)) ||
      failed(call.set(1, {shape.batch, shape.groups}, means)))
    return failure();
  return call.set(2, {shape.batch, shape.groups}, rstds);
}

static LogicalResult computeGroupNormBackward(Call &call) {
  Tensor input = call.tensor("input");
  GroupShape shape(call);
  Values weight = getOptional(call, "weight", shape.channels, 1);
  Values x = input.getValues<double>();
  Values grad = call.tensor("grad_out").getValues<double>();
  Values means = call.tensor("mean").getValues<double>();
  Values rstds = call.tensor("rstd").getValues<double>();
  if (!shape.fits(input) || !hasSize(weight, shape.channels) ||
      !hasSize(means, shape.batch * shape.groups) ||
      !hasSize(rstds, shape.batch * shape.groups) || grad.size() != x.size())
    return call.fail("the operands do not fit the groups");
  Values gradInput(x.size()), gradWeight(shape.channels),
      gradBias(shape.channels);
  auto length = static_cast<double>(shape.length);
  for (int64_t n = 0; n < shape.batch; ++n)
    for (int64_t g = 0; g < shape.groups; ++g) {
      int64_t base = shape.begin(n, g), at = n * shape.groups + g;
      double sum = 0, dot = 0;
      for (int64_t i = 0; i < shape.length; ++i) {
        int64_t channel = shape.channel(g, i);
        double normal = (x[base + i] - means[at]) * rstds[at];
        sum += grad[base + i] * weight[channel];
        dot += grad[base + i] * weight[channel] * normal;
        gradWeight[channel] += grad[base + i] * normal;
        gradBias[channel] += grad[base + i];
      }
      for (int64_t i = 0; i < shape.length; ++i) {
        double normal = (x[base + i] - means[at]) * rstds[at];
        gradInput[base + i] =
            rstds[at] * (grad[base + i] * weight[shape.channel(g, i)] -
                         sum / length - normal * dot / length);
      }
    }
  if (failed(call.set(0, input.getShape(), gradInput)) ||
      failed(call.set(1, {shape.channels}, gradWeight)))
    return failure();
  return call.set(2, {shape.channels}, gradBias);
}

//===----------------------------------------------------------------------===//
// Batch norm: statistics of a channel over batch and area
//===----------------------------------------------------------------------===//

static std::optional<DimSplit> splitChannels(const Tensor &input) {
  if (input.getRank() < 2)
    return std::nullopt;
  return DimSplit(input.getShape(), 1);
}

// What the forms of batch norm share. Training takes the statistics of the
// input and moves the running ones towards them.
static LogicalResult computeBatchNorm(Call &call, bool isTraining) {
  Tensor input = call.tensor("input");
  std::optional<DimSplit> split = splitChannels(input);
  if (!split)
    return call.fail("expected batch and channels");
  int64_t channels = split->size;
  Values x = input.getValues<double>();
  Values weight = getOptional(call, "weight", channels, 1);
  Values bias = getOptional(call, "bias", channels, 0);
  Values runningMean = getOptional(call, "running_mean", channels, 0);
  Values runningVar = getOptional(call, "running_var", channels, 1);
  for (const Values *values : {&weight, &bias, &runningMean, &runningVar})
    if (!hasSize(*values, channels))
      return call.fail("the operands do not fit the channels");
  double eps = call.number("eps"), momentum = call.number("momentum");
  auto count = static_cast<double>(split->outer * split->inner);
  Values means(channels), rstds(channels);
  for (int64_t c = 0; c < channels; ++c) {
    double mean = runningMean[c], variance = runningVar[c];
    if (isTraining) {
      double total = 0, squares = 0;
      for (int64_t o = 0; o < split->outer; ++o)
        for (int64_t i = 0; i < split->inner; ++i)
          total += x[split->at(o, c, i)];
      mean = total / count;
      for (int64_t o = 0; o < split->outer; ++o)
        for (int64_t i = 0; i < split->inner; ++i) {
          double distance = x[split->at(o, c, i)] - mean;
          squares += distance * distance;
        }
      variance = squares / count;
      runningMean[c] += momentum * (mean - runningMean[c]);
      runningVar[c] += momentum * (squares / (count - 1) - runningVar[c]);
    }
    means[c] = mean;
    rstds[c] = 1 / std::sqrt(variance + eps);
    for (int64_t o = 0; o < split->outer; ++o)
      for (int64_t i = 0; i < split->inner; ++i) {
        double &value = x[split->at(o, c, i)];
        value = (value - mean) * rstds[c] * weight[c] + bias[c];
      }
  }
  if (failed(call.set(0, input.getShape(), x)))
    return failure();
  // In evaluation there are no statistics to hand on.
  Shape statistics = {isTraining ? channels : 0};
  if (!isTraining)
    means = rstds = {};
  if (failed(call.set(1, statistics, means)) ||
      failed(call.set(2, statistics, rstds)))
    return failure();
  // The running values are the last two results, behind a reserve that only
  // other devices fill.
  unsigned numResults = call.getNumResults();
  if (numResults < 5)
    return success();
  if (numResults == 6 && failed(call.set(3, {0}, Values())))
    return failure();
  if (failed(call.set(numResults - 2, {channels}, runningMean)))
    return failure();
  return call.set(numResults - 1, {channels}, runningVar);
}

static LogicalResult computeBatchNormBackward(Call &call, bool isTraining,
                                              StringRef rstdName) {
  Tensor input = call.tensor("input");
  std::optional<DimSplit> split = splitChannels(input);
  if (!split)
    return call.fail("expected batch and channels");
  int64_t channels = split->size;
  Values x = input.getValues<double>();
  Values grad = call.tensor("grad_out").getValues<double>();
  Values weight = getOptional(call, "weight", channels, 1);
  Values means, rstds;
  if (isTraining) {
    means = getOptional(call, "save_mean", channels, 0);
    rstds = getOptional(call, rstdName, channels, 1);
  } else {
    means = getOptional(call, "running_mean", channels, 0);
    rstds = getOptional(call, "running_var", channels, 1);
    for (double &value : rstds)
      value = 1 / std::sqrt(value + call.number("eps"));
  }
  if (!hasSize(weight, channels) || !hasSize(means, channels) ||
      !hasSize(rstds, channels) || grad.size() != x.size())
    return call.fail("the operands do not fit the channels");
  auto count = static_cast<double>(split->outer * split->inner);
  Values gradInput(x.size()), gradWeight(channels), gradBias(channels);
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, dot = 0;
    for (int64_t o = 0; o < split->outer; ++o)
      for (int64_t i = 0; i < split->inner; ++i) {
        int64_t at = split->at(o, c, i);
        sum += grad[at];
        dot += grad[at] * (x[at] - means[c]) * rstds[c];
      }
    gradWeight[c] = dot;
    gradBias[c] = sum;
    for (int64_t o = 0; o < split->outer; ++o)
      for (int64_t i = 0; i < split->inner; ++i) {
        int64_t at = split->at(o, c, i);
        double normal = (x[at] - means[c]) * rstds[c];
        double centred = grad[at] - sum / count - normal * dot / count;
        gradInput[at] =
            (isTraining ? centred : grad[at]) * rstds[c] * weight[c];
      }
  }
  if (failed(call.set(0, input.getShape(), gradInput)) ||
      failed(call.set(1, {channels}, gradWeight)))
    return failure();
  return call.set(2, {channels}, gradBias);
}

// v * g / |v|, the norm taken over all dimensions but one.
static LogicalResult computeWeightNorm(Call &call) {
  Tensor v = call.tensor("v");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), v.getRank());
  if (failed(dim))
    return failure();
  DimSplit split(v.getShape(), *dim);
  Values values = v.getValues<double>();
  Values g = call.tensor("g").getValues<double>();
  if (!hasSize(g, split.size))
    return call.fail("'g' does not fit 'v'");
  Values norms(split.size);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t s = 0; s < split.size; ++s)
      for (int64_t i = 0; i < split.inner; ++i)
        norms[s] += values[split.at(o, s, i)] * values[split.at(o, s, i)];
  for (double &norm : norms)
    norm = std::sqrt(norm);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t s = 0; s < split.size; ++s)
      for (int64_t i = 0; i < split.inner; ++i)
        values[split.at(o, s, i)] *= g[s] / norms[s];
  if (failed(call.set(0, v.getShape(), values)))
    return failure();
  return call.set(1, call.tensor("g").getShape(), norms);
}

// Rows whose norm exceeds the limit are scaled down to it.
static LogicalResult computeRenorm(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  DimSplit split(self.getShape(), *dim);
  Values values = self.getValues<double>();
  double p = call.number("p"), limit = call.number("maxnorm");
  for (int64_t s = 0; s < split.size; ++s) {
    double total = 0;
    for (int64_t o = 0; o < split.outer; ++o)
      for (int64_t i = 0; i < split.inner; ++i)
        total += std::pow(std::abs(values[split.at(o, s, i)]), p);
    double norm = std::pow(total, 1 / p);
    double factor = norm > limit ? limit / (norm + 1e-7) : 1;
    for (int64_t o = 0; o < split.outer; ++o)
      for (int64_t i = 0; i < split.inner; ++i)
        values[split.at(o, s, i)] *= factor;
  }
  return call.set(0, self.getShape(), values);
}

void titan::addNormKernels(KernelTable &table) {
  table.add("aten.native_layer_norm", computeLayerNorm);
  table.add("aten.native_layer_norm_backward", computeLayerNormBackward);
  table.add({"aten._fused_rms_norm", "aten.rms_norm"}, computeRmsNorm);
  table.add("aten._fused_rms_norm_backward", computeRmsNormBackward);
  table.add("aten.native_group_norm", computeGroupNorm);
  table.add("aten.native_group_norm_backward", computeGroupNormBackward);
  table.add(
      {"aten._native_batch_norm_legit",
       "aten._native_batch_norm_legit_functional", "aten.native_batch_norm"},
      [](Call &call) { return computeBatchNorm(call, call.flag("training")); });
  table.add("aten._batch_norm_with_update_functional",
            [](Call &call) { return computeBatchNorm(call, true); });
  table.add("aten._native_batch_norm_legit_no_training",
            [](Call &call) { return computeBatchNorm(call, false); });
  table.add("aten.native_batch_norm_backward", [](Call &call) {
    return computeBatchNormBackward(call, call.flag("train"), "save_invstd");
  });
  table.add("aten.batch_norm_backward", [](Call &call) {
    return computeBatchNormBackward(call, call.flag("update"), "save_var");
  });
  table.add("aten._weight_norm_interface", computeWeightNorm);
  table.add("aten.renorm", computeRenorm);
}
