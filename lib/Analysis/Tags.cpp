#include "titan/Analysis/Tags.h"

using namespace mlir;
using namespace mlir::titan;

StringRef titan::getTorchPolicyName(Policy policy) {
  switch (policy) {
  case Policy::MustSave:
    return "MUST_SAVE";
  case Policy::PreferSave:
    return "PREFER_SAVE";
  case Policy::MustRecompute:
    return "MUST_RECOMPUTE";
  case Policy::PreferRecompute:
    return "PREFER_RECOMPUTE";
  case Policy::MustCpuOffload:
    return "MUST_CPU_OFFLOAD";
  case Policy::PreferCpuOffload:
    return "PREFER_CPU_OFFLOAD";
  }
  llvm_unreachable("not a policy");
}

static std::optional<Policy> getOwnPolicy(Operation *op) {
  if (op->getNumResults() == 0 && getAcGraphId(op))
    return Policy::PreferRecompute;
  return getPolicy(op);
}

static std::string getNodeName(Operation *op) {
  if (isTuple(op) && (!getTupleName(op).empty() || op->getNumResults() == 0))
    return getTupleName(op).str();
  std::string name = getDisplayName(op->getResult(0));
  // Without names a tuple is what its elements `%12#1` have in common.
  return isTuple(op) ? StringRef(name).split('#').first.str() : name;
}

void titan::forEachTag(Operation *op, llvm::function_ref<void(NodeTag)> visit,
                       bool withNames) {
  if (std::optional<Policy> policy = getOwnPolicy(op))
    visit({withNames ? getNodeName(op) : "", *policy, getAcGraphId(op)});
  if (!isTuple(op))
    return;
  for (OpResult result : op->getResults())
    if (std::optional<Policy> policy = getResultPolicy(result))
      visit({withNames ? getDisplayName(result) : "", *policy,
             getResultAcGraphId(result)});
}

std::vector<NodeTag> titan::collectTags(FunctionOpInterface function) {
  std::vector<NodeTag> tags;
  for (Operation &op : function.getFunctionBody().front().without_terminator())
    forEachTag(
        &op, [&](NodeTag tag) { tags.push_back(std::move(tag)); },
        /*withNames=*/true);
  return tags;
}
