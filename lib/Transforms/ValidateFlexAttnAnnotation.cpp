// The joint pass `validate_flex_attn_annotation`.
#include "PassDetail.h"

#include "titan/Interfaces/OpNames.h"

namespace mlir::titan {
#define GEN_PASS_DEF_VALIDATEFLEXATTNANNOTATIONPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

static constexpr llvm::StringLiteral kInductorKey = "compile_with_inductor";

static bool isFlexAttention(Operation *op) {
  if (!isa<TorchOp>(op))
    return false;
  StringRef name = cast<TorchOp>(op).getName();
  return name == "higher_order.flex_attention" ||
         name == "higher_order.flex_attention_backward";
}

static bool isMarkedForInductor(Operation *op) {
  auto custom = op->getAttrOfType<DictionaryAttr>(kCustomAttr);
  return custom && custom.contains(kInductorKey);
}

namespace {
struct ValidateFlexAttnAnnotationPass
    : titan::impl::ValidateFlexAttnAnnotationPassBase<
          ValidateFlexAttnAnnotationPass> {
  void runOnOperation() override {
    bool isValid = true;
    for (FunctionOpInterface function : getJointFunctions(getOperation()))
      function->walk([&](Operation *op) {
        if (!isFlexAttention(op) || isMarkedForInductor(op))
          return;
        isValid = false;
        std::string name = op->getNumResults()
                               ? getDisplayName(op->getResult(0))
                               : getTorchName(op);
        emitError(op->getLoc()) << "expected the annotation '" << kInductorKey
                                << "' on '" << name << "' (" << getTorchName(op)
                                << "), found none; annotate the attention with "
                                   "torch.fx.traceback.annotate({'"
                                << kInductorKey << "': ...})";
      });
    if (!isValid)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
