// Ops of two or three operands, element by element.
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::titan;

static Value divideFloor(Formula &f, Value a, Value c) {
  if (!f.isFloat())
    return arith::FloorDivSIOp::create(f.builder(), a, c);
  // Python's: the quotient rounded down is built on the remainder, so that the
  // two agree.
  Value modulus = f.rem(a, c), zero = f.number(0);
  Value quotient = f.div(f.sub(a, modulus), c);
  Value crosses =
      f.both(f.notEqual(modulus, zero),
             f.notEqual(f.select(f.less(c, zero), f.number(1), zero),
                        f.select(f.less(modulus, zero), f.number(1), zero)));
  quotient = f.select(crosses, f.sub(quotient, f.number(1)), quotient);
  Value floored = f.apply<math::FloorOp>(quotient);
  floored = f.select(f.greater(f.sub(quotient, floored), f.number(0.5)),
                     f.add(floored, f.number(1)), floored);
  Value ratio = f.div(a, c);
  Value signedZero = math::CopySignOp::create(f.builder(), zero, ratio);
  floored = f.select(f.equal(quotient, zero), signedZero, floored);
  return f.select(f.equal(c, zero), ratio, floored);
}

static Value remainder(Formula &f, Value a, Value c) {
  Value modulus = f.rem(a, c), zero = f.integer(0);
  Value isApart = f.notEqual(modulus, zero);
  Value signs = arith::XOrIOp::create(f.builder(), f.less(c, zero),
                                      f.less(modulus, zero));
  return f.select(f.both(isApart, signs), f.add(modulus, c), modulus);
}

// The one that is no NaN.
static Value numberMaximum(Formula &f, Value a, Value c) {
  return f.isFloat() ? Value(arith::MaxNumFOp::create(f.builder(), a, c))
                     : f.maximum(a, c);
}
static Value numberMinimum(Formula &f, Value a, Value c) {
  return f.isFloat() ? Value(arith::MinNumFOp::create(f.builder(), a, c))
                     : f.minimum(a, c);
}

template <typename Op>
static Value combine(Formula &f, Value a, Value c) {
  return Op::create(f.builder(), a, c);
}

//===----------------------------------------------------------------------===//
// Arithmetic in the type of the result
//===----------------------------------------------------------------------===//

namespace {
struct Arithmetic {
  StringLiteral name;
  Value (*formula)(Formula &, Value, Value);
  NumberKinds kinds = NumberKinds::All;
};
} // namespace

static constexpr Arithmetic kArithmetic[] = {
    {"aten.mul", [](Formula &f, Value a, Value c) { return f.mul(a, c); }},
    {"aten.div", [](Formula &f, Value a, Value c) { return f.div(a, c); },
     NumberKinds::Floats},
    {"aten.true_divide",
     [](Formula &f, Value a, Value c) { return f.div(a, c); },
     NumberKinds::Floats},
    {"prims.div", [](Formula &f, Value a, Value c) { return f.div(a, c); },
     NumberKinds::Floats},
    {"aten.floor_divide", divideFloor, NumberKinds::Floats},
    {"aten.remainder", remainder, NumberKinds::Floats},
    {"aten.fmod", [](Formula &f, Value a, Value c) { return f.rem(a, c); },
     NumberKinds::Floats},
    {"aten.maximum",
     [](Formula &f, Value a, Value c) { return f.maximum(a, c); }},
    {"aten.minimum",
     [](Formula &f, Value a, Value c) { return f.minimum(a, c); }},
    {"aten.fmax", numberMaximum},
    {"aten.fmin", numberMinimum},
    {"aten.copysign", combine<math::CopySignOp>, NumberKinds::Floats},
    {"aten.bitwise_and", combine<arith::AndIOp>, NumberKinds::Integers},
    {"aten.bitwise_or", combine<arith::OrIOp>, NumberKinds::Integers},
    {"aten.bitwise_xor", combine<arith::XOrIOp>, NumberKinds::Integers},
    {"aten.__and__", combine<arith::AndIOp>, NumberKinds::Integers},
    {"aten.__or__", combine<arith::OrIOp>, NumberKinds::Integers},
    {"aten.__xor__", combine<arith::XOrIOp>, NumberKinds::Integers},
};

static void addArithmetic(LoweringTable &table) {
  for (const Arithmetic &entry : kArithmetic)
    table.add(
        {entry.name},
        [&entry](Lowering &l) {
          return mapNamed(l, {"self", "other"}, Width::Narrow,
                          [&](Formula &f, ValueRange in) {
                            return entry.formula(f, in[0], in[1]);
                          });
        },
        hasResultOf(entry.kinds));
}

