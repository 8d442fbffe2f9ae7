// Softmax and its gradients along one dimension. Exponentials are taken in the
// type that the elements are computed in, as PyTorch's kernels do; their sums
// run in f64.
#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A line of a tensor: the loop along it, and the others.
struct Line {
  unsigned numLoops;
  unsigned along;
  SmallVector<unsigned> others;
  Type compute;

  Line(Lowering &l, Value self)
      : numLoops(cast<RankedTensorType>(self.getType()).getRank()),
        along(wrapDim(l.call().getInt("dim").value_or(0), numLoops)),
        others(loopsWithout(numLoops, along)),
        compute(getComputeType(l.resultElementType())) {}
};
} // namespace

// The greatest element of each line: NaN where there is one.
static Value getTops(Lowering &l, const Line &line, Value self) {
  Nest nest(l, self);
  nest.read(self);
  return nest.fold(
      line.others, line.compute,
      [](Formula &f) { return f.infinity(/*isNegative=*/true); },
      [](Formula &f, Value top, ValueRange in) {
        return f.maximum(top, in[0]);
      });
}

static Lowered lowerSoftmax(Lowering &l, bool isSafe) {
  Value self = l.tensor("self");
  Line line(l, self);
  Value tops = getTops(l, line, self);
  Nest powers(l, self);
  powers.read(self);
  powers.read(tops, line.others);
  Value exps =
      powers.map(line.compute, line.compute, [](Formula &f, ValueRange in) {
        return f.exp(f.sub(in[0], in[1]));
      });
  Nest totals(l, self);
  totals.read(exps);
  Value sums = totals.sum(line.others, line.compute,
                          [](Formula &, ValueRange in) { return in[0]; });
  Nest shares(l, self);
  shares.read(exps);
  shares.read(sums, line.others);
  shares.read(tops, line.others);
  Value result = shares.map(
      line.compute, l.resultElementType(), [&](Formula &f, ValueRange in) {
        Value share = f.div(in[0], in[1]);
        if (!isSafe)
          return share;
        // A line of minus infinity becomes zero, not NaN.
        return f.select(f.equal(in[2], f.infinity(/*isNegative=*/true)),
                        f.number(0), share);
      });
  return SmallVector<Value>{result};
}

static Lowered lowerLogSoftmax(Lowering &l) {
  Value self = l.tensor("self");
  Line line(l, self);
  Type wide = l.builder().getF64Type();
  Value tops = getTops(l, line, self);
  Nest totals(l, self);
  totals.read(self);
  totals.read(tops, line.others);
  Value sums =
      totals.sum(line.others, line.compute, [](Formula &f, ValueRange in) {
        return f.exp(f.sub(in[0], in[1]));
      });
  Nest logs(l, sums);
  logs.read(sums);
  Value shifts = logs.map(
      wide, wide, [](Formula &f, ValueRange in) { return f.log(in[0]); });
  Nest nest(l, self);
  nest.read(self);
  nest.read(tops, line.others);
  nest.read(shifts, line.others);
  return SmallVector<Value>{
      nest.map(wide, l.resultElementType(), [](Formula &f, ValueRange in) {
        return f.sub(f.sub(in[0], in[1]), in[2]);
      })};
}

static Lowered lowerSoftmaxBackward(Lowering &l) {
  Value grad = l.tensor("grad_output"), output = l.tensor("output");
  Line line(l, output);
  Type wide = l.builder().getF64Type();
  Nest totals(l, output);
  totals.read(grad);
  totals.read(output);
  Value sums = totals.sum(line.others, wide, [](Formula &f, ValueRange in) {
    return f.mul(in[0], in[1]);
  });
  Nest nest(l, output);
  nest.read(grad);
  nest.read(output);
  nest.read(sums, line.others);
  return SmallVector<Value>{
      nest.map(wide, l.resultElementType(), [](Formula &f, ValueRange in) {
        return f.mul(f.sub(in[0], in[2]), in[1]);
      })};
}

static Lowered lowerLogSoftmaxBackward(Lowering &l) {
  Value grad = l.tensor("grad_output"), output = l.tensor("output");
  Line line(l, output);
  Type wide = l.builder().getF64Type();
  Nest totals(l, output);
  totals.read(grad);
  Value sums = totals.sum(line.others, wide,
                          [](Formula &, ValueRange in) { return in[0]; });
  Nest nest(l, output);
  nest.read(grad);
  nest.readsRaw();
  nest.read(output);
  nest.read(sums, line.others);
  return SmallVector<Value>{
      nest.map(wide, l.resultElementType(), [&](Formula &f, ValueRange in) {
        Formula narrow(f.builder(), line.compute);
        Value exp = narrow.exp(convertNumber(f.builder(), in[1], line.compute));
        return f.sub(in[0],
                     f.mul(convertNumber(f.builder(), exp, wide), in[2]));
      })};
}

// Results are floats of a tensor with dimensions.
static bool hasLines(Operation *op, StringRef name) {
  RankedTensorType type = getTensorType(op, name);
  return type && type.getRank() > 0 && op->getNumResults() == 1 &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

void titan::addSoftmaxLowerings(LoweringTable &table) {
  auto ofSelf = [](Operation *op) {
    return hasLines(op, "self") && getTensorType(op, "self") &&
           isa<FloatType>(getTensorType(op, "self").getElementType());
  };
  auto ofOutput = [](Operation *op) { return hasLines(op, "output"); };
  table.add(
      {"aten._softmax", "aten.softmax"},
      [](Lowering &l) { return lowerSoftmax(l, /*isSafe=*/false); }, ofSelf);
  table.add(
      {"aten._safe_softmax"},
      [](Lowering &l) { return lowerSoftmax(l, /*isSafe=*/true); }, ofSelf);
  table.add({"aten._log_softmax", "aten.log_softmax"}, lowerLogSoftmax, ofSelf);
  table.add({"aten._softmax_backward_data"}, lowerSoftmaxBackward, ofOutput);
  table.add({"aten._log_softmax_backward_data"}, lowerLogSoftmaxBackward,
            ofOutput);
}
