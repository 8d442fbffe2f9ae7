#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::titan {
#define GEN_PASS_DEF_CONVERTATENTOLINALGPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
struct ConvertAtenToLinalgPass
    : public titan::impl::ConvertAtenToLinalgPassBase<ConvertAtenToLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateAtenToLinalgPatterns(patterns);
    // Each op is lowered by itself, so one walk is enough.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
