// torchtitan's memory policies as options of apply_sac.
#ifndef TITAN_TRANSFORMS_MEMORYPOLICY_H
#define TITAN_TRANSFORMS_MEMORYPOLICY_H

#include "titan/Transforms/Passes.h"

#include "llvm/Support/Error.h"

namespace mlir::titan {

/// What a policy depends on besides its name.
struct MemoryPolicyInputs {
  /// Selectors `MODULE_PATTERN::OP` with bars between; for `full` alone.
  std::string fullRecomputeSaveOps;
  /// Whether gathered parameters are freed after the forward.
  bool reshardsAfterForward = true;
};

/// The options of apply_sac that \p policy (`default`, `full`, `eager`) stands
/// for. Fails for other names, for selectors without `full`, and for selectors
/// that are wrong; \p context knows the ops that may be named.
llvm::Expected<ApplySacPassOptions>
getMemoryPolicyOptions(llvm::StringRef policy, const MemoryPolicyInputs &inputs,
                       MLIRContext *context);

} // namespace mlir::titan

#endif // TITAN_TRANSFORMS_MEMORYPOLICY_H
