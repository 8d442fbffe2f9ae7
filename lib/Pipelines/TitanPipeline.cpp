#include "titan/Pipelines/TitanPipeline.h"

#include "titan/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::titan;

llvm::Error mlir::titan::buildTitanPipeline(OpPassManager &manager,
                                            MLIRContext *context,
                                            const TitanPipelineOptions &options,
                                            PassObserver *observer) {
  // Tags first: the partition obeys them.
  if (llvm::Error error =
          buildJointPassPipeline(manager, context, options.joint, observer))
    return error;
  if (options.recomputeInPlace)
    manager.addPass(createRecomputeInPlacePass());
  if (options.partitioner != PartitionerKind::None) {
    // The partition checks its own result, in every build.
    PartitionPassOptions partition;
    partition.partitioner = options.partitioner;
    partition.compat = options.compat;
    manager.addPass(createPartitionPass(partition, observer));
  }
  return llvm::Error::success();
}

void mlir::titan::buildLinalgPipeline(OpPassManager &manager) {
  manager.addPass(createConvertAtenToLinalgPass());
  manager.addPass(createVerifyLinalgPass());
}
