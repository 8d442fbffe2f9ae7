// Folds of more than one step: variances, norms, logarithms of sums, and the
// places of extremes. Sums run in f64, results are rounded once.
#include "Nest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// Which loops over `self` are left, and how many elements fold into one.
struct Rows {
  Value self;
  SmallVector<unsigned> kept;
  double length = 1;
  Type wide;

  Rows(Lowering &l, StringRef operand, StringRef dimName);
};
} // namespace

Rows::Rows(Lowering &l, StringRef operand, StringRef dimName)
    : self(l.tensor(operand)), wide(l.builder().getF64Type()) {
  auto type = cast<RankedTensorType>(self.getType());
  SmallVector<int64_t> dims =
      l.call().getInts(dimName).value_or(SmallVector<int64_t>());
  if (std::optional<int64_t> dim = l.call().getInt(dimName))
    dims = {*dim};
  for (int64_t &dim : dims)
    dim = wrapDim(dim, type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!dims.empty() && !llvm::is_contained(dims, dim))
      kept.push_back(dim);
    else
      length *= static_cast<double>(type.getDimSize(dim));
}

static Value mapRows(Lowering &l, const Rows &rows, ArrayRef<Value> values,
                     function_ref<Value(Formula &, ValueRange)> body) {
  Nest nest(l, values.front());
  for (Value value : values)
    nest.read(value);
  return nest.map(rows.wide, rows.wide, body);
}

//===----------------------------------------------------------------------===//
// Variances
//===----------------------------------------------------------------------===//

