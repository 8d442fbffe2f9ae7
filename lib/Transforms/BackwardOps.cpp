#include "BackwardOps.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

static bool isBackwardValue(Value value,
                            const llvm::DenseSet<Operation *> &backward,
                            FunctionOpInterface joint) {
  if (Operation *op = value.getDefiningOp())
    return backward.contains(op);
  return getArgumentRole(joint, cast<BlockArgument>(value).getArgNumber()) ==
         Role::Tangent;
}

llvm::DenseSet<Operation *> titan::getBackwardOps(FunctionOpInterface joint) {
  llvm::DenseSet<Operation *> backward;
  for (Operation &op : joint.getFunctionBody().front().without_terminator()) {
    std::optional<Phase> phase = getPhase(&op);
    bool isMarked =
        phase == Phase::Backward || phase == Phase::MustBeInBackward;
    if (isMarked || llvm::any_of(op.getOperands(), [&](Value operand) {
          return isBackwardValue(operand, backward, joint);
        }))
      backward.insert(&op);
  }
  return backward;
}
