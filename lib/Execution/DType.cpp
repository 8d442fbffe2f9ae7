#include "titan/Execution/DType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <bit>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

std::optional<DType> titan::getDType(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type))
    type = tensor.getElementType();
  if (isa<IndexType>(type))
    return DType::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DType::Bool;
    case 8:
      return isUnsigned ? DType::U8 : DType::I8;
    case 16:
      return isUnsigned ? DType::U16 : DType::I16;
    case 32:
      return isUnsigned ? DType::U32 : DType::I32;
    case 64:
      return isUnsigned ? DType::U64 : DType::I64;
    default:
      return std::nullopt;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return DType::C64;
    if (complex.getElementType().isF64())
      return DType::C128;
    return std::nullopt;
  }
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  return std::nullopt;
}

int64_t titan::getByteSize(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::U8:
  case DType::I8:
  case DType::F8E4M3:
  case DType::F8E5M2:
    return 1;
  case DType::I16:
  case DType::U16:
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::I32:
  case DType::U32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::U64:
  case DType::F64:
  case DType::C64:
    return 8;
  case DType::C128:
    return 16;
  }
  llvm_unreachable("unknown element type");
}

StringRef titan::getName(DType dtype) {
  static constexpr StringLiteral kNames[] = {
      "b8",       "u8",     "i8",  "i16",  "u16", "i32", "u32", "i64", "u64",
      "f8e4m3fn", "f8e5m2", "f16", "bf16", "f32", "f64", "c64", "c128"};
  return kNames[static_cast<unsigned>(dtype)];
}

DType titan::promote(DType a, DType b) {
  if (a == b)
    return a;
  if (isComplex(a) || isComplex(b)) {
    bool isDouble = a == DType::C128 || b == DType::C128 || a == DType::F64 ||
                    b == DType::F64;
    return isDouble ? DType::C128 : DType::C64;
  }
  if (isFloat(a) != isFloat(b))
    return isFloat(a) ? a : b;
  if (isFloat(a))
    return getByteSize(a) == getByteSize(b)  ? DType::F32
           : getByteSize(a) > getByteSize(b) ? a
                                             : b;
  if (a == DType::Bool || b == DType::Bool)
    return a == DType::Bool ? b : a;
  // The narrower of two integers gives way, except that an unsigned one as wide
  // as its signed partner needs the next wider type.
  if (getByteSize(a) != getByteSize(b))
    return getByteSize(a) > getByteSize(b) ? a : b;
  switch (getByteSize(a)) {
  case 1:
    return DType::I16;
  case 2:
    return DType::I32;
  default:
    return DType::I64;
  }
}

float titan::fromBFloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t titan::toBFloat16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return 0x7fc0;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

float titan::fromHalf(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0)
    return std::copysign(std::ldexp(static_cast<float>(mantissa), -24),
                         std::bit_cast<float>(sign));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                              (mantissa << 13));
}

uint16_t titan::toHalf(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  // 65520 is the least that rounds to infinity.
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  // Below the least normal number, 2^-14, in units of the least subnormal.
  if (magnitude < 0x38800000)
    return sign | static_cast<uint16_t>(std::nearbyint(
                      std::ldexp(std::bit_cast<float>(magnitude), 24)));
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | ((rounded - (112u << 23)) >> 13);
}

static const llvm::fltSemantics &getFloat8Semantics(DType dtype) {
  return dtype == DType::F8E4M3 ? llvm::APFloat::Float8E4M3FN()
                                : llvm::APFloat::Float8E5M2();
}

float titan::fromFloat8(uint8_t bits, DType dtype) {
  llvm::APFloat value(getFloat8Semantics(dtype), llvm::APInt(8, bits));
  return value.convertToDouble();
}

uint8_t titan::toFloat8(float value, DType dtype) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(getFloat8Semantics(dtype), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}

double titan::roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::F32:
    return static_cast<float>(value);
  case DType::F16:
    return fromHalf(toHalf(value));
  case DType::BF16:
    return fromBFloat16(toBFloat16(value));
  case DType::F8E4M3:
  case DType::F8E5M2:
    return fromFloat8(toFloat8(value, dtype), dtype);
  default:
    return value;
  }
}
