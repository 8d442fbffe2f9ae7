// What titan-run prints about a run.
#ifndef TITAN_LIB_TOOLS_TITANRUN_TABLES_H
#define TITAN_LIB_TOOLS_TITANRUN_TABLES_H

#include "titan/Execution/Arena.h"
#include "titan/Execution/Interpreter.h"

namespace mlir::titan {

/// A line for each op name and each kernel, the longest time first; under a
/// kernel, its ops and the source lines that they come from.
void printProfile(const Interpreter &interpreter, raw_ostream &stream);

/// What \p arena counted beside what the analysis predicts for \p functions, as
/// the engine runs them and with the sizes that \p symbols have.
void printMemory(const Arena &arena, ArrayRef<func::FuncOp> functions,
                 const llvm::StringMap<int64_t> &symbols, int64_t numRanks,
                 raw_ostream &stream);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANRUN_TABLES_H
