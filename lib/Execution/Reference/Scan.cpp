// Ops along one dimension that stays: running sums, softmax and its gradients.
#include "titan/Execution/Kernel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

// Replaces each line of \p values along a dimension by what \p rewrite makes of
// it in place.
template <typename T, typename Rewrite>
static void rewriteLines(std::vector<T> &values, const DimSplit &split,
                         Rewrite rewrite) {
  std::vector<T> line(split.size);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      for (int64_t s = 0; s < split.size; ++s)
        line[s] = values[split.at(o, s, i)];
      rewrite(line, o, i);
      for (int64_t s = 0; s < split.size; ++s)
        values[split.at(o, s, i)] = line[s];
    }
}

template <typename T, typename Rewrite>
static LogicalResult mapLines(Call &call, StringRef operand, Rewrite rewrite) {
  Tensor self = call.tensor(operand);
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  auto values = self.getValues<T>();
  rewriteLines(values, DimSplit(self.getShape(), *dim),
               [&](std::vector<T> &line, int64_t, int64_t) { rewrite(line); });
  return call.set(0, self.getShape(), values);
}

//===----------------------------------------------------------------------===//
// Running values
//===----------------------------------------------------------------------===//

template <typename Step>
static LogicalResult computeRunning(Call &call, Step step) {
  return dispatch(call.resultType(), [&]<typename T>(T) {
    return mapLines<T>(call, "self", [&](std::vector<T> &line) {
      for (size_t i = 1; i < line.size(); ++i)
        line[i] = step(line[i - 1], line[i]);
    });
  });
}

static LogicalResult computeLogCumSumExp(Call &call) {
  return mapLines<double>(call, "self", [](std::vector<double> &line) {
    for (size_t i = 1; i < line.size(); ++i) {
      double a = line[i - 1], b = line[i], top = std::max(a, b);
      if (std::isnan(a) || std::isnan(b))
        line[i] = std::nan("");
      else if (!std::isinf(top))
        line[i] = top + std::log1p(std::exp(std::min(a, b) - top));
      else
        line[i] = top;
    }
  });
}

// The greatest so far and where it stands; of equals the last, and a NaN stays.
static LogicalResult computeCumMax(Call &call, bool wantsGreatest) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  return dispatchReal(
      call, self.getDType(), [&]<typename T>(T) -> LogicalResult {
        auto values = self.getValues<T>();
        std::vector<int64_t> places(values.size());
        DimSplit split(self.getShape(), *dim);
        rewriteLines(
            values, split, [&](std::vector<T> &line, int64_t o, int64_t i) {
              int64_t best = 0;
              for (int64_t s = 0; s < split.size; ++s) {
                T top = line[best], value = line[s];
                bool beats = value != value ||
                             (top == top &&
                              (wantsGreatest ? value >= top : value <= top));
                best = beats ? s : best;
                places[split.at(o, s, i)] = best;
              }
              std::vector<T> original = line;
              for (int64_t s = 0; s < split.size; ++s)
                line[s] = original[places[split.at(o, s, i)]];
            });
        if (failed(call.set(0, self.getShape(), values)))
          return failure();
        return call.set(1, self.getShape(), places);
      });
}

