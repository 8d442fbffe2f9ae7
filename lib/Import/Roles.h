// What each argument and result of a graph is to the training step, and where
// its forward ends.
#ifndef TITAN_LIB_IMPORT_ROLES_H
#define TITAN_LIB_IMPORT_ROLES_H

#include "titan/Import/FxAst.h"
#include "titan/Import/Import.h"
#include "titan/Import/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::titan {

/// Decides the kind of graph, the number of forward outputs, and the roles and
/// phases that follow. \p backwardOps are the ops that comments mark.
LogicalResult assignRoles(func::FuncOp function, const FxFunction &parsed,
                          const llvm::DenseSet<Operation *> &backwardOps,
                          const ImportOptions &options,
                          const SourceText &source);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_ROLES_H
