// The entry to the partition library: from a joint function to a plan.
#ifndef TITAN_PARTITION_PARTITIONER_H
#define TITAN_PARTITION_PARTITIONER_H

#include "titan/Partition/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::titan {

/// How to split.
enum class PartitionerKind : uint8_t { None, Default, MinCut };

/// Whose rules decide.
enum class CompatKind : uint8_t {
  /// Titan's: real storage, one vertex a result, defects of partitioner.md 24
  /// that concern min-cut mended.
  Titan,
  /// PyTorch 2.15, to the letter (partitioner.md 3 to 10, 27).
  Pytorch,
  /// PyTorch 2.2 (partitioner.md 21.3).
  Pytorch22,
};

struct PartitionOptions {
  PartitionerKind partitioner = PartitionerKind::MinCut;
  CompatKind compat = CompatKind::Titan;
};

/// Prepares \p joint (dead code, common subexpressions: this changes the
/// function) and decides how to split it. Fails with a diagnostic that names
/// the user's value, its source line and the tag that conflicts.
FailureOr<Plan> makePlan(func::FuncOp joint, const PartitionOptions &options);

} // namespace mlir::titan

#endif // TITAN_PARTITION_PARTITIONER_H
