// Writes the loops of a plan.
#ifndef TITAN_LIB_CODEGEN_CPU_EMITLOOPS_H
#define TITAN_LIB_CODEGEN_CPU_EMITLOOPS_H

#include "titan/Codegen/Loops/LoopPlan.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace mlir::titan {

/// Adds to \p module, for phase \p index of the kernel \p kernel, the function
/// `NAME(ptr buffers, i64 begin, i64 end)` in the dialects scf, arith, math,
/// vector, func and llvm. `buffers` holds a pointer for each argument of the
/// kernel, each result and each scratch value, in this order, to contiguous
/// elements (bool as bytes); numbers are passed by pointer too. Behind them
/// stands one to an i64, which becomes the least number, counted from one, of
/// those of \p assertions that do not hold. It does the trips from `begin` to
/// `end`; in a flat phase `begin` is a multiple of kLanes.
void emitPhase(ModuleOp module, func::FuncOp kernel, const LoopPlan &plan,
               unsigned index, StringRef name,
               SmallVectorImpl<cf::AssertOp> &assertions);

/// Replaces functions of f64 in \p module (scalars and vectors alike) by
/// arithmetic, so that a vector and a scalar have the same bits; what is left
/// calls libm element by element.
void expandMath(ModuleOp module);

} // namespace mlir::titan

#endif // TITAN_LIB_CODEGEN_CPU_EMITLOOPS_H
