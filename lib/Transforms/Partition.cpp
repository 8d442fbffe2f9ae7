// The pass around the partition library: plan, tell, extract, check.
#include "PassDetail.h"

#include "titan/Partition/Extract.h"
#include "titan/Partition/Verify.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"

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
    PlanSummary summary = summarize(joint, *plan);
    remarkOnPlan(joint, *plan, summary);
    getObserver(observer).planned(summary);
    // What the functions are held to is noted before they are made.
    JointRecord record = recordJoint(joint);
    FailureOr<Halves> halves = extractHalves(joint, *plan, options);
    if (failed(halves))
      return failure();
    noteEffects(getOperation(), record);
    return verifyPartition(halves->forward, halves->backward, &record);
  }

  void remarkOnPlan(func::FuncOp joint, const Plan &plan,
                    const PlanSummary &summary);

  PassObserver *observer = nullptr;
};
} // namespace

static std::string formatSize(int64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = bytes;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  return unit ? llvm::formatv("{0:F1} {1}", value, kUnits[unit]).str()
              : llvm::formatv("{0} B", bytes).str();
}

// One remark a decision. They go out before the joint function does, whose
// places they carry.
void PartitionPass::remarkOnPlan(func::FuncOp joint, const Plan &plan,
                                 const PlanSummary &summary) {
  if (!getContext().getRemarkEngine())
    return;
  std::string function = joint.getName().str();
  auto emit = [&](Location loc, StringRef decision, const auto &entry) {
    remark::analysis(loc, remark::RemarkOpts::name(decision)
                              .category(getArgumentName())
                              .function(function))
        << (decision + ": '" + entry.name + "': " + entry.reason + "; " +
            formatSize(entry.bytes))
               .str()
        << remark::metric("bytes", entry.bytes);
  };
  for (auto [saved, entry] : llvm::zip(plan.saved, summary.saved))
    emit(saved.value.getLoc(), "saved", entry);
  llvm::DenseSet<Operation *> inForward(plan.forwardOps.begin(),
                                        plan.forwardOps.end());
  auto entry = summary.recomputed.begin();
  for (Operation *op : plan.backwardOps)
    if (inForward.count(op) && entry != summary.recomputed.end())
      emit(op->getLoc(), "recomputed", *entry++);
}

std::unique_ptr<Pass> titan::createPartitionPass(PartitionPassOptions options,
                                                 PassObserver *observer) {
  return std::make_unique<PartitionPass>(std::move(options), observer);
}
