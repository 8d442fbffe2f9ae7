// Arithmetic on places: affine expressions of loop counters whose ranges are
// known, which is what makes a division or a remainder vanish.
#ifndef TITAN_CODEGEN_LOOPS_INDEXEXPR_H
#define TITAN_CODEGEN_LOOPS_INDEXEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// \p expr in its simplest form, where dimension i counts from 0 to
/// \p extents[i] - 1. Sums are folded, `(a * n + b) floordiv n` is `a` where b
/// stays below n, and `n * (x floordiv n) + x mod n` is `x`.
AffineExpr simplifyIndex(AffineExpr expr, ArrayRef<int64_t> extents);

/// The expressions that give the place in \p shape of element number
/// \p linear in logical order.
SmallVector<AffineExpr> delinearize(AffineExpr linear, ArrayRef<int64_t> shape);

/// The number in logical order of the element at \p place in \p shape.
AffineExpr linearize(ArrayRef<AffineExpr> place, ArrayRef<int64_t> shape,
                     MLIRContext *context);

/// By how much \p expr grows from one lane to the next where dimension
/// \p vectorDim takes the values n, n + 1, ... of \p width lanes, n a multiple
/// of the width; none if it does not grow evenly.
std::optional<int64_t> getLaneStep(AffineExpr expr, unsigned vectorDim,
                                   int64_t width);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_LOOPS_INDEXEXPR_H
