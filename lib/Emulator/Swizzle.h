// The permutation of 16-byte pieces that avoids bank conflicts.
#ifndef TITAN_LIB_EMULATOR_SWIZZLE_H
#define TITAN_LIB_EMULATOR_SWIZZLE_H

#include <cstdint>

namespace mlir::titan::emulator {

/// Where the byte at `address` lies in a layout swizzled by lines of `span`
/// bytes (0, 32, 64 or 128): of each group of address bits from 4 up, one per
/// doubling of 16 bytes, the exclusive or with the bits from 7 up. It is its
/// own inverse.
inline uint64_t swizzle(uint64_t address, unsigned span) {
  uint64_t mask = span / 16;
  if (mask)
    --mask;
  return address ^ ((address >> 7 & mask) << 4);
}

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_SWIZZLE_H