static LogicalResult computeDiff(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim", -1), self.getRank());
  if (failed(dim) || self.getRank() == 0 || call.has("prepend") ||
      call.has("append"))
    return call.fail("expected a tensor with dimensions, and no other");
  Tensor current = self;
  for (int64_t n = call.integer("n", 1); n > 0; --n) {
    int64_t size = std::max<int64_t>(current.getDim(*dim) - 1, 0);
    bool isEmpty = current.getDim(*dim) == 0;
    Tensor low = current.slice(*dim, 0, size);
    Tensor high = current.slice(*dim, isEmpty ? 0 : 1, size);
    DType dtype = current.getDType();
    LogicalResult done = dispatch(dtype, [&]<typename T>(T) {
      auto a = high.getValues<T>(), b = low.getValues<T>();
      for (size_t i = 0; i < a.size(); ++i)
        a[i] -= b[i];
      current = Tensor::make(dtype, low.getShape(), a);
      return success();
    });
    if (failed(done))
      return failure();
  }
  return call.set(0, current);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static double getTop(ArrayRef<double> line) {
  double top = -HUGE_VAL;
  for (double value : line)
    top = std::max(top, value);
  return top;
}

// A line of minus infinity has no softmax (NaN); the safe form makes it zero.
static void softmax(std::vector<double> &line, bool isSafe) {
  double top = getTop(line), total = 0;
  if (isSafe && top == -HUGE_VAL) {
    llvm::fill(line, 0);
    return;
  }
  for (double &value : line)
    total += value = std::exp(value - top);
  for (double &value : line)
    value /= total;
}

static void logSoftmax(std::vector<double> &line) {
  double top = getTop(line), total = 0;
  for (double value : line)
    total += std::exp(value - top);
  double shift = std::log(total);
  for (double &value : line)
    value = (value - top) - shift;
}

// \p combine makes the gradient of a line from that of the result and the
// result.
template <typename Combine>
static LogicalResult computeSoftmaxBackward(Call &call, Combine combine) {
  Tensor grad = call.tensor("grad_output"), output = call.tensor("output");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), output.getRank());
  if (failed(dim) || grad.getShape() != output.getShape())
    return call.fail("the gradient and the result differ in shape");
  auto grads = grad.getValues<double>(), outputs = output.getValues<double>();
  DimSplit split(output.getShape(), *dim);
  std::vector<double> line(split.size);
  rewriteLines(grads, split,
               [&](std::vector<double> &gradLine, int64_t o, int64_t i) {
                 for (int64_t s = 0; s < split.size; ++s)
                   line[s] = outputs[split.at(o, s, i)];
                 combine(gradLine, line);
               });
  return call.set(0, output.getShape(), grads);
}

// The greatest of each line and the sum of the exponentials of what lies below.
static LogicalResult computeOnlineSoftmax(Call &call) {
  Tensor self = call.tensor("a");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  auto values = self.getValues<double>();
  DimSplit split(self.getShape(), *dim);
  std::vector<double> tops(split.outer * split.inner), sums(tops.size());
  rewriteLines(values, split,
               [&](std::vector<double> &line, int64_t o, int64_t i) {
                 int64_t at = o * split.inner + i;
                 tops[at] = getTop(line);
                 for (double value : line)
                   sums[at] += std::exp(value - tops[at]);
               });
  Shape shape(self.getShape());
  shape[*dim] = 1;
  if (failed(call.set(0, shape, tops)))
    return failure();
  return call.set(1, shape, sums);
}

void titan::addScanKernels(KernelTable &table) {
  table.add("aten.cumsum", [](Call &call) {
    return computeRunning(call, [](auto a, auto b) { return a + b; });
  });
  table.add("aten.cumprod", [](Call &call) {
    return computeRunning(call, [](auto a, auto b) { return a * b; });
  });
  table.add("aten.logcumsumexp", computeLogCumSumExp);
  table.add("aten.cummax",
            [](Call &call) { return computeCumMax(call, true); });
  table.add("aten.cummin",
            [](Call &call) { return computeCumMax(call, false); });
  table.add("aten.diff", computeDiff);
  auto addSoftmax = [&](ArrayRef<StringRef> names, auto rewrite) {
    table.add(names, [rewrite](Call &call) {
      return mapLines<double>(call, "self", rewrite);
    });
  };
  addSoftmax({"aten._softmax", "aten.softmax"},
             [](std::vector<double> &line) { softmax(line, false); });
  addSoftmax({"aten._safe_softmax"},
             [](std::vector<double> &line) { softmax(line, true); });
  addSoftmax({"aten._log_softmax", "aten.log_softmax"}, logSoftmax);
  table.add("aten._softmax_backward_data", [](Call &call) {
    return computeSoftmaxBackward(
        call, [](std::vector<double> &grad, const std::vector<double> &output) {
          double total = 0;
          for (size_t i = 0; i < grad.size(); ++i)
            total += grad[i] * output[i];
          for (size_t i = 0; i < grad.size(); ++i)
            grad[i] = (grad[i] - total) * output[i];
        });
  });
  table.add("aten._log_softmax_backward_data", [](Call &call) {
    return computeSoftmaxBackward(
        call, [](std::vector<double> &grad, const std::vector<double> &output) {
          double total = 0;
          for (double value : grad)
            total += value;
          for (size_t i = 0; i < grad.size(); ++i)
            grad[i] -= std::exp(output[i]) * total;
        });
  });
  table.add("prims.prepare_softmax_online", computeOnlineSoftmax);
}
