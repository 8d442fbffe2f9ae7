// Keeps a graph from being checkpointed twice: where apply_sac runs, what eager
// activation checkpointing left goes.
#include "PassDetail.h"

namespace mlir::titan {
#define GEN_PASS_DEF_OVERRIDEEAGERACPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

static bool hasTags(Operation *op) {
  return op->hasAttr(kRecomputeAttr) || op->hasAttr(kResultRecomputeAttr) ||
         op->hasAttr(kAcGraphIdAttr) || op->hasAttr(kResultAcGraphIdAttr);
}

static bool isActive(StringRef mode) { return !mode.empty() && mode != "none"; }

namespace {
struct OverrideEagerAcPass
    : titan::impl::OverrideEagerAcPassBase<OverrideEagerAcPass> {
  using OverrideEagerAcPassBase::OverrideEagerAcPassBase;
  OverrideEagerAcPass(OverrideEagerAcPassOptions options,
                      PassObserver *observer)
      : OverrideEagerAcPassBase(std::move(options)), observer(observer) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto ownMode = module->getAttrOfType<StringAttr>(kAcModeAttr);
    bool isOverridden =
        isActive(mode) || (ownMode && isActive(ownMode.getValue()));
    for (FunctionOpInterface joint : getJointFunctions(module))
      for (Operation &op : joint.getFunctionBody().front())
        if (hasTags(&op)) {
          clearTags(&op);
          isOverridden = true;
        }
    if (!isOverridden)
      return;
    module->setAttr(kAcModeAttr, StringAttr::get(&getContext(), "none"));
    getObserver(observer).info("apply_sac graph pass is enabled, overriding "
                               "eager AC mode to none");
  }

  PassObserver *observer = nullptr;
};
} // namespace

std::unique_ptr<Pass>
titan::createOverrideEagerAcPass(OverrideEagerAcPassOptions options,
                                 PassObserver *observer) {
  return std::make_unique<OverrideEagerAcPass>(std::move(options), observer);
}
