// Normalisations of rows and groups, and their gradients. Statistics stay f64
// until they become results; every element is rounded once.
#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A tensor seen as rows that are normalised: the loops that count rows, those
/// within one, and the number of its elements. The weight stands on `scaled`
/// loops.
struct RowShape {
  Value input;
  SmallVector<unsigned> outer, scaled;
  double length = 1;
};

/// The statistics of each row, in f64.
struct Statistics {
  Value mean, rstd;
};
} // namespace

static Type getWide(Lowering &l) { return l.builder().getF64Type(); }

// sum / length.
static Value divideBy(Lowering &l, Value sums, double length) {
  Nest nest(l, sums);
  nest.read(sums);
  return nest.map(getWide(l), getWide(l), [&](Formula &f, ValueRange in) {
    return f.div(in[0], f.number(length));
  });
}

// 1 / sqrt(squares / length + eps).
static Value getRstd(Lowering &l, Value squares, double length, double eps) {
  Nest nest(l, squares);
  nest.read(squares);
  return nest.map(getWide(l), getWide(l), [&](Formula &f, ValueRange in) {
    Value variance = f.div(in[0], f.number(length));
    return f.div(f.number(1), f.sqrt(f.add(variance, f.number(eps))));
  });
}

static Statistics getStatistics(Lowering &l, const RowShape &rows, double eps) {
  Nest total(l, rows.input);
  total.read(rows.input);
  Value sums = total.sum(rows.outer, getWide(l),
                         [](Formula &, ValueRange in) { return in[0]; });
  Value mean = divideBy(l, sums, rows.length);
  Nest deviation(l, rows.input);
  deviation.read(rows.input);
  deviation.read(mean, rows.outer);
  Value squares =
      deviation.sum(rows.outer, getWide(l), [](Formula &f, ValueRange in) {
        Value distance = f.sub(in[0], in[1]);
        return f.mul(distance, distance);
      });
  return {mean, getRstd(l, squares, rows.length, eps)};
}

