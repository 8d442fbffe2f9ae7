#include "Formula.h"

using namespace mlir;
using namespace mlir::titan;

Value Formula::number(double value) {
  if (!isFloat())
    return integer(static_cast<int64_t>(value));
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(b, FloatAttr::get(type, rounded));
}

Value Formula::integer(int64_t value) {
  if (isFloat())
    return number(static_cast<double>(value));
  return arith::ConstantOp::create(b, IntegerAttr::get(type, value));
}

Value Formula::nan() {
  return arith::ConstantOp::create(
      b, FloatAttr::get(type, APFloat::getQNaN(
                                  cast<FloatType>(type).getFloatSemantics())));
}

Value Formula::infinity(bool isNegative) {
  return arith::ConstantOp::create(
      b, FloatAttr::get(
             type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                                   isNegative)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Formula::add(Value a, Value c) {
  return isFloat() ? Value(arith::AddFOp::create(b, a, c))
                   : Value(arith::AddIOp::create(b, a, c));
}

Value Formula::sub(Value a, Value c) {
  return isFloat() ? Value(arith::SubFOp::create(b, a, c))
                   : Value(arith::SubIOp::create(b, a, c));
}

Value Formula::mul(Value a, Value c) {
  return isFloat() ? Value(arith::MulFOp::create(b, a, c))
                   : Value(arith::MulIOp::create(b, a, c));
}

Value Formula::div(Value a, Value c) {
  return isFloat() ? Value(arith::DivFOp::create(b, a, c))
                   : Value(arith::DivSIOp::create(b, a, c));
}

Value Formula::rem(Value a, Value c) {
  return isFloat() ? Value(arith::RemFOp::create(b, a, c))
                   : Value(arith::RemSIOp::create(b, a, c));
}

Value Formula::neg(Value a) {
  return isFloat() ? Value(arith::NegFOp::create(b, a))
                   : Value(arith::SubIOp::create(b, integer(0), a));
}

Value Formula::abs(Value a) {
  return isFloat() ? Value(math::AbsFOp::create(b, a))
                   : Value(math::AbsIOp::create(b, a));
}

Value Formula::maximum(Value a, Value c) {
  return isFloat() ? Value(arith::MaximumFOp::create(b, a, c))
                   : Value(arith::MaxSIOp::create(b, a, c));
}

Value Formula::minimum(Value a, Value c) {
  return isFloat() ? Value(arith::MinimumFOp::create(b, a, c))
                   : Value(arith::MinSIOp::create(b, a, c));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Value Formula::equal(Value a, Value c) {
  return isFloat()
             ? Value(arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, a, c))
             : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, c));
}

Value Formula::notEqual(Value a, Value c) {
  return isFloat()
             ? Value(arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, a, c))
             : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::ne, a, c));
}

Value Formula::less(Value a, Value c) {
  return isFloat()
             ? Value(arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, a, c))
             : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, a, c));
}

Value Formula::lessEqual(Value a, Value c) {
  return isFloat()
             ? Value(arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, a, c))
             : Value(arith::CmpIOp::create(b, arith::CmpIPredicate::sle, a, c));
}

Value Formula::negation(Value a) {
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, a, yes);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value convertFloat(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  if (from == to) {
    // bf16 and f16 have no way into each other but through f32.
    Value wide = arith::ExtFOp::create(b, b.getF32Type(), value);
    return arith::TruncFOp::create(b, type, wide);
  }
  if (from == 64 && to < 32)
    value = arith::TruncFOp::create(b, b.getF32Type(), value);
  return arith::TruncFOp::create(b, type, value);
}

static Value convertInteger(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from > to)
    return arith::TruncIOp::create(b, type, value);
  if (from == 1)
    return arith::ExtUIOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

Value titan::convertNumber(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, b.getI64Type(), value);
  if (value.getType() == type)
    return value;
  bool fromFloat = isa<FloatType>(value.getType());
  if (type.isInteger(1)) {
    Formula formula(b, value.getType());
    return formula.notEqual(value, formula.number(0));
  }
  if (fromFloat && isa<FloatType>(type))
    return convertFloat(b, value, type);
  if (!fromFloat && !isa<FloatType>(type))
    return convertInteger(b, value, type);
  if (fromFloat)
    return arith::FPToSIOp::create(
        b, type, convertNumber(b, value, getComputeType(value.getType())));
  // Numbers narrower than f32 have no conversions of their own.
  Type wide = getComputeType(type);
  Value number = value.getType().isInteger(1)
                     ? Value(arith::UIToFPOp::create(b, wide, value))
                     : Value(arith::SIToFPOp::create(b, wide, value));
  return convertNumber(b, number, type);
}

Value titan::makeLiteral(ImplicitLocOpBuilder &b, Attribute attribute,
                         Type type) {
  Formula formula(b, type);
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return formula.integer(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    int64_t value = integer.getInt();
    return formula.integer(type.isInteger(1) ? value != 0 : value);
  }
  double value = cast<FloatAttr>(attribute).getValueAsDouble();
  return formula.number(type.isInteger(1) ? value != 0 : value);
}

Type titan::getComputeType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 64);
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(elementType.getContext());
  return elementType;
}
