// Closes the joint phase: the pass of the contract in Partition/Verify.h.
#include "PassDetail.h"

#include "titan/Partition/Verify.h"

namespace mlir::titan {
#define GEN_PASS_DEF_VERIFYJOINTPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
struct VerifyJointPass
    : public titan::impl::VerifyJointPassBase<VerifyJointPass> {
  void runOnOperation() override {
    if (failed(verifyJoint(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
