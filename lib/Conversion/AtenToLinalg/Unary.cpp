// Ops of one operand, element by element.
#include "Elementwise.h"

#include <numbers>

using namespace mlir;
using namespace mlir::titan;

static Value clampTo(Formula &f, Value x, double low, double high) {
  return f.minimum(f.maximum(x, f.number(low)), f.number(high));
}

static Value logSigmoid(Formula &f, Value x) {
  Value tail = f.log1p(f.exp(f.neg(f.abs(x))));
  return f.sub(f.minimum(x, f.number(0)), tail);
}

static Value signOf(Formula &f, Value x) {
  Value zero = f.integer(0), one = f.integer(1), minusOne = f.integer(-1);
  Value negative = f.select(f.less(x, zero), minusOne, zero);
  return f.select(f.greater(x, zero), one, negative);
}

template <typename Op>
static Value applied(Formula &f, Value x) {
  return Op::create(f.builder(), x);
}

namespace {
struct Function {
  StringLiteral name;
  Value (*formula)(Formula &, Value);
  Width width = Width::Wide;
};
} // namespace

// Results are floats, whatever number comes in.
static constexpr Function kFloatFunctions[] = {
    {"aten.acos", applied<math::AcosOp>},
    {"aten.acosh", applied<math::AcoshOp>},
    {"aten.asin", applied<math::AsinOp>},
    {"aten.asinh", applied<math::AsinhOp>},
    {"aten.atan", applied<math::AtanOp>},
    {"aten.atanh", applied<math::AtanhOp>},
    {"aten.cos", applied<math::CosOp>},
    {"aten.cosh", applied<math::CoshOp>},
    {"aten.deg2rad",
     [](Formula &f, Value x) {
       return f.mul(x, f.number(std::numbers::pi / 180));
     }},
    {"aten.rad2deg",
     [](Formula &f, Value x) {
       return f.mul(x, f.number(180 / std::numbers::pi));
     }},
    {"aten.erf", applied<math::ErfOp>},
    {"aten.erfc", applied<math::ErfcOp>},
    {"aten.exp", applied<math::ExpOp>},
    {"aten.exp2", applied<math::Exp2Op>},
    {"aten.expm1", applied<math::ExpM1Op>},
    {"aten.hardsigmoid",
     [](Formula &f, Value x) {
       return f.div(clampTo(f, f.add(x, f.number(3)), 0, 6), f.number(6));
     }},
    {"aten.hardswish",
     [](Formula &f, Value x) {
       Value gate = clampTo(f, f.add(x, f.number(3)), 0, 6);
       return f.div(f.mul(x, gate), f.number(6));
     }},
    {"aten.log", applied<math::LogOp>},
    {"aten.log10", applied<math::Log10Op>},
    {"aten.log1p", applied<math::Log1pOp>},
    {"aten.log2", applied<math::Log2Op>},
    {"aten.log_sigmoid", logSigmoid},
    {"aten.mish",
     [](Formula &f, Value x) { return f.mul(x, f.tanh(f.log1p(f.exp(x)))); }},
    {"aten.reciprocal",
     [](Formula &f, Value x) { return f.div(f.number(1), x); }, Width::Narrow},
    {"aten.rsqrt",
     [](Formula &f, Value x) { return f.div(f.number(1), f.sqrt(x)); }},
    {"aten.selu",
     [](Formula &f, Value x) {
       Value low = f.mul(f.number(1.6732632423543772848170429916717),
                         applied<math::ExpM1Op>(f, x));
       return f.mul(f.number(1.0507009873554804934193349852946),
                    f.select(f.greater(x, f.number(0)), x, low));
     }},
    {"aten.sigmoid", [](Formula &f, Value x) { return f.sigmoid(x); }},
    {"aten.silu",
     [](Formula &f, Value x) {
       return f.div(x, f.add(f.number(1), f.exp(f.neg(x))));
     }},
    {"aten.sin", applied<math::SinOp>},
    {"aten.sinh", applied<math::SinhOp>},
    {"aten.sqrt", applied<math::SqrtOp>, Width::Narrow},
    {"aten.tan", applied<math::TanOp>},
    {"aten.tanh", applied<math::TanhOp>},
};

