// The gathers of sharded parameters (FSDP) in a joint function.
#ifndef TITAN_LIB_TRANSFORMS_FSDPGATHERS_H
#define TITAN_LIB_TRANSFORMS_FSDPGATHERS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// A gather of something that only one input of the step went into.
struct FsdpGather {
  Operation *gather;
  Operation *wait;
};

/// The gathers whose operand comes from an argument through ops that read one
/// value each, as torchtitan's `fsdp_reshard_after_fwd` finds them. Whether the
/// argument is a parameter is not asked.
SmallVector<FsdpGather> findFsdpGathers(FunctionOpInterface joint);

/// The whole parameters that gathers make, as torchtitan's memory policies find
/// them: from an argument down a chain without forks through a gather and its
/// wait, to the last op of the chain that is no view. Fails with a diagnostic
/// where a gather has anything but one wait.
FailureOr<SmallVector<Operation *>>
findGatheredParams(FunctionOpInterface joint);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_FSDPGATHERS_H
