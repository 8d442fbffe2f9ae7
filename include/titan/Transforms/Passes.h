// Constructors and registration of the passes that passes.td lists.
#ifndef TITAN_TRANSFORMS_PASSES_H
#define TITAN_TRANSFORMS_PASSES_H

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Partition/Partitioner.h"
#include "titan/Transforms/ApplySac.h"
#include "titan/Transforms/Observer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::titan {

#define GEN_PASS_DECL
#include "titan/Transforms/Passes.h.inc"

/// Passes that have something to tell. They report to \p observer, which must
/// outlive the pass; null: to stderr, a line a message, as do passes made from
/// the command line.
/// @{
std::unique_ptr<Pass> createInductorDecompositionPass(PassObserver *observer);
std::unique_ptr<Pass>
createOverrideEagerAcPass(OverrideEagerAcPassOptions options,
                          PassObserver *observer);
std::unique_ptr<Pass> createApplySacPass(ApplySacPassOptions options,
                                         PassObserver *observer);
std::unique_ptr<Pass> createPartitionPass(PartitionPassOptions options,
                                          PassObserver *observer);
/// @}

#define GEN_PASS_REGISTRATION
#include "titan/Transforms/Passes.h.inc"

} // namespace mlir::titan

#endif // TITAN_TRANSFORMS_PASSES_H
