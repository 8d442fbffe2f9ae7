// The contract of the joint phase.
#include "ExtractDetail.h"
#include "titan/Partition/Verify.h"

#include "titan/Analysis/Effects.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

class JointVerifier {
public:
  explicit JointVerifier(ModuleOp module) : module(module) {}

  LogicalResult run();

private:
  InFlightDiagnostic report(Location loc) {
    ++numOffenders;
    return emitError(loc);
  }
  void checkRoles();
  void checkPositions();
  void checkDialects();
  void checkTangents();
  void checkTags(Operation *op);

  ModuleOp module;
  func::FuncOp joint;
  unsigned numOffenders = 0;
};

} // namespace

// J2.
void JointVerifier::checkRoles() {
  bool behindConstants = false;
  for (BlockArgument argument : joint.getArguments()) {
    std::optional<Role> role = getArgumentRole(joint, argument.getArgNumber());
    if (!role)
      continue;
    if (*role > Role::Constant)
      report(argument.getLoc())
          << "argument '" << getDisplayName(argument) << "' has the role "
          << stringifyRole(*role) << ", which is a result's";
    if (*role == Role::Constant)
      behindConstants = true;
    else if (behindConstants)
      report(argument.getLoc()) << "argument '" << getDisplayName(argument)
                                << "' stands behind a constant";
  }
  int64_t border = *getNumForwardOutputs(joint);
  if (border < 0 || border > joint.getNumResults()) {
    report(joint.getLoc()) << "'" << kJointAttr << "' says " << border
                           << " forward outputs, the function has "
                           << joint.getNumResults() << " results";
    return;
  }
  for (unsigned i = 0, e = joint.getNumResults(); i < e; ++i) {
    std::optional<Role> role = getResultRole(joint, i);
    if (!role || role == Role::Mutation)
      continue;
    Role expected = i < border ? Role::Output : Role::Grad;
    // A token that the step hands on is an output on either side.
    if (*role != expected && *role != Role::Token)
      report(joint.front().getTerminator()->getLoc())
          << "result " << i << " has the role " << stringifyRole(*role)
          << ", expected " << stringifyRole(expected) << " or mutation as one "
          << (i < border ? "before" : "behind") << " the border at " << border;
  }
}

static bool isAscending(ArrayRef<int64_t> positions) {
  return llvm::is_sorted(positions,
                         [](int64_t a, int64_t b) { return a <= b; });
}

void JointVerifier::checkPositions() {
  auto positions =
      joint->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  if (positions && !isAscending(positions))
    report(joint.getLoc()) << "expected '" << kResultPositionsAttr
                           << "' to ascend, found " << positions;
}

// J4. What a later phase brings in has no place here.
void JointVerifier::checkDialects() {
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getDialectNamespace();
    if (op != module && name != "aten" && name != "prims" && name != "c10d" &&
        name != "titan" && name != "func")
      report(op->getLoc()) << "'" << op->getName()
                           << "' is no op of a joint graph, expected the "
                              "dialects aten, prims, c10d and titan";
  });
}

// J5.
void JointVerifier::checkTags(Operation *op) {
  if (getPolicy(op) != Policy::MustRecompute)
    return;
  for (OpOperand *operand : getMutatedOperands(op))
    if (isa<BlockArgument>(operand->get()))
      report(op->getLoc()) << "'" << getOpName(op) << "' writes to argument '"
                           << getDisplayName(operand->get())
                           << "' and is tagged must_recompute, which would "
                              "write twice; tag it must_save";
}

// J3, J5, J6.
void JointVerifier::checkTangents() {
  llvm::DenseMap<Value, Value> reached;
  for (BlockArgument argument : joint.getArguments())
    if (isBackwardArgument(joint, argument.getArgNumber()))
      reached[argument] = argument;
  for (Operation &op : joint.front().without_terminator()) {
    checkTags(&op);
    Value tangent;
    for (Value operand : op.getOperands())
      if (Value found = reached.lookup(operand))
        tangent = found;
    if (!tangent)
      continue;
    for (Value result : op.getResults())
      reached[result] = tangent;
    if (getPhase(&op) == Phase::MustBeInForward)
      report(op.getLoc()) << "'" << getOpName(&op)
                          << "' must be in the forward but needs tangent '"
                          << getDisplayName(tangent) << "'";
  }
  int64_t border = std::clamp<int64_t>(*getNumForwardOutputs(joint), 0,
                                       joint.getNumResults());
  Operation *terminator = joint.front().getTerminator();
  for (int64_t i = 0; i < border; ++i) {
    Value output = terminator->getOperand(i);
    Value instead = findWrittenValue(output, [&](Operation *op) {
      return !reached.count(op->getResult(0));
    });
    if (Value tangent = reached.lookup(instead))
      report(output.getLoc())
          << "forward output '" << getDisplayName(output) << "' (result " << i
          << ") needs tangent '" << getDisplayName(tangent)
          << "'; give the number of forward outputs that the graph has "
             "(--num-forward-outputs)";
  }
}

LogicalResult JointVerifier::run() {
  SmallVector<func::FuncOp> joints;
  for (auto function : module.getOps<func::FuncOp>())
    if (getNumForwardOutputs(function))
      joints.push_back(function);
  // J1.
  if (joints.size() != 1) {
    InFlightDiagnostic error = emitError(module.getLoc())
                               << "expected one function with '" << kJointAttr
                               << "', found " << joints.size();
    for (func::FuncOp function : joints)
      error.attachNote(function.getLoc())
          << "'" << function.getName() << "' is one";
    return failure();
  }
  joint = joints.front();
  checkDialects();
  checkRoles();
  checkPositions();
  checkTangents();
  if (numOffenders == 0)
    return success();
  return emitError(joint.getLoc())
         << "the joint function breaks its contract in " << numOffenders
         << (numOffenders == 1 ? " place" : " places");
}

LogicalResult titan::verifyJoint(ModuleOp module) {
  return JointVerifier(module).run();
}
