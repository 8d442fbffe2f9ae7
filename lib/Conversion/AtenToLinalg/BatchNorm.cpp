// Batch norm and its gradient: the statistics of each channel, dimension 1,
// over batch and area. They stay f64 until they become results.
#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// One op: its input, and the loops over a channel.
struct Channels {
  Value input;
  Type wide;
  double count = 1;
  double eps;

  explicit Channels(Lowering &l)
      : input(l.tensor("input")), wide(l.builder().getF64Type()),
        eps(l.call().getNumber("eps").value_or(0)) {
    auto type = cast<RankedTensorType>(input.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != 1)
        count *= static_cast<double>(type.getDimSize(dim));
  }
};
} // namespace

static Value getMean(Lowering &l, const Channels &c) {
  Nest total(l, c.input);
  total.read(c.input);
  Value sums =
      total.sum({1}, c.wide, [](Formula &, ValueRange in) { return in[0]; });
  Nest nest(l, sums);
  nest.read(sums);
  return nest.map(c.wide, c.wide, [&](Formula &f, ValueRange in) {
    return f.div(in[0], f.number(c.count));
  });
}

static Value getSquares(Lowering &l, const Channels &c, Value mean) {
  Nest nest(l, c.input);
  nest.read(c.input);
  nest.read(mean, {1});
  return nest.sum({1}, c.wide, [](Formula &f, ValueRange in) {
    Value distance = f.sub(in[0], in[1]);
    return f.mul(distance, distance);
  });
}

// 1 / sqrt(values / count + eps).
static Value getRstd(Lowering &l, const Channels &c, Value values,
                     double count) {
  Nest nest(l, values);
  nest.read(values);
  return nest.map(c.wide, c.wide, [&](Formula &f, ValueRange in) {
    Value variance = count == 1 ? in[0] : f.div(in[0], f.number(count));
    return f.div(f.number(1), f.sqrt(f.add(variance, f.number(c.eps))));
  });
}

static Value normalize(Lowering &l, const Channels &c, Value mean, Value rstd) {
  Value weight = l.tensor("weight"), bias = l.tensor("bias");
  Nest nest(l, c.input);
  nest.read(c.input);
  for (Value value : {mean, rstd, weight, bias})
    if (value)
      nest.read(value, {1});
  return nest.map(c.wide, l.resultElementType(),
                  [&](Formula &f, ValueRange in) {
                    Value x = f.mul(f.sub(in[0], in[1]), in[2]);
                    if (weight)
                      x = f.mul(x, in[3]);
                    return bias ? f.add(x, in.back()) : x;
                  });
}

// running + momentum * (now / divisor - running).
static Value advance(Lowering &l, const Channels &c, Value running, Value now,
                     double divisor) {
  double momentum = l.call().getNumber("momentum").value_or(0);
  Nest nest(l, running);
  nest.read(running);
  nest.read(now);
  return nest.map(c.wide, c.wide, [&](Formula &f, ValueRange in) {
    Value target = divisor == 1 ? in[1] : f.div(in[1], f.number(divisor));
    return f.add(in[0], f.mul(f.number(momentum), f.sub(target, in[0])));
  });
}

static bool isTraining(Operation *op) {
  CallView call(op);
  // The form with update in its name has no such argument: it always trains.
  return !call.find("training") || call.getBool("training", true);
}

static Lowered lowerTraining(Lowering &l) {
  Channels c(l);
  Value mean = getMean(l, c), squares = getSquares(l, c, mean);
  Value rstd = getRstd(l, c, squares, c.count);
  SmallVector<Value> values = {normalize(l, c, mean, rstd), mean, rstd};
  unsigned numResults = l.operation()->getNumResults();
  if (numResults == 6) // A reserve that only other devices fill.
    values.push_back(
        l.empty({l.builder().getIndexAttr(0)}, l.resultElementType(3)));
  if (numResults > 3) {
    values.push_back(advance(l, c, l.tensor("running_mean"), mean, 1));
    values.push_back(
        advance(l, c, l.tensor("running_var"), squares, c.count - 1));
  }
  return fitResults(l, values);
}

