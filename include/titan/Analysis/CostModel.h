// Floating point operations of ops, from their types.
#ifndef TITAN_ANALYSIS_COSTMODEL_H
#define TITAN_ANALYSIS_COSTMODEL_H

#include "titan/Analysis/TensorSize.h"

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <optional>

namespace mlir::titan {

/// The floating point operations that running \p op once takes, by the formula
/// its CostOpInterface names: `aten.mm` of [m, k] and [k, n] takes 2 m k n. A
/// fused multiply-add counts as two. None if nothing is known of the op, which
/// is to be said and not guessed.
std::optional<int64_t> countFlops(Operation *op, const TensorSizes &sizes);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_COSTMODEL_H