static Lowered lowerVariance(Lowering &l, StringRef operand, StringRef dimName,
                             bool isRoot) {
  Rows rows(l, operand, dimName);
  double correction = l.call().getNumber("correction").value_or(1);
  double divisor = std::max(rows.length - correction, 0.0);
  Nest total(l, rows.self);
  total.read(rows.self);
  Value sums = total.sum(rows.kept, rows.wide,
                         [](Formula &, ValueRange in) { return in[0]; });
  Value mean = mapRows(l, rows, {sums}, [&](Formula &f, ValueRange in) {
    return f.div(in[0], f.number(rows.length));
  });
  Nest deviation(l, rows.self);
  deviation.read(rows.self);
  deviation.read(mean, rows.kept);
  Value squares =
      deviation.sum(rows.kept, rows.wide, [](Formula &f, ValueRange in) {
        Value distance = f.sub(in[0], in[1]);
        return f.mul(distance, distance);
      });
  Value variance = mapRows(l, rows, {squares}, [&](Formula &f, ValueRange in) {
    Value value = f.div(in[0], f.number(divisor));
    return isRoot ? f.sqrt(value) : value;
  });
  return fitResults(l, {variance, mean});
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static Value raise(Formula &f, Value size, double order) {
  if (order == 0)
    return f.select(f.notEqual(size, f.number(0)), f.number(1), f.number(0));
  if (order == 1)
    return size;
  if (order == 2)
    return f.mul(size, size);
  return math::PowFOp::create(f.builder(), size, f.number(order));
}

static Lowered lowerNorm(Lowering &l, StringRef orderName) {
  Rows rows(l, "self", "dim");
  double order = l.call().getNumber(orderName).value_or(2);
  Nest nest(l, rows.self);
  nest.read(rows.self);
  if (std::isinf(order)) {
    Value extreme = nest.fold(
        rows.kept, rows.wide,
        [&](Formula &f) { return order > 0 ? f.number(0) : f.infinity(); },
        [&](Formula &f, Value best, ValueRange in) {
          Value size = f.abs(in[0]);
          return order > 0 ? f.maximum(best, size) : f.minimum(best, size);
        });
    return fitResults(l, {extreme});
  }
  Value sums = nest.sum(rows.kept, rows.wide, [&](Formula &f, ValueRange in) {
    return raise(f, f.abs(in[0]), order);
  });
  if (order == 0 || order == 1)
    return fitResults(l, {sums});
  return fitResults(
      l, {mapRows(l, rows, {sums}, [&](Formula &f, ValueRange in) -> Value {
        if (order == 2)
          return f.sqrt(in[0]);
        return math::PowFOp::create(f.builder(), in[0], f.number(1 / order));
      })});
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

static Value getEnd(Formula &f, bool isLeast) {
  if (f.isFloat())
    return f.infinity(isLeast);
  unsigned width = f.getType().getIntOrFloatBitWidth();
  APInt end = isLeast ? APInt::getSignedMinValue(width)
                      : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(f.builder(),
                                   IntegerAttr::get(f.getType(), end));
}

static Value getExtremes(Lowering &l, const Rows &rows, Type compute,
                         bool wantsGreatest) {
  Nest nest(l, rows.self);
  nest.read(rows.self);
  return nest.fold(
      rows.kept, compute, [&](Formula &f) { return getEnd(f, wantsGreatest); },
      [&](Formula &f, Value best, ValueRange in) {
        return wantsGreatest ? f.maximum(best, in[0]) : f.minimum(best, in[0]);
      });
}

// The first position along \p loop of what equals the extreme, or of the first
// NaN.
static Value getFirstPlaces(Lowering &l, const Rows &rows, Type compute,
                            Value extremes, unsigned loop) {
  Nest nest(l, rows.self);
  nest.readsRaw();
  nest.read(rows.self);
  nest.readsRaw();
  nest.read(extremes, rows.kept);
  return nest.fold(
      rows.kept, l.builder().getI64Type(),
      [](Formula &f) { return getEnd(f, /*isLeast=*/false); },
      [&](Formula &f, Value first, ValueRange in) {
        Formula element(f.builder(), compute);
        Value value = convertNumber(f.builder(), in[0], compute);
        Value isExtreme = element.equal(value, in[1]);
        if (element.isFloat())
          isExtreme = f.either(isExtreme, element.isNan(value));
        Value here = convertNumber(f.builder(),
                                   linalg::IndexOp::create(f.builder(), loop),
                                   f.getType());
        return f.minimum(first, f.select(isExtreme, here, getEnd(f, false)));
      });
}

static Lowered lowerExtreme(Lowering &l, bool wantsGreatest, bool wantsValues) {
  Rows rows(l, "self", "dim");
  auto type = cast<RankedTensorType>(rows.self.getType());
  Type compute = getComputeType(type.getElementType());
  unsigned loop = 0;
  if (std::optional<int64_t> dim = l.call().getInt("dim")) {
    loop = wrapDim(*dim, type.getRank());
  } else {
    rows.self = l.reshape(rows.self, type.clone({type.getNumElements()}));
    if (!rows.self)
      return failure();
  }
  Value extremes = getExtremes(l, rows, compute, wantsGreatest);
  Value places = getFirstPlaces(l, rows, compute, extremes, loop);
  if (wantsValues)
    return fitResults(l, {extremes, places});
  return fitResults(l, {places});
}

static Lowered lowerLogSumExp(Lowering &l) {
  Rows rows(l, "self", "dim");
  Value tops = getExtremes(l, rows, rows.wide, /*wantsGreatest=*/true);
  // An infinite top is no shift.
  Value shifts = mapRows(l, rows, {tops}, [](Formula &f, ValueRange in) {
    return f.select(f.equal(f.abs(in[0]), f.infinity()), f.number(0), in[0]);
  });
  Nest nest(l, rows.self);
  nest.read(rows.self);
  nest.read(shifts, rows.kept);
  Value sums = nest.sum(rows.kept, rows.wide, [](Formula &f, ValueRange in) {
    return f.exp(f.sub(in[0], in[1]));
  });
  return fitResults(
      l, {mapRows(l, rows, {sums, shifts}, [](Formula &f, ValueRange in) {
        return f.add(f.log(in[0]), in[1]);
      })});
}

static Lowered lowerCountNonzero(Lowering &l) {
  Rows rows(l, "self", "dim");
  Type element = cast<RankedTensorType>(rows.self.getType()).getElementType();
  Nest nest(l, rows.self);
  nest.readsRaw();
  nest.read(rows.self);
  return fitResults(l, {nest.sum(rows.kept, l.builder().getI64Type(),
                                 [&](Formula &f, ValueRange in) {
                                   Formula own(f.builder(), element);
                                   return convertNumber(
                                       f.builder(),
                                       own.notEqual(in[0], own.integer(0)),
                                       f.getType());
                                 })});
}

static Lowered lowerPrimsSum(Lowering &l) {
  Rows rows(l, "inp", "dims");
  Nest nest(l, rows.self);
  nest.read(rows.self);
  Type element = l.resultElementType();
  return fitResults(
      l, {nest.sum(rows.kept,
                   isa<FloatType>(element) ? rows.wide
                                           : Type(l.builder().getI64Type()),
                   [](Formula &, ValueRange in) { return in[0]; })});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::function<bool(Operation *)> foldsFloats(StringRef operand) {
  return [operand](Operation *op) {
    RankedTensorType self = getTensorType(op, operand);
    return isAllStatic(op) && self && isa<FloatType>(self.getElementType());
  };
}

// The extreme of nothing is an error.
static bool foldsSome(Operation *op) {
  RankedTensorType self = getTensorType(op, "self");
  return isAllStatic(op) && self && self.getNumElements() > 0;
}

void titan::addMomentLowerings(LoweringTable &table) {
  table.add(
      {"aten.var", "aten.var_mean"},
      [](Lowering &l) { return lowerVariance(l, "self", "dim", false); },
      foldsFloats("self"));
  table.add(
      {"aten.std", "aten.std_mean"},
      [](Lowering &l) { return lowerVariance(l, "self", "dim", true); },
      foldsFloats("self"));
  table.add(
      {"prims.var"},
      [](Lowering &l) { return lowerVariance(l, "inp", "dims", false); },
      foldsFloats("inp"));
  table.add({"prims.sum"}, lowerPrimsSum, [](Operation *op) {
    return isAllStatic(op) && getTensorType(op, "inp");
  });
  table.add(
      {"aten.linalg_vector_norm"},
      [](Lowering &l) { return lowerNorm(l, "ord"); }, foldsFloats("self"));
  table.add(
      {"aten.norm"}, [](Lowering &l) { return lowerNorm(l, "p"); },
      foldsFloats("self"));
  table.add({"aten.logsumexp"}, lowerLogSumExp, foldsFloats("self"));
  table.add({"aten.count_nonzero"}, lowerCountNonzero, [](Operation *op) {
    return isAllStatic(op) && getTensorType(op, "self");
  });
  for (bool greatest : {false, true}) {
    table.add(
        {greatest ? "aten.max.dim" : "aten.min.dim"},
        [greatest](Lowering &l) { return lowerExtreme(l, greatest, true); },
        foldsSome);
    table.add(
        {greatest ? "aten.argmax" : "aten.argmin"},
        [greatest](Lowering &l) { return lowerExtreme(l, greatest, false); },
        foldsSome);
  }
}