static bool canTrain(Operation *op) {
  RankedTensorType input = getTensorType(op, "input");
  unsigned numResults = op->getNumResults();
  bool hasReserve = numResults == 6;
  return isAllStatic(op) && isTraining(op) && input && input.getRank() >= 2 &&
         input.getNumElements() > 0 && isa<FloatType>(input.getElementType()) &&
         (numResults == 3 || ((numResults == 5 || hasReserve) &&
                              getTensorType(op, "running_mean") &&
                              getTensorType(op, "running_var"))) &&
         (!hasReserve ||
          cast<RankedTensorType>(op->getResult(3).getType()).getNumElements() ==
              0);
}

// With the running statistics; the others are empty.
static Lowered lowerEvaluation(Lowering &l) {
  Channels c(l);
  Value rstd = getRstd(l, c, l.tensor("running_var"), 1);
  SmallVector<Value> values = {normalize(l, c, l.tensor("running_mean"), rstd)};
  for (unsigned i = 1; i < 3; ++i)
    values.push_back(
        l.empty({l.builder().getIndexAttr(0)}, l.resultElementType(i)));
  return fitResults(l, values);
}

static bool canEvaluate(Operation *op) {
  RankedTensorType input = getTensorType(op, "input");
  return isAllStatic(op) && input && input.getRank() >= 2 &&
         isa<FloatType>(input.getElementType()) && op->getNumResults() == 3 &&
         getTensorType(op, "running_mean") &&
         getTensorType(op, "running_var") &&
         llvm::all_of(op->getResults().drop_front(), [](Value value) {
           return cast<RankedTensorType>(value.getType()).getNumElements() == 0;
         });
}

//===----------------------------------------------------------------------===//
// The gradient
//===----------------------------------------------------------------------===//

static bool isOfTraining(Operation *op) {
  CallView call(op);
  return call.getBool(call.find("train") ? "train" : "update", true);
}

static StringRef getRstdName(Operation *op) {
  return CallView(op).find("save_invstd") ? "save_invstd" : "save_var";
}

static Lowered lowerBackward(Lowering &l) {
  Channels c(l);
  Operation *op = l.operation();
  bool trains = isOfTraining(op);
  Value grad = l.tensor("grad_out"), weight = l.tensor("weight");
  Value mean = l.tensor(trains ? "save_mean" : "running_mean");
  Value rstd = trains ? Value(l.tensor(getRstdName(op)))
                      : getRstd(l, c, l.tensor("running_var"), 1);
  Nest biases(l, c.input);
  biases.read(grad);
  Value sum =
      biases.sum({1}, c.wide, [](Formula &, ValueRange in) { return in[0]; });
  Nest weights(l, c.input);
  weights.read(grad);
  weights.read(c.input);
  weights.read(mean, {1});
  weights.read(rstd, {1});
  Value dot = weights.sum({1}, c.wide, [](Formula &f, ValueRange in) {
    return f.mul(f.mul(in[0], f.sub(in[1], in[2])), in[3]);
  });
  Nest nest(l, c.input);
  nest.read(grad);
  nest.read(c.input);
  for (Value value : {mean, rstd, sum, dot, weight})
    if (value)
      nest.read(value, {1});
  Value input =
      nest.map(c.wide, l.resultElementType(), [&](Formula &f, ValueRange in) {
        Value x = in[0], count = f.number(c.count);
        if (trains) {
          Value normal = f.mul(f.sub(in[1], in[2]), in[3]);
          x = f.sub(f.sub(x, f.div(in[4], count)),
                    f.div(f.mul(normal, in[5]), count));
        }
        x = f.mul(x, in[3]);
        return weight ? f.mul(x, in[6]) : x;
      });
  return fitResults(l, {input, dot, sum});
}

static bool canDerive(Operation *op) {
  RankedTensorType input = getTensorType(op, "input");
  bool trains = isOfTraining(op);
  return isAllStatic(op) && input && input.getRank() >= 2 &&
         input.getNumElements() > 0 && isa<FloatType>(input.getElementType()) &&
         op->getNumResults() == 3 &&
         getTensorType(op, trains ? "save_mean" : "running_mean") &&
         getTensorType(op, trains ? getRstdName(op) : "running_var");
}

void titan::addBatchNormLowerings(LoweringTable &table) {
  table.add({"aten._native_batch_norm_legit",
             "aten._native_batch_norm_legit_functional",
             "aten.native_batch_norm",
             "aten._batch_norm_with_update_functional"},
            lowerTraining, canTrain);
  table.add({"aten._native_batch_norm_legit_no_training"}, lowerEvaluation,
            canEvaluate);
  table.add({"aten.native_batch_norm_backward", "aten.batch_norm_backward"},
            lowerBackward, canDerive);
}
