// Functions of f64 as arithmetic. A vector and a scalar go through the very
// same ops, so an element's bits do not depend on where it stands. Each is good
// to a few units in the last place of f64; what is stored as f32 or narrower is
// thus the right number in all but very rare cases.
#include "EmitLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numbers>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// Writes formulas of numbers of one type, f64 or vectors of it.
class Writer64 {
public:
  Writer64(ImplicitLocOpBuilder &builder, Type type) : b(builder), type(type) {}

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value erfc(Value x);

private:
  Type getBitsType() {
    Type bits = b.getI64Type();
    auto lanes = dyn_cast<VectorType>(type);
    return lanes ? Type(lanes.clone(bits)) : bits;
  }
  Value splat(Type of, TypedAttr number) {
    if (auto lanes = dyn_cast<VectorType>(of))
      return arith::ConstantOp::create(b,
                                       DenseElementsAttr::get(lanes, number));
    return arith::ConstantOp::create(b, number);
  }
  Value number(double value) { return splat(type, b.getF64FloatAttr(value)); }
  Value bits(int64_t value) {
    return splat(getBitsType(), b.getI64IntegerAttr(value));
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, getBitsType(), x);
  }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value isLess(Value x, Value y) {
    return compare(arith::CmpFPredicate::OLT, x, y);
  }
  Value isEqual(Value x, Value y) {
    return compare(arith::CmpFPredicate::OEQ, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value polynomial(Value x, ArrayRef<double> coefficients);
  /// Sets \p whole to the integer n nearest to x / ln 2 (in the low bits of an
  /// i64) and \p rest to x - n ln 2. NaN stays NaN.
  void reduceExponent(Value x, Value &whole, Value &rest);
  /// 2 to the power of half of \p whole, rounded down, and of the rest of it.
  std::pair<Value, Value> powersOfTwo(Value whole);

  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

// 1.5 * 2^52: what is added to it loses its fraction, and stands in the low
// bits of the sum.
static constexpr double kMagic = 6755399441055744.0;

static constexpr double kLog2High = 6.93147180369123816490e-01;
static constexpr double kLog2Low = 1.90821492927058770002e-10;

Value Writer64::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = add(mul(sum, x), number(coefficient));
  return sum;
}

void Writer64::reduceExponent(Value x, Value &whole, Value &rest) {
  Value shifted = add(mul(x, number(std::numbers::log2e)), number(kMagic));
  Value n = sub(shifted, number(kMagic));
  whole = arith::SubIOp::create(b, toBits(shifted), toBits(number(kMagic)));
  rest = sub(sub(x, mul(n, number(kLog2High))), mul(n, number(kLog2Low)));
}

// (e^r - 1 - r) / r^2 for |r| up to ln 2 / 2, by its series.
static constexpr double kExpSeries[] = {
    1.0 / 2,         1.0 / 6,          1.0 / 24,          1.0 / 120,
    1.0 / 720,       1.0 / 5040,       1.0 / 40320,       1.0 / 362880,
    1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0};

std::pair<Value, Value> Writer64::powersOfTwo(Value whole) {
  // The sum is not negative, so that a logical shift halves it.
  Value half = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, whole, bits(4096)), bits(1));
  Value first = arith::SubIOp::create(b, half, bits(2048));
  Value second = arith::SubIOp::create(b, whole, first);
  auto power = [&](Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, bits(1023));
    return fromBits(arith::ShLIOp::create(b, biased, bits(52)));
  };
  return {power(first), power(second)};
}

Value Writer64::exp(Value x) {
  // Beyond, the result is zero or infinite anyway.
  x = select(isLess(number(720), x), number(720), x);
  x = select(isLess(x, number(-760)), number(-760), x);
  Value whole, rest;
  reduceExponent(x, whole, rest);
  Value series = mul(mul(rest, rest), polynomial(rest, kExpSeries));
  Value power = add(number(1), add(rest, series));
  auto [first, second] = powersOfTwo(whole);
  return mul(mul(power, first), second);
}

