// The element types that programs compute with, and their bits in memory.
#ifndef TITAN_EXECUTION_DTYPE_H
#define TITAN_EXECUTION_DTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir::titan {

enum class DType : uint8_t {
  Bool,
  U8,
  I8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  C64,
  C128,
};

/// The element type of \p type (of a tensor, or of a number), or none if
/// programs cannot compute with it. Index is I64.
std::optional<DType> getDType(Type type);

/// Bytes an element takes in memory.
int64_t getByteSize(DType dtype);

/// The name as PyTorch's graphs print it: `f32`, `bf16`, `b8`, `c64`.
llvm::StringRef getName(DType dtype);

constexpr bool isComplex(DType dtype) { return dtype >= DType::C64; }
constexpr bool isFloat(DType dtype) {
  return dtype >= DType::F8E4M3 && dtype <= DType::F64;
}
/// Whether the values are integers; bool counts as one.
constexpr bool isInteger(DType dtype) { return dtype <= DType::U64; }

/// The type PyTorch computes in when it stores results as \p dtype: f32 for the
/// floats of 8 and 16 bits, else the type itself.
constexpr DType getComputeType(DType dtype) {
  return isFloat(dtype) && dtype < DType::F32 ? DType::F32 : dtype;
}

/// The type two operands of the same standing are converted to before a
/// computation (torch.promote_types).
DType promote(DType a, DType b);

/// \name Conversions of bits, to nearest even
/// @{
float fromBFloat16(uint16_t bits);
uint16_t toBFloat16(float value);
float fromHalf(uint16_t bits);
uint16_t toHalf(float value);
float fromFloat8(uint8_t bits, DType dtype);
uint8_t toFloat8(float value, DType dtype);
/// @}

/// \p value rounded to \p dtype, which is a float type: through f32 for the
/// types narrower than that, as kernels that compute in f32 do.
double roundTo(DType dtype, double value);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_DTYPE_H