// The kind of number stays what it is.
static constexpr Function kNumberFunctions[] = {
    {"aten.abs", [](Formula &f, Value x) { return f.abs(x); }, Width::Narrow},
    {"aten.neg", [](Formula &f, Value x) { return f.neg(x); }, Width::Narrow},
    {"aten.positive", [](Formula &, Value x) { return x; }, Width::Narrow},
    {"aten.relu",
     [](Formula &f, Value x) {
       Value zero = f.integer(0);
       return f.select(f.less(x, zero), zero, x);
     },
     Width::Narrow},
    {"aten.relu6", [](Formula &f, Value x) { return clampTo(f, x, 0, 6); },
     Width::Narrow},
    {"aten.sgn", signOf, Width::Narrow},
    {"aten.sign", signOf, Width::Narrow},
    {"aten.square", [](Formula &f, Value x) { return f.mul(x, x); },
     Width::Narrow},
};

// Of floats; integers are whole already.
static constexpr Function kRoundings[] = {
    {"aten.ceil", applied<math::CeilOp>, Width::Narrow},
    {"aten.floor", applied<math::FloorOp>, Width::Narrow},
    {"aten.frac",
     [](Formula &f, Value x) { return f.sub(x, applied<math::TruncOp>(f, x)); },
     Width::Narrow},
    {"aten.round", applied<math::RoundEvenOp>, Width::Narrow},
    {"aten.trunc", applied<math::TruncOp>, Width::Narrow},
};

// Of numbers of the operand's own type; the result is bool.
static constexpr Function kPredicates[] = {
    {"aten.isnan", [](Formula &f, Value x) { return f.isNan(x); }},
    {"aten.isinf",
     [](Formula &f, Value x) { return f.equal(f.abs(x), f.infinity()); }},
    {"aten.isfinite",
     [](Formula &f, Value x) { return f.less(f.abs(x), f.infinity()); }},
};

static void addFunction(LoweringTable &table, const Function &entry,
                        const std::function<bool(Operation *)> &supports) {
  table.add(
      {entry.name},
      [&entry](Lowering &l) {
        return mapNamed(
            l, {"self"}, entry.width,
            [&](Formula &f, ValueRange in) { return entry.formula(f, in[0]); });
      },
      supports);
}

static Type getSelfElementType(Operation *op) {
  Value self = CallView(op).getValue("self");
  return self ? getElementTypeOrSelf(self.getType()) : Type();
}

static FailureOr<SmallVector<Value>> lowerPredicate(Lowering &l,
                                                    const Function &entry) {
  Type element = getSelfElementType(l.operation());
  return SmallVector<Value>{l.map(
      {l.operand("self")}, getComputeType(element), l.resultElementType(),
      [&](Formula &f, ValueRange in) { return entry.formula(f, in[0]); })};
}

static FailureOr<SmallVector<Value>> lowerLogicalNot(Lowering &l) {
  Type element = getSelfElementType(l.operation());
  return SmallVector<Value>{l.map(
      {l.operand("self")}, getComputeType(element), l.resultElementType(),
      [](Formula &f, ValueRange in) { return f.equal(in[0], f.number(0)); })};
}

static FailureOr<SmallVector<Value>> lowerBitwiseNot(Lowering &l) {
  // In the type itself: of a bool, that is its opposite.
  Type element = l.resultElementType();
  return SmallVector<Value>{
      l.map({l.operand("self")}, element, element,
            [](Formula &f, ValueRange in) -> Value {
              Value ones = arith::ConstantOp::create(
                  f.builder(), IntegerAttr::get(f.getType(), -1));
              return arith::XOrIOp::create(f.builder(), in[0], ones);
            })};
}

void titan::addUnaryLowerings(LoweringTable &table) {
  for (const Function &entry : kFloatFunctions)
    addFunction(table, entry, hasResultOf(NumberKinds::Floats));
  for (const Function &entry : kNumberFunctions)
    addFunction(table, entry, {});
  for (const Function &entry : kRoundings)
    addFunction(table, entry, hasResultOf(NumberKinds::Floats));
  for (const Function &entry : kPredicates)
    table.add(
        {entry.name},
        [&entry](Lowering &l) { return lowerPredicate(l, entry); },
        [](Operation *op) {
          return isa_and_present<FloatType>(getSelfElementType(op));
        });
  table.add({"aten.logical_not"}, lowerLogicalNot);
  table.add({"aten.bitwise_not"}, lowerBitwiseNot,
            hasResultOf(NumberKinds::Integers));
}
