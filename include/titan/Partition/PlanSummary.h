// A plan as plain data, for reports: it outlives the joint function.
#ifndef TITAN_PARTITION_PLANSUMMARY_H
#define TITAN_PARTITION_PLANSUMMARY_H

#include "titan/Partition/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace mlir::titan {

struct PlanSummary {
  struct Saved {
    std::string name;
    /// "value", "argument", "symbol" or "other".
    std::string kind;
    std::string type;
    int64_t bytes = 0;
    std::string reason;
    /// The op that makes it as getOpName says it; empty for arguments.
    std::string op;
    std::string module;
    /// `file:line`, empty if unknown.
    std::string location;
  };
  struct Recomputed {
    std::string name;
    std::string op;
    int64_t bytes = 0;
    std::string module;
    std::string location;
    std::string reason;
  };
  std::vector<Saved> saved;
  int64_t savedBytes = 0;
  /// Each storage once, without parameters, inputs and forward outputs.
  int64_t savedStorageBytes = 0;
  std::vector<Recomputed> recomputed;
  int64_t forwardOps = 0;
  int64_t backwardOps = 0;
  CutSize cut;
  std::vector<MergedValue> merged;
};

/// Describes \p plan of \p joint, which must still exist.
PlanSummary summarize(func::FuncOp joint, const Plan &plan);

} // namespace mlir::titan

#endif // TITAN_PARTITION_PLANSUMMARY_H
