// The choices of the pass `titan-apply-sac`; passes.td says what each does.
#ifndef TITAN_TRANSFORMS_APPLYSAC_H
#define TITAN_TRANSFORMS_APPLYSAC_H

#include <cstdint>

namespace mlir::titan {

/// Where tagging ends.
enum class SacStop : uint8_t { FirstOutput, None };

/// The checkpoint region of an op.
enum class SacRegion : uint8_t { Global, Layer, None };

/// How matrix products take turns at being saved.
enum class MmAlternate : uint8_t { Global, PerLayer, Off };

/// The ops to save where the user names none.
enum class SaveSet : uint8_t { Seed, Head, None };

/// The policy of what is not saved.
enum class SacRecompute : uint8_t { Prefer, Must };

} // namespace mlir::titan

#endif // TITAN_TRANSFORMS_APPLYSAC_H
