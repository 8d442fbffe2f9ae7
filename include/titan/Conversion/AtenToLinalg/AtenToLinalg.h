// aten and prims to linalg on tensors, and what such a lowering promises.
#ifndef TITAN_CONVERSION_ATENTOLINALG_ATENTOLINALG_H
#define TITAN_CONVERSION_ATENTOLINALG_ATENTOLINALG_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::titan {

/// Adds the patterns that replace aten and prims ops by ops of linalg, tensor,
/// arith and math, one pattern for each op of the table.
///
/// * What works element by element is one `linalg.generic`: broadcasts,
///   permutations and constant positions are indexing maps, nothing is
///   materialised for them. Views between factorable shapes are
///   `tensor.expand_shape` and `tensor.collapse_shape`, slices
///   `tensor.extract_slice`.
/// * Every op computes in a type at least as wide as f32 and rounds once to the
///   type of its result. Sums run in f64 (docs/Numerics.md).
/// * An index in a tensor counts from the end where it is negative. One that is
///   out of range reads the nearest element, never outside of the tensor.
/// * Products of matrices are generics with an f32 accumulator (f64 in f64).
/// * Functions such as `math.exp` stay; who makes code of them decides how.
void populateAtenToLinalgPatterns(RewritePatternSet &patterns);

/// Whether those patterns replace \p op: its name is in the table, and its
/// types and arguments are such that the lowering can be written down.
bool hasLinalgLowering(Operation *op);

/// Whether there is a lowering for ops called \p name (`aten.add.Tensor`). Of
/// which types and arguments hasLinalgLowering tells.
bool isLoweredToLinalg(StringRef name);

} // namespace mlir::titan

#endif // TITAN_CONVERSION_ATENTOLINALG_ATENTOLINALG_H
