// Every pass of the compiler, in the order of the pipeline: its table of
// contents. Pass `titan-apply-sac` is `apply_sac` in the joint-pass registry.

#ifndef TITAN_PASSES_TD
#define TITAN_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // TITAN_PASSES_TD