// (input - mean) * rstd * weight + bias; each of mean, weight and bias may be
// absent.
static Value normalize(Lowering &l, const RowShape &rows,
                       const Statistics &statistics, Value weight, Value bias,
                       Type element) {
  Nest nest(l, rows.input);
  nest.read(rows.input);
  nest.read(statistics.rstd, rows.outer);
  for (auto [value, loops] :
       {std::pair(statistics.mean, &rows.outer),
        std::pair(weight, &rows.scaled), std::pair(bias, &rows.scaled)})
    if (value)
      nest.read(value, *loops);
  return nest.map(getWide(l), element, [&](Formula &f, ValueRange in) {
    unsigned next = 2;
    Value x = statistics.mean ? f.sub(in[0], in[next++]) : in[0];
    x = f.mul(x, in[1]);
    if (weight)
      x = f.mul(x, in[next++]);
    return bias ? f.add(x, in[next]) : x;
  });
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

namespace {
/// What the gradient of a normalisation is made of.
struct GradientOperands {
  RowShape rows;
  Value grad, rstd;
  /// May be absent.
  Value mean, weight;
};
} // namespace

// What every nest below reads, and the terms made of it.
static void readOperands(Nest &nest, const GradientOperands &of) {
  nest.read(of.grad);
  nest.read(of.rows.input);
  nest.read(of.rstd, of.rows.outer);
  if (of.mean)
    nest.read(of.mean, of.rows.outer);
  if (of.weight)
    nest.read(of.weight, of.rows.scaled);
}

static Value getNormal(Formula &f, const GradientOperands &of, ValueRange in) {
  Value x = of.mean ? f.sub(in[1], in[3]) : in[1];
  return f.mul(x, in[2]);
}

static Value getScaledGrad(Formula &f, const GradientOperands &of,
                           ValueRange in) {
  return of.weight ? f.mul(in[0], in[of.mean ? 4 : 3]) : in[0];
}

static Value sumGradient(Lowering &l, const GradientOperands &of,
                         ArrayRef<unsigned> kept,
                         function_ref<Value(Formula &, ValueRange)> term) {
  Nest nest(l, of.rows.input);
  readOperands(nest, of);
  return nest.sum(kept, getWide(l), term);
}

// rstd * (grad * weight - sum / length - normal * dot / length), where sum and
// dot are over the row, of grad * weight and of that times normal.
static Value getInputGradient(Lowering &l, const GradientOperands &of,
                              Type element) {
  Value dot = sumGradient(l, of, of.rows.outer, [&](Formula &f, ValueRange in) {
    return f.mul(getScaledGrad(f, of, in), getNormal(f, of, in));
  });
  Value sum;
  if (of.mean)
    sum = sumGradient(l, of, of.rows.outer, [&](Formula &f, ValueRange in) {
      return getScaledGrad(f, of, in);
    });
  Nest nest(l, of.rows.input);
  readOperands(nest, of);
  nest.read(dot, of.rows.outer);
  if (sum)
    nest.read(sum, of.rows.outer);
  return nest.map(getWide(l), element, [&](Formula &f, ValueRange in) {
    unsigned next = 3 + (of.mean != nullptr) + (of.weight != nullptr);
    Value length = f.number(of.rows.length);
    Value share = f.div(f.mul(getNormal(f, of, in), in[next]), length);
    Value x = getScaledGrad(f, of, in);
    if (sum)
      x = f.sub(x, f.div(in[next + 1], length));
    return f.mul(in[2], f.sub(x, share));
  });
}

static Value getWeightGradient(Lowering &l, const GradientOperands &of) {
  return sumGradient(l, of, of.rows.scaled, [&](Formula &f, ValueRange in) {
    return f.mul(in[0], getNormal(f, of, in));
  });
}

static Value getBiasGradient(Lowering &l, const GradientOperands &of) {
  Nest nest(l, of.rows.input);
  nest.read(of.grad);
  return nest.sum(of.rows.scaled, getWide(l),
                  [](Formula &, ValueRange in) { return in[0]; });
}

//===----------------------------------------------------------------------===//
// Layer norm and root mean square norm: rows are the last dimensions
//===----------------------------------------------------------------------===//

static RowShape getLastDims(Lowering &l) {
  RowShape rows{l.tensor("input"), {}, {}, 1};
  auto type = cast<RankedTensorType>(rows.input.getType());
  auto count = l.call().getInts("normalized_shape")->size();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim < type.getRank() - static_cast<int64_t>(count)) {
      rows.outer.push_back(dim);
      continue;
    }
    rows.scaled.push_back(dim);
    rows.length *= static_cast<double>(type.getDimSize(dim));
  }
  return rows;
}

static Lowered lowerLayerNorm(Lowering &l) {
  RowShape rows = getLastDims(l);
  Statistics statistics =
      getStatistics(l, rows, l.call().getNumber("eps").value_or(0));
  Value result = normalize(l, rows, statistics, l.tensor("weight"),
                           l.tensor("bias"), l.resultElementType());
  return fitResults(l, {result, statistics.mean, statistics.rstd});
}

static Lowered lowerRmsNorm(Lowering &l) {
  RowShape rows = getLastDims(l);
  // Without an eps it is the epsilon of the type that is computed in.
  double epsilon =
      cast<RankedTensorType>(rows.input.getType()).getElementType().isF64()
          ? 0x1p-52
          : 0x1p-23;
  Nest nest(l, rows.input);
  nest.read(rows.input);
  Value squares =
      nest.sum(rows.outer, getWide(l),
               [](Formula &f, ValueRange in) { return f.mul(in[0], in[0]); });
  Value rstd = getRstd(l, squares, rows.length,
                       l.call().getNumber("eps").value_or(epsilon));
  Value result = normalize(l, rows, {{}, rstd}, l.tensor("weight"), {},
                           l.resultElementType());
  return fitResults(l, {result, rstd});
}

// The statistics of rows, which have ones in the place of what is folded, on
// the loops that count rows.
static Value dropOnes(Lowering &l, Value statistics, const RowShape &rows) {
  auto type = cast<RankedTensorType>(statistics.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(rows.outer.size()));
  return l.reshape(statistics, type.clone(shape));
}