Value Writer64::expm1(Value x) {
  Value large = exp(x), isLarge = isLess(number(40), x);
  Value small = select(isLarge, number(40), x);
  small = select(isLess(small, number(-40)), number(-40), small);
  Value whole, rest;
  reduceExponent(small, whole, rest);
  Value series = mul(mul(rest, rest), polynomial(rest, kExpSeries));
  auto [first, second] = powersOfTwo(whole);
  Value power = mul(first, second);
  Value result = add(mul(add(rest, series), power), sub(power, number(1)));
  // The sign of a zero survives.
  result = select(isEqual(x, number(0)), x, result);
  return select(isLarge, large, result);
}

// FreeBSD's and Sun's well known method: log(1 + f) by a series in f / (2 + f).
Value Writer64::log(Value x) {
  Value isTiny = isLess(x, number(0x1p-1022));
  Value scaled = select(isTiny, mul(x, number(0x1p54)), x);
  // The exponent that brings the number between sqrt(1/2) and sqrt(2).
  Value pattern = toBits(scaled);
  Value moved = arith::SubIOp::create(b, pattern, bits(0x3fe6a09e00000000));
  Value exponent = arith::AndIOp::create(
      b, moved, bits(static_cast<int64_t>(0xfff0000000000000)));
  Value mantissa = fromBits(arith::SubIOp::create(b, pattern, exponent));
  // Offset, so that a logical shift does; then to f64 through the magic number.
  Value k = arith::ShRUIOp::create(
      b, arith::AddIOp::create(b, exponent, bits(0x4000000000000000)),
      bits(52));
  k = fromBits(arith::AddIOp::create(b, k, toBits(number(kMagic))));
  k = sub(sub(k, number(kMagic)), number(0x400));
  k = sub(k, select(isTiny, number(54), number(0)));
  Value f = sub(mantissa, number(1));
  Value s = div(f, add(number(2), f)), z = mul(s, s);
  Value series =
      mul(z, polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                            2.857142874366239149e-01, 2.222219843214978396e-01,
                            1.818357216161805012e-01, 1.531383769920937332e-01,
                            1.479819860511658591e-01}));
  Value square = mul(mul(number(0.5), f), f);
  Value low = add(mul(s, add(square, series)), mul(k, number(kLog2Low)));
  Value result = sub(mul(k, number(kLog2High)), sub(sub(square, low), f));
  double infinity = std::numeric_limits<double>::infinity();
  result = select(isEqual(x, number(0)), number(-infinity), result);
  Value isNegative = isLess(x, number(0));
  result = select(isNegative, number(std::numeric_limits<double>::quiet_NaN()),
                  result);
  // Infinity and NaN are their own logarithms.
  Value isFinite = compare(arith::CmpFPredicate::OLT, x, number(infinity));
  return select(isFinite, result, x);
}

Value Writer64::log1p(Value x) {
  Value u = add(number(1), x);
  Value lost = sub(x, sub(u, number(1)));
  Value result = add(log(u), div(lost, u));
  double infinity = std::numeric_limits<double>::infinity();
  result = select(isEqual(u, number(0)), number(-infinity), result);
  result = select(isEqual(u, number(infinity)), u, result);
  return select(isEqual(u, number(1)), x, result);
}

Value Writer64::tanh(Value x) {
  Value magnitude = math::AbsFOp::create(b, x);
  Value t = expm1(mul(magnitude, number(-2)));
  Value result = div(arith::NegFOp::create(b, t), add(t, number(2)));
  return math::CopySignOp::create(b, result, x);
}

// (1 + 2x) e^(x^2) erfc(x) for x from 0 up, a polynomial in (x - 4) / (x + 4):
// its Chebyshev expansion, cut off where terms fall below 1e-16.
static constexpr double kErfcSeries[] = {
    1.2329951186255526,     -0.1396211168405572,    0.015379652102610473,
    0.06809705425421975,    -0.10103906603586531,   0.09373283501077742,
    -0.06633036582031154,   0.03716751538635946,    -0.016197733981455194,
    0.005031971002298884,   -0.000757773707063825,  -0.00019926095315041177,
    0.00015062309720018628, -2.438779085759055e-05, -1.1225101875659178e-05,
    5.689537732302816e-06,  2.9801353803031333e-07, -8.020193766522085e-07,
    7.115337800585303e-08,  9.295292277973951e-08,  -1.6371779763566967e-08,
    -6.9926126813398e-09,   1.5738283774192037e-09};

