#include "FsdpGathers.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::titan;

static bool isCollective(Operation *op, CollectiveKind kind) {
  auto collective = dyn_cast_or_null<CollectiveOpInterface>(op);
  return collective && collective.getCollectiveKind() == kind;
}

static bool isGather(Operation *op) {
  return isCollective(op, CollectiveKind::AllGather);
}

static bool isWait(Operation *op) {
  return isCollective(op, CollectiveKind::Wait);
}

static bool isView(Operation *op) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  return recompute && recompute.getWorkClass() == WorkClass::View;
}

// The one value that \p op reads, or null.
static Value getOnlyInput(Operation *op) {
  if (op->getNumOperands() == 0 || !llvm::all_equal(op->getOperands()))
    return {};
  return op->getOperand(0);
}

// The one op that reads a result of \p op, or null.
static Operation *getOnlyUser(Operation *op) {
  Operation *user = nullptr;
  for (Operation *each : op->getUsers()) {
    if (user && each != user)
      return nullptr;
    user = each;
  }
  return user;
}

static bool isInput(Value value, FunctionOpInterface joint) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         getArgumentRole(joint, argument.getArgNumber()) != Role::Constant;
}

static bool comesFromOneInput(Operation *gather, FunctionOpInterface joint) {
  Operation *op = gather;
  while (Value input = op ? getOnlyInput(op) : Value()) {
    if (isInput(input, joint))
      return true;
    op = input.getDefiningOp();
  }
  return false;
}

SmallVector<FsdpGather> titan::findFsdpGathers(FunctionOpInterface joint) {
  SmallVector<FsdpGather> gathers;
  for (Operation &op : joint.getFunctionBody().front()) {
    if (!isWait(&op) || op.getNumOperands() == 0)
      continue;
    Operation *gather = op.getOperand(0).getDefiningOp();
    if (isGather(gather) && comesFromOneInput(gather, joint))
      gathers.push_back({gather, &op});
  }
  return gathers;
}

//===----------------------------------------------------------------------===//
// Gathered parameters
//===----------------------------------------------------------------------===//

// The last gather on the chain without forks that begins with \p head.
static Operation *findGatherBelow(Operation *head) {
  Operation *gather = nullptr;
  for (Operation *op = head; op && !op->hasTrait<OpTrait::IsTerminator>();
       op = getOnlyUser(op)) {
    if (!getOnlyInput(op))
      break;
    if (isGather(op))
      gather = op;
  }
  return gather;
}

// A split whose parts all go into one op, each once: the two move the gathered
// dimension to its place and count as one link of the chain.
static Operation *getJoiningOp(Operation *op) {
  if (!isTuple(op))
    return nullptr;
  Operation *join = getOnlyUser(op);
  if (!join || join->getNumOperands() < 2)
    return nullptr;
  bool joinsAll = llvm::all_of(op->getResults(),
                               [](Value part) {
                                 return part.use_empty() || part.hasOneUse();
                               }) &&
                  llvm::all_of(join->getOperands(), [&](Value operand) {
                    return operand.getDefiningOp() == op;
                  });
  return joinsAll ? join : nullptr;
}

static Operation *followChain(Operation *wait) {
  Operation *op = wait;
  while (true) {
    if (Operation *join = getJoiningOp(op)) {
      op = join;
      continue;
    }
    Operation *user = getOnlyUser(op);
    if (!user || user->hasTrait<OpTrait::IsTerminator>() ||
        !getOnlyInput(user)) {
      // Only a user that joins all parts may read more than one value.
      return op;
    }
    op = user;
  }
}

static FailureOr<Operation *> findGatheredParam(Operation *gather) {
  Operation *wait = getOnlyUser(gather);
  if (!wait || !isWait(wait))
    return emitError(gather->getLoc())
           << "expected one wait to read the gather '"
           << getDisplayName(gather->getResult(0)) << "', found "
           << (wait ? "'" + getTorchName(wait) + "'"
                    : std::to_string(
                          llvm::SetVector<Operation *>(gather->user_begin(),
                                                       gather->user_end())
                              .size()) +
                          " ops");
  Operation *op = followChain(wait);
  while (op != wait && isView(op) && getOnlyInput(op))
    op = getOnlyInput(op).getDefiningOp();
  return op;
}

FailureOr<SmallVector<Operation *>>
titan::findGatheredParams(FunctionOpInterface joint) {
  llvm::SmallSetVector<Operation *, 8> params;
  for (BlockArgument argument : joint.getArguments()) {
    if (!isInput(argument, joint))
      continue;
    for (Operation *head : llvm::SetVector<Operation *>(argument.user_begin(),
                                                        argument.user_end())) {
      Operation *gather = findGatherBelow(head);
      if (!gather)
        continue;
      FailureOr<Operation *> param = findGatheredParam(gather);
      if (failed(param))
        return failure();
      params.insert(*param);
    }
  }
  return SmallVector<Operation *>(params.begin(), params.end());
}