// self + alpha * other, in the order given, rounded once: the fused form that
// PyTorch's kernels use.
static FailureOr<SmallVector<Value>> lowerSum(Lowering &l, StringRef first,
                                              StringRef second, double sign) {
  double alpha = l.call().getNumber("alpha").value_or(1) * sign;
  return mapNamed(l, {first, second}, Width::Narrow,
                  [&](Formula &f, ValueRange in) {
                    if (alpha == 1)
                      return f.add(in[0], in[1]);
                    if (alpha == -1)
                      return f.sub(in[0], in[1]);
                    Value factor = f.number(alpha);
                    return f.isFloat() ? f.fma(factor, in[1], in[0])
                                       : f.add(in[0], f.mul(factor, in[1]));
                  });
}

//===----------------------------------------------------------------------===//
// Comparisons in the common type of the operands
//===----------------------------------------------------------------------===//

namespace {
struct Comparison {
  StringLiteral name;
  Value (*formula)(Formula &, Value, Value);
};
} // namespace

static Value isTrue(Formula &f, Value a) { return f.notEqual(a, f.number(0)); }

static constexpr Comparison kComparisons[] = {
    {"aten.eq", [](Formula &f, Value a, Value c) { return f.equal(a, c); }},
    {"aten.ne", [](Formula &f, Value a, Value c) { return f.notEqual(a, c); }},
    {"aten.lt", [](Formula &f, Value a, Value c) { return f.less(a, c); }},
    {"aten.le", [](Formula &f, Value a, Value c) { return f.lessEqual(a, c); }},
    {"aten.gt", [](Formula &f, Value a, Value c) { return f.greater(a, c); }},
    {"aten.ge",
     [](Formula &f, Value a, Value c) { return f.greaterEqual(a, c); }},
    {"aten.logical_and",
     [](Formula &f, Value a, Value c) {
       return f.both(isTrue(f, a), isTrue(f, c));
     }},
    {"aten.logical_or",
     [](Formula &f, Value a, Value c) {
       return f.either(isTrue(f, a), isTrue(f, c));
     }},
    {"aten.logical_xor",
     [](Formula &f, Value a, Value c) -> Value {
       return arith::XOrIOp::create(f.builder(), isTrue(f, a), isTrue(f, c));
     }},
};

static void addComparisons(LoweringTable &table) {
  for (const Comparison &entry : kComparisons)
    table.add(
        {entry.name},
        [&entry](Lowering &l) -> FailureOr<SmallVector<Value>> {
          Operand operands[] = {l.operand("self"), l.operand("other")};
          Type common = getCommonType(operands);
          // Exact: a literal is rounded to the type before it is compared.
          return SmallVector<Value>{l.map(
              operands, getComputeType(common), l.resultElementType(),
              [&](Formula &f, ValueRange in) {
                return entry.formula(f, in[0], in[1]);
              },
              common)};
        },
        [](Operation *op) {
          Operand operands[2];
          return getOperands(op, {"self", "other"}, operands) &&
                 getCommonType(operands);
        });
}

//===----------------------------------------------------------------------===//
// Choices and the rest
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> lowerWhere(Lowering &l) {
  Type element = l.resultElementType();
  Operand operands[] = {l.operand("condition"), l.operand("self"),
                        l.operand("other")};
  // Elements are chosen, not computed: they keep their type.
  return SmallVector<Value>{
      l.map(operands, element, element, [&](Formula &f, ValueRange in) {
        Value condition =
            convertNumber(f.builder(), in[0], f.builder().getI1Type());
        return f.select(condition, in[1], in[2]);
      })};
}

static FailureOr<SmallVector<Value>> lowerMaskedFill(Lowering &l) {
  Type element = l.resultElementType();
  Operand operands[] = {l.operand("mask"), l.operand("value"),
                        l.operand("self")};
  return SmallVector<Value>{
      l.map(operands, element, element, [&](Formula &f, ValueRange in) {
        Value condition =
            convertNumber(f.builder(), in[0], f.builder().getI1Type());
        return f.select(condition, in[1], in[2]);
      })};
}

// min and max may each be absent; where they cross, the upper one counts. NaN
// stays, and a limit that is NaN wins.
static FailureOr<SmallVector<Value>> lowerClamp(Lowering &l) {
  SmallVector<Operand> operands = {l.operand("self")};
  bool hasMin = !l.operand("min").isNull();
  for (StringRef name : {"min", "max"})
    if (Operand limit = l.operand(name))
      operands.push_back(limit);
  Type element = l.resultElementType();
  return SmallVector<Value>{l.map(
      operands, getComputeType(element), element,
      [&](Formula &f, ValueRange in) {
        Value value = in[0];
        for (unsigned i = 1; i < in.size(); ++i)
          value = i == 1 && hasMin ? f.maximum(value, in[i])
                                   : f.minimum(value, in[i]);
        return value;
      },
      element)};
}

