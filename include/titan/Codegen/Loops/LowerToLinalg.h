// The first step of every kernel, on whatever machine it will run.
#ifndef TITAN_CODEGEN_LOOPS_LOWERTOLINALG_H
#define TITAN_CODEGEN_LOOPS_LOWERTOLINALG_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::titan {

/// Lowers the functions of \p kernels to linalg on tensors, so that no two
/// results of one are the same value, and none is an argument.
void lowerToLinalg(ModuleOp kernels);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_LOOPS_LOWERTOLINALG_H
