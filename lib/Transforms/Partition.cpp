#include "PassDetail.h"

#include "titan/Partition/Extract.h"
#include "titan/Partition/Verify.h"

namespace mlir::titan {
#define GEN_PASS_DEF_PARTITIONPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
struct PartitionPass : public titan::impl::PartitionPassBase<PartitionPass> {
  PartitionPass() = default;
  explicit PartitionPass(PartitionPassOptions options,
                         PassObserver *observer = nullptr)
      : PartitionPassBase(std::move(options)), observer(observer) {}

  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions =
        getJointFunctions(getOperation());
    func::FuncOp joint;
    if (functions.size() == 1)
      joint = dyn_cast<func::FuncOp>(functions.front().getOperation());
    if (!joint) {
      emitError(getOperation().getLoc())
          << "expected one joint function to partition, found "
          << functions.size()
          << "; mark it with 'titan.joint', the number of its forward outputs";
      return signalPassFailure();
    }
    if (failed(split(joint)))
      signalPassFailure();
  }

  LogicalResult split(func::FuncOp joint) {
    PartitionOptions options{partitioner, compat};
    FailureOr<Plan> plan = makePlan(joint, options);
    if (failed(plan))
      return failure();
    getObserver(observer).planned(summarize(joint, *plan));
    JointRecord record = recordJoint(joint);
    FailureOr<Halves> halves = extractHalves(joint, *plan, options);
    if (failed(halves))
      return failure();
    return verifyPartition(halves->forward, halves->backward, &record);
  }

  PassObserver *observer = nullptr;
};
} // namespace

std::unique_ptr<Pass> titan::createPartitionPass(PartitionPassOptions options,
                                                 PassObserver *observer) {
  return std::make_unique<PartitionPass>(std::move(options), observer);
}
