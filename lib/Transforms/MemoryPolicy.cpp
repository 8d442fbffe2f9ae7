#include "titan/Transforms/MemoryPolicy.h"

#include "SaveSelectors.h"
#include "titan/Interfaces/DidYouMean.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr StringRef kPolicies[] = {"default", "full", "eager",
                                          "sac_and_offload"};

static llvm::Error checkName(StringRef policy) {
  if (policy == "sac_and_offload")
    return llvm::createStringError(
        "memory policy 'sac_and_offload' is not supported yet; use one of "
        "'default', 'full' and 'eager'");
  if (llvm::is_contained(kPolicies, policy))
    return llvm::Error::success();
  return llvm::createStringError(
      "Unknown memory_policy: '" + policy +
      "'. Available: ['default', 'full', 'eager', 'sac_and_offload']" +
      didYouMean(policy, kPolicies));
}

// What all policies of today's torchtitan have in common.
static ApplySacPassOptions getCommonOptions() {
  ApplySacPassOptions options;
  options.stop = SacStop::None;
  options.inherit = {"getitem", "wait"};
  options.region = SacRegion::None;
  options.mmAlternate = MmAlternate::Off;
  options.saveSet = SaveSet::Head;
  options.boundarySave = true;
  options.forwardOnly = true;
  options.saveSymbols = true;
  return options;
}

llvm::Expected<ApplySacPassOptions> titan::getMemoryPolicyOptions(
    StringRef policy, const MemoryPolicyInputs &inputs, MLIRContext *context) {
  if (llvm::Error error = checkName(policy))
    return error;
  llvm::Expected<std::vector<SaveSelector>> selectors =
      parseSaveSelectors(inputs.fullRecomputeSaveOps, context);
  if (!selectors)
    return selectors.takeError();
  if (!selectors->empty() && policy != "full")
    return llvm::createStringError("--compile.full_recompute_save_ops requires "
                                   "--compile.memory_policy full");
  ApplySacPassOptions options = getCommonOptions();
  if (policy == "default")
    options.saveGatheredParams = !inputs.reshardsAfterForward;
  if (policy == "eager")
    options.mmAlternate = MmAlternate::PerLayer;
  if (policy == "full") {
    options.saveSet = SaveSet::None;
    options.recompute = SacRecompute::Must;
    options.saveRandom = true;
    for (const SaveSelector &selector : *selectors)
      options.saveSelectors.push_back(selector.text);
  }
  return options;
}
