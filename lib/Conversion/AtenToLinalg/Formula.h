// Writes scalar formulas as arith and math ops, so that the lowering of a
// pointwise op reads like its definition.
#ifndef TITAN_LIB_CONVERSION_ATENTOLINALG_FORMULA_H
#define TITAN_LIB_CONVERSION_ATENTOLINALG_FORMULA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::titan {

/// The body of one generic, in numbers of one type. Without fast-math flags:
/// what is written is what is computed.
class Formula {
public:
  Formula(ImplicitLocOpBuilder &builder, Type type) : b(builder), type(type) {}

  ImplicitLocOpBuilder &builder() { return b; }
  Type getType() const { return type; }
  bool isFloat() const { return isa<FloatType>(type); }

  /// A number of the formula's type.
  Value number(double value);
  Value integer(int64_t value);
  Value nan();
  Value infinity(bool isNegative = false);

  /// \name Arithmetic, of floats and integers
  /// @{
  Value add(Value a, Value c);
  Value sub(Value a, Value c);
  Value mul(Value a, Value c);
  /// Of floats, or of integers towards zero.
  Value div(Value a, Value c);
  Value rem(Value a, Value c);
  Value neg(Value a);
  Value abs(Value a);
  /// NaN where one is NaN.
  Value maximum(Value a, Value c);
  Value minimum(Value a, Value c);
  /// @}

  /// \name Functions of floats
  /// @{
  template <typename Op>
  Value apply(Value a) {
    return Op::create(b, a);
  }
  Value exp(Value a) { return apply<math::ExpOp>(a); }
  Value log(Value a) { return apply<math::LogOp>(a); }
  Value log1p(Value a) { return apply<math::Log1pOp>(a); }
  Value tanh(Value a) { return apply<math::TanhOp>(a); }
  Value erfc(Value a) { return apply<math::ErfcOp>(a); }
  Value sqrt(Value a) { return apply<math::SqrtOp>(a); }
  /// 1 / (1 + e^-a).
  Value sigmoid(Value a) { return div(number(1), add(number(1), exp(neg(a)))); }
  /// a * c + d, rounded once.
  Value fma(Value a, Value c, Value d) {
    return math::FmaOp::create(b, a, c, d);
  }
  /// @}

  /// \name Comparisons (i1), and choice
  /// @{
  Value equal(Value a, Value c);
  Value notEqual(Value a, Value c);
  Value less(Value a, Value c);
  Value lessEqual(Value a, Value c);
  Value greater(Value a, Value c) { return less(c, a); }
  Value greaterEqual(Value a, Value c) { return lessEqual(c, a); }
  Value isNan(Value a) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, a, a);
  }
  Value both(Value a, Value c) { return arith::AndIOp::create(b, a, c); }
  Value either(Value a, Value c) { return arith::OrIOp::create(b, a, c); }
  Value negation(Value a);
  Value select(Value condition, Value a, Value c) {
    return arith::SelectOp::create(b, condition, a, c);
  }
  /// @}

private:
  ImplicitLocOpBuilder &b;
  Type type;
};

/// The number \p value as one of \p type, as PyTorch converts: floats to
/// integers towards zero, anything to bool by comparing with zero, f64 to a
/// type narrower than f32 through f32.
Value convertNumber(ImplicitLocOpBuilder &b, Value value, Type type);

/// The literal \p attribute (i64, f64 or i1) as a number of \p type, which it
/// is rounded to.
Value makeLiteral(ImplicitLocOpBuilder &b, Attribute attribute, Type type);

/// The type that \p elementType is computed in: f32 for narrower floats, i64
/// for bool, else itself.
Type getComputeType(Type elementType);

} // namespace mlir::titan

#endif // TITAN_LIB_CONVERSION_ATENTOLINALG_FORMULA_H
