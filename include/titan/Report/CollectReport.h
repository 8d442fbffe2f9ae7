// Filling a report from IR.
#ifndef TITAN_REPORT_COLLECTREPORT_H
#define TITAN_REPORT_COLLECTREPORT_H

#include "titan/Report/Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::titan {

/// The function that a report on \p module is about: the joint function, else
/// the first public function with a body; null if there is none.
func::FuncOp getMainFunction(ModuleOp module);

/// `@forward` or `@backward` of a partitioned module, null if there is none.
/// @{
func::FuncOp getForwardFunction(ModuleOp module);
func::FuncOp getBackwardFunction(ModuleOp module);
/// @}

/// Ops, arguments and forward outputs of \p function.
void describeInput(func::FuncOp function, Report::Input &input);

/// Liveness over the halves of \p module, or over its joint function.
std::optional<Report::Peak> findPeak(ModuleOp module);

/// The work of the forward and of what the backward recomputes, into
/// \p partition.
void countWork(ModuleOp module, Report::Partition &partition);

/// `model.py:88`, empty if \p location names no file.
std::string formatLocation(Location location);

} // namespace mlir::titan

#endif // TITAN_REPORT_COLLECTREPORT_H