static Lowered lowerRowNormBackward(Lowering &l) {
  GradientOperands of;
  of.rows = getLastDims(l);
  of.grad = l.tensor("grad_out");
  of.weight = l.tensor("weight");
  of.rstd = dropOnes(l, l.tensor("rstd"), of.rows);
  if (Value mean = l.tensor("mean"))
    of.mean = dropOnes(l, mean, of.rows);
  SmallVector<Value> values = {getInputGradient(l, of, l.resultElementType()),
                               getWeightGradient(l, of)};
  if (l.operation()->getNumResults() > 2)
    values.push_back(getBiasGradient(l, of));
  return fitResults(l, values);
}

static bool areRows(Operation *op) {
  auto normalized = CallView(op).getInts("normalized_shape");
  RankedTensorType input = getTensorType(op, "input");
  return isAllStatic(op) && normalized && input &&
         isa<FloatType>(input.getElementType()) &&
         static_cast<int64_t>(normalized->size()) <= input.getRank() &&
         ArrayRef(*normalized) ==
             input.getShape().take_back(normalized->size());
}

//===----------------------------------------------------------------------===//
// Group norm: rows are channels of a group and area
//===----------------------------------------------------------------------===//

// Loops over batch, group, channel of the group, area.
static FailureOr<RowShape> getGroups(Lowering &l, StringRef input) {
  auto get = [&](StringRef name) { return *l.call().getInt(name); };
  Value value = l.tensor(input);
  int64_t groups = get("group");
  auto type = cast<RankedTensorType>(value.getType())
                  .clone({get("N"), groups, get("C") / groups, get("HxW")});
  Value split = l.reshape(value, type);
  if (!split)
    return failure();
  return RowShape{split,
                  {0, 1},
                  {1, 2},
                  static_cast<double>(get("C") / groups * get("HxW"))};
}

// A tensor of the channels, by group.
static Value splitChannels(Lowering &l, StringRef name) {
  Value value = l.tensor(name);
  if (!value)
    return {};
  int64_t groups = *l.call().getInt("group");
  int64_t channels = *l.call().getInt("C");
  return l.reshape(value, cast<RankedTensorType>(value.getType())
                              .clone({groups, channels / groups}));
}

static Lowered lowerGroupNorm(Lowering &l) {
  FailureOr<RowShape> rows = getGroups(l, "input");
  if (failed(rows))
    return failure();
  Statistics statistics =
      getStatistics(l, *rows, l.call().getNumber("eps").value_or(0));
  Value result = normalize(l, *rows, statistics, splitChannels(l, "weight"),
                           splitChannels(l, "bias"), l.resultElementType());
  return fitResults(l, {result, statistics.mean, statistics.rstd});
}

static Lowered lowerGroupNormBackward(Lowering &l) {
  FailureOr<RowShape> rows = getGroups(l, "input");
  FailureOr<RowShape> grad = getGroups(l, "grad_out");
  if (failed(rows) || failed(grad))
    return failure();
  GradientOperands of{*rows, grad->input, l.tensor("rstd"), l.tensor("mean"),
                      splitChannels(l, "weight")};
  return fitResults(l, {getInputGradient(l, of, l.resultElementType()),
                        getWeightGradient(l, of), getBiasGradient(l, of)});
}

static bool areGroups(Operation *op) {
  CallView call(op);
  RankedTensorType input = getTensorType(op, "input");
  std::optional<int64_t> n = call.getInt("N"), c = call.getInt("C");
  std::optional<int64_t> area = call.getInt("HxW"), g = call.getInt("group");
  return isAllStatic(op) && input && isa<FloatType>(input.getElementType()) &&
         areLiterals(op, {"N", "C", "HxW"}) && n && c && area && g && *g > 0 &&
         *c % *g == 0 && input.getNumElements() == *n * *c * *area &&
         input.getNumElements() > 0;
}

void titan::addNormLowerings(LoweringTable &table) {
  table.add({"aten.native_layer_norm"}, lowerLayerNorm, areRows);
  table.add({"aten._fused_rms_norm"}, lowerRmsNorm, areRows);
  table.add(
      {"aten.native_layer_norm_backward", "aten._fused_rms_norm_backward"},
      lowerRowNormBackward, areRows);
  table.add({"aten.native_group_norm"}, lowerGroupNorm, areGroups);
  table.add({"aten.native_group_norm_backward"}, lowerGroupNormBackward,
            areGroups);
}
