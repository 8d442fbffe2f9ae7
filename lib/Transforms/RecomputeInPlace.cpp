// The pass around Partition/Extract.h's recomputation in one function.
#include "PassDetail.h"

#include "titan/Partition/Extract.h"

namespace mlir::titan {
#define GEN_PASS_DEF_RECOMPUTEINPLACEPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
struct RecomputeInPlacePass
    : public titan::impl::RecomputeInPlacePassBase<RecomputeInPlacePass> {
  void runOnOperation() override {
    for (FunctionOpInterface joint : getJointFunctions(getOperation()))
      if (failed(recomputeInPlace(cast<func::FuncOp>(joint.getOperation()))))
        return signalPassFailure();
  }
};
} // namespace
