// The joint pass `apply_sac`: selective activation checkpointing as tags.
#include "PassDetail.h"
#include "SacTagger.h"

#include "titan/Interfaces/DidYouMean.h"

namespace mlir::titan {
#define GEN_PASS_DEF_APPLYSACPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

static void reportProducts(const SacCounts &counts, PassObserver &observer) {
  observer.info(
      ("Applied selective activation checkpointing (SAC) graph pass (" +
       Twine(counts.productsFound) + " mm ops found, " +
       Twine(counts.productsSaved) + " saved)")
          .str());
}

static void reportLayers(const SacCounts &counts, PassObserver &observer) {
  observer.info("Applied selective activation checkpointing (SAC) graph pass.");
  if (counts.forced)
    observer.info(("  Forced " + Twine(counts.forced) +
                   " nodes to MUST_SAVE at layer boundaries")
                      .str());
  for (auto [layer, nodes] : counts.layers) {
    std::string name =
        layer == kNoLayer ? std::string("non-layer") : std::to_string(layer);
    observer.info(("  Layer " + name + ": " + Twine(nodes.first) +
                   " MUST_SAVE, " + Twine(nodes.second) + " RECOMPUTE")
                      .str());
  }
}

static void reportCounts(const SacCounts &counts, PassObserver &observer) {
  SmallVector<std::pair<std::string, int64_t>> list = {
      {"mm_found", counts.productsFound}, {"mm_saved", counts.productsSaved}};
  if (counts.forced)
    list.emplace_back("boundary_saved", counts.forced);
  for (auto [policy, count] : counts.tagged)
    list.emplace_back(("tagged." + stringifyPolicy(policy)).str(), count);
  observer.counted("apply_sac", list);
}

namespace {
struct ApplySacPass : titan::impl::ApplySacPassBase<ApplySacPass> {
  using ApplySacPassBase::ApplySacPassBase;
  ApplySacPass(ApplySacPassOptions options, PassObserver *observer)
      : ApplySacPassBase(std::move(options)), observer(observer) {}

  LogicalResult initializeOptions(
      StringRef text,
      function_ref<LogicalResult(const Twine &)> onError) override {
    if (failed(ApplySacPassBase::initializeOptions(text, onError)))
      return failure();
    static constexpr StringRef kKnown[] = {"getitem", "wait"};
    for (StringRef what : inherit)
      if (!llvm::is_contained(kKnown, what))
        return onError("expected 'getitem' or 'wait' in inherit, found '" +
                       what + "'" + didYouMean(what, kKnown));
    return success();
  }

  void runOnOperation() override {
    ApplySacPassOptions options = collectOptions();
    for (FunctionOpInterface joint : getJointFunctions(getOperation())) {
      SacTagger tagger(joint, options);
      if (failed(tagger.run()))
        return signalPassFailure();
      PassObserver &listener = getObserver(observer);
      if (forwardOnly)
        reportLayers(tagger.getCounts(), listener);
      else
        reportProducts(tagger.getCounts(), listener);
      reportCounts(tagger.getCounts(), listener);
    }
  }

  ApplySacPassOptions collectOptions() const;

  PassObserver *observer = nullptr;
};
} // namespace

ApplySacPassOptions ApplySacPass::collectOptions() const {
  ApplySacPassOptions options;
  options.stop = stop;
  options.inherit = llvm::to_vector(inherit);
  options.region = region;
  options.mmAlternate = mmAlternate;
  options.saveSet = saveSet;
  options.saveOps = llvm::to_vector(saveOps);
  options.saveSelectors = llvm::to_vector(saveSelectors);
  options.forceShapes = llvm::to_vector(forceShapes);
  options.boundarySave = boundarySave;
  options.recompute = recompute;
  options.forwardOnly = forwardOnly;
  options.saveSymbols = saveSymbols;
  options.saveRandom = saveRandom;
  options.saveGatheredParams = saveGatheredParams;
  return options;
}

std::unique_ptr<Pass> titan::createApplySacPass(ApplySacPassOptions options,
                                                PassObserver *observer) {
  return std::make_unique<ApplySacPass>(std::move(options), observer);
}
