// Why one value is saved or recomputed, and what the other choice would cost.
#ifndef TITAN_REPORT_EXPLAIN_H
#define TITAN_REPORT_EXPLAIN_H

#include "titan/Partition/PlanSummary.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::titan {

/// A few lines on the value called \p name in the partitioned \p module. Fails
/// with a suggestion if the graph has no value of that name.
llvm::Expected<std::string>
explainValue(ModuleOp module, const PlanSummary &plan, llvm::StringRef name);

} // namespace mlir::titan

#endif // TITAN_REPORT_EXPLAIN_H
