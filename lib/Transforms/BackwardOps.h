// Which ops of a joint function belong to its backward.
#ifndef TITAN_LIB_TRANSFORMS_BACKWARDOPS_H
#define TITAN_LIB_TRANSFORMS_BACKWARDOPS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::titan {

/// The ops of \p joint that run in the backward: those whose phase says so and
/// those that a tangent reaches. In a step graph, which has no tangents, the
/// source marks most of them; the seed of the gradient, and what only it or a
/// marked op reaches, are found from there.
llvm::DenseSet<Operation *> getBackwardOps(FunctionOpInterface joint);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_BACKWARDOPS_H
