// What the passes of this folder share.
#ifndef TITAN_LIB_TRANSFORMS_PASSDETAIL_H
#define TITAN_LIB_TRANSFORMS_PASSDETAIL_H

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Transforms/Passes.h"

#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// The functions of \p module that joint passes work on, in order: the joint
/// functions, and those read from a graph that is a forward alone.
SmallVector<FunctionOpInterface> getJointFunctions(ModuleOp module);

/// \p observer, or where it is null one that writes to stderr.
PassObserver &getObserver(PassObserver *observer);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_PASSDETAIL_H
