// Losses and their gradients: a formula of each element in f64, summed up in
// f64. `reduction` is 0 for none, 1 for the mean, 2 for the sum.
#include "Nest.h"

#include "Elementwise.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
enum LossReduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

/// A loss of numbers: its value, or its slope in the first of them.
struct Loss {
  StringLiteral name;
  Value (*formula)(Lowering &, Formula &, Value x, Value y);
};
} // namespace

static int64_t getReduction(Lowering &l) {
  return l.call().getInt("reduction").value_or(kMean);
}

static Value getParameter(Lowering &l, Formula &f, StringRef name) {
  return f.number(l.call().getNumber(name).value_or(1));
}

static Value getSign(Formula &f, Value x) {
  Value zero = f.number(0), one = f.number(1);
  return f.sub(f.select(f.greater(x, zero), one, zero),
               f.select(f.less(x, zero), one, zero));
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

// A logarithm that is cut at -100.
static Value cutLog(Formula &f, Value log) {
  Value least = f.number(-100);
  return f.select(f.less(log, least), least, log);
}

static constexpr Loss kLosses[] = {
    {"aten.mse_loss",
     [](Lowering &, Formula &f, Value x, Value y) {
       Value distance = f.sub(x, y);
       return f.mul(distance, distance);
     }},
    {"aten.l1_loss", [](Lowering &, Formula &f, Value x,
                        Value y) { return f.abs(f.sub(x, y)); }},
    {"aten.smooth_l1_loss",
     [](Lowering &l, Formula &f, Value x, Value y) {
       Value size = f.abs(f.sub(x, y)), width = getParameter(l, f, "beta");
       Value half = f.number(0.5);
       return f.select(f.less(size, width),
                       f.div(f.mul(f.mul(half, size), size), width),
                       f.sub(size, f.mul(half, width)));
     }},
    {"aten.huber_loss",
     [](Lowering &l, Formula &f, Value x, Value y) {
       Value size = f.abs(f.sub(x, y)), delta = getParameter(l, f, "delta");
       Value half = f.number(0.5);
       return f.select(f.lessEqual(size, delta), f.mul(f.mul(half, size), size),
                       f.mul(delta, f.sub(size, f.mul(half, delta))));
     }},
    {"aten.binary_cross_entropy",
     [](Lowering &, Formula &f, Value x, Value y) {
       return f.sub(f.mul(f.sub(y, f.number(1)), cutLog(f, f.log1p(f.neg(x)))),
                    f.mul(y, cutLog(f, f.log(x))));
     }},
    {"aten.soft_margin_loss",
     [](Lowering &, Formula &f, Value x, Value y) {
       return f.log1p(f.exp(f.mul(f.neg(x), y)));
     }},
};

static constexpr Loss kSlopes[] = {
    {"aten.mse_loss_backward",
     [](Lowering &, Formula &f, Value x, Value y) {
       return f.mul(f.number(2), f.sub(x, y));
     }},
    {"aten.smooth_l1_loss_backward",
     [](Lowering &l, Formula &f, Value x, Value y) {
       Value distance = f.sub(x, y), width = getParameter(l, f, "beta");
       return f.select(f.less(f.abs(distance), width), f.div(distance, width),
                       getSign(f, distance));
     }},
    {"aten.huber_loss_backward",
     [](Lowering &l, Formula &f, Value x, Value y) {
       Value distance = f.sub(x, y), delta = getParameter(l, f, "delta");
       return f.select(f.lessEqual(f.abs(distance), delta), distance,
                       f.mul(delta, getSign(f, distance)));
     }},
    {"aten.binary_cross_entropy_backward",
     [](Lowering &, Formula &f, Value x, Value y) {
       Value spread = f.mul(f.sub(f.number(1), x), x);
       return f.div(f.sub(x, y), f.maximum(spread, f.number(1e-12)));
     }},
};

static double countElements(Lowering &l, Value value) {
  return static_cast<double>(
      cast<RankedTensorType>(value.getType()).getNumElements());
}

static Lowered lowerLoss(Lowering &l, const Loss &loss) {
  Type wide = l.builder().getF64Type();
  SmallVector<Operand> operands = {l.operand("self"), l.operand("target")};
  if (Operand weight = l.operand("weight"))
    operands.push_back(weight);
  bool isReduced = getReduction(l) != kNone;
  Value losses = l.map(operands, wide, isReduced ? wide : l.resultElementType(),
                       [&](Formula &f, ValueRange in) {
                         Value value = loss.formula(l, f, in[0], in[1]);
                         return in.size() > 2 ? f.mul(value, in[2]) : value;
                       });
  if (!isReduced)
    return SmallVector<Value>{losses};
  Nest total(l, losses);
  total.read(losses);
  Value sum =
      total.sum({}, wide, [](Formula &, ValueRange in) { return in[0]; });
  double divisor = getReduction(l) == kMean ? countElements(l, losses) : 1;
  Nest nest(l, sum);
  nest.read(sum);
  return SmallVector<Value>{
      nest.map(wide, l.resultElementType(), [&](Formula &f, ValueRange in) {
        return divisor == 1 ? in[0] : f.div(in[0], f.number(divisor));
      })};
}

static Lowered lowerLossBackward(Lowering &l, const Loss &loss) {
  Type wide = l.builder().getF64Type();
  SmallVector<Operand> operands = {l.operand("self"), l.operand("target"),
                                   l.operand("grad_output")};
  if (Operand weight = l.operand("weight"))
    operands.push_back(weight);
  double share = getReduction(l) == kMean
                     ? 1 / static_cast<double>(l.resultType().getNumElements())
                     : 1;
  return SmallVector<Value>{l.map(
      operands, wide, l.resultElementType(), [&](Formula &f, ValueRange in) {
        Value slope = loss.formula(l, f, in[0], in[1]);
        if (in.size() > 3)
          slope = f.mul(slope, in[3]);
        return f.mul(f.mul(slope, in[2]), f.number(share));
      })};
}

static bool isLossOfFloats(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  return isAllStatic(op) && self && getTensorType(op, "target") &&
         op->getNumResults() == 1 && self.getNumElements() > 0 &&
         hasResultOf(NumberKinds::Floats)(op);
}

//===----------------------------------------------------------------------===//
// Negative log likelihood
//===----------------------------------------------------------------------===//

namespace {
/// Scores of classes along `along`, and a target for each item.
struct Classes {
  Value scores, target, weight;
  unsigned numLoops, along;
  SmallVector<unsigned> items;
  int64_t ignored;
  Type wide;

  explicit Classes(Lowering &l)
      : scores(l.tensor("self")), target(l.tensor("target")),
        weight(l.tensor("weight")),
        numLoops(cast<RankedTensorType>(scores.getType()).getRank()),
        along(numLoops == 1 ? 0 : 1), items(loopsWithout(numLoops, along)),
        ignored(l.call().getInt("ignore_index").value_or(-100)),
        wide(l.builder().getF64Type()) {}
};
} // namespace

static Value makeIndex(Formula &f, Value number) {
  return arith::IndexCastOp::create(f.builder(), f.builder().getIndexType(),
                                    number);
}

static Value isCounted(Formula &f, const Classes &c, Value target) {
  Formula index(f.builder(), target.getType());
  return index.notEqual(target, index.integer(c.ignored));
}

// A class as a position in \p values. One that is ignored reads at an end; one
// that is out of range too, and fails an assertion.
static Value getClassPlace(Formula &f, const Classes &c, Value target,
                           Value values, int64_t dim) {
  Formula index(f.builder(), target.getType());
  int64_t count = cast<RankedTensorType>(values.getType()).getDimSize(dim);
  Value isInside = index.both(index.lessEqual(index.integer(0), target),
                              index.less(target, index.integer(count)));
  cf::AssertOp::create(
      f.builder(),
      index.either(isInside, index.equal(target, index.integer(c.ignored))),
      "a class is out of range of " + std::to_string(count));
  Value low = index.maximum(target, index.integer(0));
  return makeIndex(f, index.minimum(low, index.integer(count - 1)));
}

// The weight of the class \p target: 0 if it is ignored.
static Value getClassWeight(Lowering &l, Formula &f, const Classes &c,
                            Value target) {
  Value weight = f.number(1);
  if (c.weight) {
    Value at = getClassPlace(f, c, target, c.weight, 0);
    weight = convertNumber(f.builder(),
                           tensor::ExtractOp::create(f.builder(), c.weight, at),
                           f.getType());
  }
  return f.select(isCounted(f, c, target), weight, f.number(0));
}

// -weight * score of its class, for each item.
static Value getItemLosses(Lowering &l, const Classes &c) {
  Nest nest(l, c.target);
  nest.readsRaw();
  nest.read(c.target);
  return nest.map(c.wide, c.wide, [&](Formula &f, ValueRange in) {
    ImplicitLocOpBuilder &b = f.builder();
    SmallVector<Value> place;
    unsigned next = 0;
    for (unsigned loop = 0; loop < c.numLoops; ++loop)
      place.push_back(loop == c.along
                          ? getClassPlace(f, c, in[0], c.scores, c.along)
                          : Value(linalg::IndexOp::create(b, next++)));
    Value score =
        convertNumber(b, tensor::ExtractOp::create(b, c.scores, place), c.wide);
    Value loss = f.mul(f.neg(getClassWeight(l, f, c, in[0])), score);
    // A score of infinity does not count either.
    return f.select(isCounted(f, c, in[0]), loss, f.number(0));
  });
}

static Value sumAll(Lowering &l, Value values) {
  Nest nest(l, values);
  nest.read(values);
  return nest.sum({}, l.builder().getF64Type(),
                  [](Formula &, ValueRange in) { return in[0]; });
}

static Lowered lowerLikelihood(Lowering &l) {
  Classes c(l);
  Value losses = getItemLosses(l, c);
  Formula outer(l.builder(), c.wide);
  if (getReduction(l) == kNone)
    return fitResults(l, {losses, l.filled({}, outer.number(0))});
  Nest weights(l, c.target);
  weights.readsRaw();
  weights.read(c.target);
  Value total = weights.sum({}, c.wide, [&](Formula &f, ValueRange in) {
    return getClassWeight(l, f, c, in[0]);
  });
  Value sum = sumAll(l, losses);
  if (getReduction(l) != kMean)
    return fitResults(l, {sum, total});
  // With nothing to count the mean is 0 / 0.
  Value mean =
      l.map({sum, total}, c.wide, c.wide,
            [](Formula &f, ValueRange in) { return f.div(in[0], in[1]); });
  return fitResults(l, {mean, total});
}

static Lowered lowerLikelihoodBackward(Lowering &l) {
  Classes c(l);
  Value grad = l.tensor("grad_output");
  bool isMean = getReduction(l) == kMean;
  Nest nest(l, c.scores);
  nest.readsRaw();
  nest.read(c.target, c.items);
  if (cast<RankedTensorType>(grad.getType()).getRank() == 0)
    nest.read(grad, {});
  else
    nest.read(grad, c.items);
  if (isMean)
    nest.read(l.tensor("total_weight"), {});
  return SmallVector<Value>{
      nest.map(c.wide, l.resultElementType(), [&](Formula &f, ValueRange in) {
        ImplicitLocOpBuilder &b = f.builder();
        Value at = convertNumber(b, linalg::IndexOp::create(b, c.along),
                                 in[0].getType());
        Formula index(b, in[0].getType());
        Value weight = f.neg(getClassWeight(l, f, c, in[0]));
        Value slope = f.mul(weight, in[1]);
        if (isMean)
          slope = f.div(slope, in[2]);
        Value isHere = f.both(index.equal(in[0], at), isCounted(f, c, in[0]));
        return f.select(isHere, slope, f.number(0));
      })};
}

static bool areClasses(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  RankedTensorType target = getTensorType(op, "target");
  if (!isAllStatic(op) || !areLiterals(op, {"ignore_index"}) || !self ||
      !target || self.getRank() == 0 || self.getNumElements() == 0 ||
      !isa<FloatType>(self.getElementType()) ||
      !target.getElementType().isSignlessInteger(64))
    return false;
  SmallVector<int64_t> items(self.getShape());
  items.erase(items.begin() + (self.getRank() == 1 ? 0 : 1));
  return target.getShape() == ArrayRef(items);
}

void titan::addLossLowerings(LoweringTable &table) {
  for (const Loss &loss : kLosses)
    table.add(
        {loss.name}, [&loss](Lowering &l) { return lowerLoss(l, loss); },
        isLossOfFloats);
  for (const Loss &loss : kSlopes)
    table.add(
        {loss.name},
        [&loss](Lowering &l) { return lowerLossBackward(l, loss); },
        isLossOfFloats);
  table.add(
      {"aten.nll_loss_forward", "aten.nll_loss2d_forward"}, lowerLikelihood,
      [](Operation *op) { return areClasses(op) && op->getNumResults() == 2; });
  table.add({"aten.nll_loss_backward", "aten.nll_loss2d_backward"},
            lowerLikelihoodBackward, areClasses);
}
