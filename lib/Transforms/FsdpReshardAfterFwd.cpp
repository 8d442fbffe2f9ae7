// The joint pass `fsdp_reshard_after_fwd`. Partitioners would rather keep a
// whole parameter than its shard; the tags decide for them.
#include "FsdpGathers.h"
#include "PassDetail.h"

#include "titan/Interfaces/OpNames.h"

namespace mlir::titan {
#define GEN_PASS_DEF_FSDPRESHARDAFTERFWDPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

// Larger than every region, so that no reader's region makes the gather a
// boundary to save (torchtitan, experiments/compiler_toolkit).
static constexpr int64_t kReshardRegion = 100000;

static void tag(Operation *op, Policy policy) {
  setPolicy(op, policy);
  setAcGraphId(op, kReshardRegion);
}

// torchtitan tags the cast that Inductor's decomposition makes and no other.
static bool isDecomposedCast(Operation *op) {
  return op && getOpName(op) == "prims.convert_element_type";
}

static void tagGather(FsdpGather gather, Policy policy) {
  tag(gather.gather, policy);
  tag(gather.wait, policy);
  for (Operation *user : gather.wait->getUsers())
    if (getOpName(user) == "aten.slice.Tensor")
      tag(user, policy);
  Operation *input = gather.gather->getOperand(0).getDefiningOp();
  if (isDecomposedCast(input))
    tag(input, policy);
}

namespace {
struct FsdpReshardAfterFwdPass
    : titan::impl::FsdpReshardAfterFwdPassBase<FsdpReshardAfterFwdPass> {
  using FsdpReshardAfterFwdPassBase::FsdpReshardAfterFwdPassBase;

  void runOnOperation() override {
    Policy policy = reshard ? Policy::MustRecompute : Policy::MustSave;
    for (FunctionOpInterface joint : getJointFunctions(getOperation()))
      for (FsdpGather gather : findFsdpGathers(joint))
        tagGather(gather, policy);
  }
};
} // namespace