// self + value * (tensor1 op tensor2).
static FailureOr<SmallVector<Value>> lowerAddProduct(Lowering &l,
                                                     bool divides) {
  double value = getParameter(l, "value", 1);
  return mapNamed(l, {"self", "tensor1", "tensor2"}, Width::Wide,
                  [&](Formula &f, ValueRange in) {
                    Value scaled = f.mul(f.number(value), in[1]);
                    return divides ? f.add(in[0], f.div(scaled, in[2]))
                                   : f.fma(scaled, in[2], in[0]);
                  });
}

static FailureOr<SmallVector<Value>> lowerLerp(Lowering &l) {
  return mapNamed(
      l, {"self", "end", "weight"}, Width::Wide, [](Formula &f, ValueRange in) {
        Value span = f.sub(in[1], in[0]);
        Value near = f.add(in[0], f.mul(in[2], span));
        Value far = f.sub(in[1], f.mul(span, f.sub(f.number(1), in[2])));
        return f.select(f.less(f.abs(in[2]), f.number(0.5)), near, far);
      });
}

// The square root for one half, products for small whole exponents.
static FailureOr<SmallVector<Value>> lowerPower(Lowering &l) {
  return mapNamed(l, {"self", "exponent"}, Width::Wide,
                  [&](Formula &f, ValueRange in) -> Value {
                    double exponent =
                        getLiteral(l.operand("exponent")).value_or(0);
                    if (exponent == 2)
                      return f.mul(in[0], in[0]);
                    if (exponent == 3)
                      return f.mul(f.mul(in[0], in[0]), in[0]);
                    if (exponent == 1)
                      return in[0];
                    if (exponent == 0.5)
                      return f.sqrt(in[0]);
                    if (exponent == -0.5)
                      return f.div(f.number(1), f.sqrt(in[0]));
                    if (exponent == -1)
                      return f.div(f.number(1), in[0]);
                    return math::PowFOp::create(f.builder(), in[0], in[1]);
                  });
}

static FailureOr<SmallVector<Value>> lowerFma(Lowering &l) {
  // Not fused, as on PyTorch's CPU.
  return mapNamed(l, {"a", "b", "c"}, Width::Narrow,
                  [](Formula &f, ValueRange in) {
                    return f.add(f.mul(in[0], in[1]), in[2]);
                  });
}

void titan::addPointwiseLowerings(LoweringTable &table) {
  addArithmetic(table);
  addComparisons(table);
  table.add({"aten.add"},
            [](Lowering &l) { return lowerSum(l, "self", "other", 1); });
  table.add({"aten.sub"},
            [](Lowering &l) { return lowerSum(l, "self", "other", -1); });
  table.add({"aten.rsub"},
            [](Lowering &l) { return lowerSum(l, "other", "self", -1); });
  table.add({"aten.where.self", "aten.where.ScalarOther",
             "aten.where.ScalarSelf", "aten.where.Scalar"},
            lowerWhere);
  table.add({"aten.masked_fill"}, lowerMaskedFill);
  table.add({"aten.clamp", "aten.clamp_min", "aten.clamp_max"}, lowerClamp);
  table.add(
      {"aten.addcmul"}, [](Lowering &l) { return lowerAddProduct(l, false); },
      hasResultOf(NumberKinds::Floats));
  table.add(
      {"aten.addcdiv"}, [](Lowering &l) { return lowerAddProduct(l, true); },
      hasResultOf(NumberKinds::Floats));
  table.add({"aten.lerp"}, lowerLerp, hasResultOf(NumberKinds::Floats));
  table.add(
      {"aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar"},
      lowerPower, hasResultOf(NumberKinds::Floats));
  table.add({"prims.fma"}, lowerFma, hasResultOf(NumberKinds::Floats));
  // The rounding of quotients to whole numbers has forms of its own.
  table.add(
      {"aten.div.Tensor_mode", "aten.div.Scalar_mode"},
      [](Lowering &l) {
        bool isFloor = l.call().getString("rounding_mode") == "floor";
        return mapNamed(l, {"self", "other"}, Width::Narrow,
                        [&](Formula &f, ValueRange in) {
                          if (isFloor)
                            return divideFloor(f, in[0], in[1]);
                          return f.apply<math::TruncOp>(f.div(in[0], in[1]));
                        });
      },
      [](Operation *op) {
        StringRef mode = CallView(op).getString("rounding_mode");
        return (mode == "floor" || mode == "trunc") &&
               hasResultOf(NumberKinds::Floats)(op);
      });
}
