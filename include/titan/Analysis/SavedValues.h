// Which result of the forward function is which argument of the backward.
#ifndef TITAN_ANALYSIS_SAVEDVALUES_H
#define TITAN_ANALYSIS_SAVEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// One saved value on both sides of the cut.
struct SavedPair {
  unsigned forwardResult;
  unsigned backwardArgument;
};

/// Matches the results of \p forward and the arguments of \p backward whose
/// role is `saved`. The forward returns tensors, other values, symbols; the
/// backward takes the symbols first (torch/_functorch/partitioners.py,
/// _extract_fwd_bwd_modules). Fails, silently, if counts or types disagree.
FailureOr<SmallVector<SavedPair>> matchSavedValues(func::FuncOp forward,
                                                   func::FuncOp backward);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_SAVEDVALUES_H
