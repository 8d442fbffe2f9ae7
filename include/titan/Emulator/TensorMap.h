// The emulator's own tensor maps.
#ifndef TITAN_EMULATOR_TENSORMAP_H
#define TITAN_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>

namespace mlir::titan::emulator {

/// What `cuTensorMapEncodeTiled` encodes, readable. A kernel gets the address
/// of one where it would get that of a CUtensorMap, whose encoding is not
/// public; it fits into the same 128 bytes. Dimension 0 is the contiguous one.
struct alignas(64) TensorMap {
  static constexpr uint32_t kMagic = 0x544d4150;
  /// Marks a map, so that another pointer in its place is noticed.
  uint32_t magic = kMagic;
  uint8_t rank = 0;
  /// 1, 2, 4 or 8.
  uint8_t elementBytes = 0;
  /// Bytes of a swizzled line: 0 (none), 32, 64 or 128.
  uint8_t swizzle = 0;
  uint8_t unused = 0;
  void *base = nullptr;
  /// Extent of each dimension in elements.
  std::array<uint32_t, 5> size{};
  /// Extent of the box that one copy moves, in elements.
  std::array<uint16_t, 5> box{};
  /// Distance in bytes between neighbours along dimensions 1 to 4.
  std::array<uint64_t, 4> stride{};
};
static_assert(sizeof(TensorMap) <= 128, "takes a CUtensorMap's place");

} // namespace mlir::titan::emulator

#endif // TITAN_EMULATOR_TENSORMAP_H
