// Closes the partitioned phase: the pass of the contract in Partition/Verify.h.
#include "PassDetail.h"

#include "titan/Partition/Verify.h"

namespace mlir::titan {
#define GEN_PASS_DEF_VERIFYPARTITIONPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
struct VerifyPartitionPass
    : public titan::impl::VerifyPartitionPassBase<VerifyPartitionPass> {
  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    auto backward = getOperation().lookupSymbol<func::FuncOp>("backward");
    for (auto [function, name] :
         {std::pair(forward, "forward"), std::pair(backward, "backward")})
      if (!function || function.isExternal())
        emitError(getOperation().getLoc())
            << "expected a function '" << name
            << "' with a body; run titan-partition first";
    if (!forward || forward.isExternal() || !backward ||
        backward.isExternal() ||
        failed(verifyPartition(forward, backward, /*joint=*/nullptr)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
