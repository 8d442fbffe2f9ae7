// The way of a training graph through the compiler, as one pipeline.
#ifndef TITAN_PIPELINES_TITANPIPELINE_H
#define TITAN_PIPELINES_TITANPIPELINE_H

#include "titan/Partition/Partitioner.h"
#include "titan/Transforms/JointPasses.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace mlir::titan {

struct TitanPipelineOptions {
  JointPassOptions joint;
  PartitionerKind partitioner = PartitionerKind::None;
  CompatKind compat = CompatKind::Titan;
  /// Instead of a partition: copies of recomputed ops in the joint function.
  bool recomputeInPlace = false;
};

/// Adds to \p manager, which runs on modules, the joint passes that \p options
/// choose and the partition. With nothing chosen it adds nothing. Errors are
/// errors of the command line. \p observer hears what the passes say and must
/// outlive them.
llvm::Error buildTitanPipeline(OpPassManager &manager, MLIRContext *context,
                               const TitanPipelineOptions &options,
                               PassObserver *observer);

/// Adds to \p manager, which runs on modules, the lowering of aten and prims to
/// linalg, and the check that nothing else is left.
void buildLinalgPipeline(OpPassManager &manager);

} // namespace mlir::titan

#endif // TITAN_PIPELINES_TITANPIPELINE_H