Value Writer64::erfc(Value x) {
  Value magnitude = math::AbsFOp::create(b, x);
  // Beyond, the result is zero.
  magnitude = select(isLess(number(28), magnitude), number(28), magnitude);
  Value t = div(sub(magnitude, number(4)), add(magnitude, number(4)));
  Value series = div(polynomial(t, kErfcSeries),
                     add(number(1), mul(number(2), magnitude)));
  // x^2 as the exact square of its upper half and a small rest.
  Value upper = fromBits(arith::AndIOp::create(
      b, toBits(magnitude), bits(static_cast<int64_t>(0xfffffffff8000000))));
  Value rest = mul(sub(magnitude, upper), add(magnitude, upper));
  Value correction =
      add(sub(number(1), rest), mul(mul(number(0.5), rest), rest));
  Value decay =
      mul(exp(arith::NegFOp::create(b, mul(upper, upper))), correction);
  Value result = mul(series, decay);
  Value isNegative = isLess(x, number(0));
  return select(isNegative, sub(number(2), result), result);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static Value expand(ImplicitLocOpBuilder &b, Operation *op, Value x) {
  Writer64 writer(b, x.getType());
  if (isa<math::ExpOp>(op))
    return writer.exp(x);
  if (isa<math::ExpM1Op>(op))
    return writer.expm1(x);
  if (isa<math::LogOp>(op))
    return writer.log(x);
  if (isa<math::Log1pOp>(op))
    return writer.log1p(x);
  if (isa<math::TanhOp>(op))
    return writer.tanh(x);
  if (isa<math::ErfcOp>(op))
    return writer.erfc(x);
  return {};
}

static Type withElement(Type type, Type element) {
  auto lanes = dyn_cast<VectorType>(type);
  return lanes ? Type(lanes.clone(element)) : element;
}

// Functions of f32 are those of f64, rounded.
static void widen(ImplicitLocOpBuilder &b, Operation *op) {
  Type narrow = op->getResult(0).getType();
  Type wide = withElement(narrow, b.getF64Type());
  if (!getElementTypeOrSelf(narrow).isF32())
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType() == narrow)
      operand.set(arith::ExtFOp::create(b, wide, operand.get()));
  op->getResult(0).setType(wide);
  b.setInsertionPointAfter(op);
  auto rounded = arith::TruncFOp::create(b, narrow, op->getResult(0));
  op->getResult(0).replaceAllUsesExcept(rounded, rounded);
}

// Ops that are one instruction or some bit operations, exactly rounded.
static bool isExact(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::FmaOp,
             math::CopySignOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundEvenOp, math::RoundOp, math::IsNaNOp, math::IsInfOp,
             math::IsFiniteOp>(op);
}

// LLVM would call a function of compiler-rt for them.
static void convertThroughF32(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type result = op->getResult(0).getType();
  Type operand = op->getOperand(0).getType();
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
      getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32) {
    op->getResult(0).setType(withElement(result, b.getF32Type()));
    b.setInsertionPointAfter(op);
    auto rounded = arith::TruncFOp::create(b, result, op->getResult(0));
    op->getResult(0).replaceAllUsesExcept(rounded, rounded);
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) &&
      getElementTypeOrSelf(operand).getIntOrFloatBitWidth() < 32)
    op->setOperand(
        0, arith::ExtFOp::create(b, withElement(operand, b.getF32Type()),
                                 op->getOperand(0)));
}

void titan::expandMath(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
            op))
      convertThroughF32(op);
  });
  SmallVector<Operation *> functions;
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()) && !isExact(op) &&
        op->getNumResults() == 1 &&
        isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
      functions.push_back(op);
  });
  for (Operation *op : functions) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    widen(b, op);
    if (!getElementTypeOrSelf(op->getResult(0)).isF64())
      continue;
    b.setInsertionPoint(op);
    Value result;
    if (isa<math::RsqrtOp>(op)) {
      Value one = arith::ConstantOp::create(
          b, b.getOneAttr(op->getOperand(0).getType()));
      result = arith::DivFOp::create(
          b, one, math::SqrtOp::create(b, op->getOperand(0)));
    } else if (op->getNumOperands() == 1) {
      result = expand(b, op, op->getOperand(0));
    }
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
