// Module paths (`layers.3.attention.wq`) as torchtitan's passes read them.
#ifndef TITAN_LIB_TRANSFORMS_MODULEPATHS_H
#define TITAN_LIB_TRANSFORMS_MODULEPATHS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::titan {

/// The layer of a path outside all layers.
inline constexpr int64_t kNoLayer = -1;

/// The layer of \p path: N of `layers.N` and what is under it, else kNoLayer
/// (`model.layers.3`, `layers.x`, the empty path).
int64_t getLayer(llvm::StringRef path);

/// Whether \p path matches \p pattern: as many components, each matching as a
/// shell would (`layers.*` does not match `layers.3.attention`).
bool matchesModulePattern(llvm::StringRef path, llvm::StringRef pattern);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_MODULEPATHS_H
