// What each argument and result of a graph is to the training step, and where
// its forward ends.
#ifndef TITAN_LIB_IMPORT_ROLES_H
#define TITAN_LIB_IMPORT_ROLES_H

#include "titan/Import/FxAst.h"
#include "titan/Import/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace mlir::titan {

/// Decides the kind of graph, the number of forward outputs, and the roles and
/// phases that follow. \p backwardOps are the ops that comments mark, \p
/// numForwardOutputs is what the user says.
LogicalResult assignRoles(func::FuncOp function, const FxFunction &parsed,
                          const llvm::DenseSet<Operation *> &backwardOps,
                          std::optional<int64_t> numForwardOutputs,
                          const SourceText &source);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_ROLES_H
