// Number formats of the tensor cores.
#ifndef TITAN_LIB_EMULATOR_NUMBERS_H
#define TITAN_LIB_EMULATOR_NUMBERS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace mlir::titan::emulator {

/// Formats of matrix elements.
enum class Format : int64_t { F16, Bf16, Tf32, F32, F64, S8, U8, S32 };

/// Bits of a register that one element takes.
inline unsigned getBits(Format format) {
  switch (format) {
  case Format::F16:
  case Format::Bf16:
    return 16;
  case Format::S8:
  case Format::U8:
    return 8;
  case Format::F64:
    return 64;
  default:
    return 32;
  }
}

inline float fromBfloat(uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

inline float fromHalf(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
  if (rest >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  // Scaling by a power of two sets the exponent right, denormals as well.
  float value = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}

/// Rounds to the nearest half, ties to even.
inline uint32_t toHalf(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Adding a number whose last place is a denormal's rounds to it.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return sign | (magnitude - 0x38000000) >> 13;
}

/// An element of a floating-point format that is in the low bits. What tf32
/// does not hold is cut off, as the hardware does.
inline float decode(Format format, uint32_t bits) {
  switch (format) {
  case Format::F16:
    return fromHalf(bits & 0xffff);
  case Format::Bf16:
    return fromBfloat(bits & 0xffff);
  case Format::Tf32:
    return std::bit_cast<float>(bits & ~0x1fffu);
  default:
    return std::bit_cast<float>(bits);
  }
}

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_NUMBERS_H
