#include "Roles.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// Works out roles, phases and the end of the forward of one function.
class RoleAssigner {
public:
  RoleAssigner(func::FuncOp function, const FxFunction &parsed,
               const llvm::DenseSet<Operation *> &backwardOps,
               std::optional<int64_t> numForwardOutputs,
               const SourceText &source)
      : function(function), parsed(parsed), backwardOps(backwardOps),
        numForwardOutputs(numForwardOutputs), source(source),
        body(function.getBody().front()),
        positions(
            function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr)
                .asArrayRef()) {}

  LogicalResult run();

private:
  void assignArgumentRoles();
  Operation *findSeed();
  void markBackward(Operation *seed);
  void reachFrom(llvm::DenseSet<Operation *> start,
                 llvm::DenseSet<Value> startValues);
  bool isReached(Value value) const;
  /// The number of positions that are forward outputs.
  FailureOr<int64_t> countForwardOutputs();
  std::optional<int64_t> countByDescriptors() const;
  int64_t countByReach();
  void assignResultRoles(int64_t numForward);
  StringRef getDescriptor(unsigned result) {
    auto text = function.getResultAttrOfType<StringAttr>(result, kDescAttr);
    return text ? text.getValue() : StringRef();
  }
  ValueRange getReturned() const { return body.getTerminator()->getOperands(); }

  func::FuncOp function;
  const FxFunction &parsed;
  const llvm::DenseSet<Operation *> &backwardOps;
  std::optional<int64_t> numForwardOutputs;
  const SourceText &source;
  Block &body;
  ArrayRef<int64_t> positions;
  bool hasTangents = false;
  llvm::DenseSet<Operation *> reachedOps;
  llvm::DenseSet<Value> reachedValues;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// What a descriptor (torch/_functorch/_aot_autograd/descriptors.py) or a name
// says of an argument.
static Role getArgumentRole(StringRef name, StringRef descriptor) {
  if (descriptor.contains("TokenAOTInput"))
    return Role::Token;
  if (descriptor.contains("TangentAOTInput"))
    return Role::Tangent;
  if (descriptor.contains("Philox"))
    return Role::Seed;
  if (descriptor.contains("ParamAOTInput("))
    return Role::Param;
  if (descriptor.contains("BufferAOTInput("))
    return Role::Buffer;
  if (name.contains("token") && name.starts_with("tangents"))
    return Role::Token;
  if (name.starts_with("tangents"))
    return Role::Tangent;
  if (name.starts_with("fwd_seed") || name.starts_with("bwd_seed") ||
      name.starts_with("fwd_base_offset") ||
      name.starts_with("bwd_base_offset") ||
      name.starts_with("fwd_rng_state") || name.starts_with("bwd_rng_state"))
    return Role::Seed;
  return Role::Input;
}

void RoleAssigner::assignArgumentRoles() {
  SmallVector<Role> roles;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    std::optional<Role> known = titan::getArgumentRole(function, index);
    auto text = [&](StringRef name) {
      auto attribute = function.getArgAttrOfType<StringAttr>(index, name);
      return attribute ? attribute.getValue() : StringRef();
    };
    roles.push_back(
        known ? *known : ::getArgumentRole(text(kNameAttr), text(kDescAttr)));
    hasTangents |= text(kNameAttr).starts_with("tangents");
  }
  setArgumentRoles(function, roles);
}

//===----------------------------------------------------------------------===//
// Reach
//===----------------------------------------------------------------------===//

bool RoleAssigner::isReached(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return reachedOps.contains(op);
  return reachedValues.contains(value);
}

void RoleAssigner::reachFrom(llvm::DenseSet<Operation *> start,
                             llvm::DenseSet<Value> startValues) {
  reachedOps = std::move(start);
  reachedValues = std::move(startValues);
  for (Operation &op : body.without_terminator())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return isReached(operand); }))
      reachedOps.insert(&op);
}

// The ones that the gradient of the first result starts from: `ones_like` of
// it, or a `full` of ones of its type after it.
Operation *RoleAssigner::findSeed() {
  if (getReturned().empty() || positions.front() != 0)
    return nullptr;
  Value loss = getReturned().front();
  Operation *producer = loss.getDefiningOp();
  if (!producer)
    return nullptr;
  for (Operation *user : loss.getUsers())
    if (getOpName(user) == "aten.ones_like")
      return user;
  if (backwardOps.empty())
    return nullptr;
  for (Operation *op = producer; op; op = op->getNextNode())
    if (isa<TorchOpInterface>(op) && getOpName(op) == "aten.full" &&
        op->getResult(0).getType() == loss.getType() &&
        CallView(op).getNumber("fill_value") == 1.0)
      return op;
  return nullptr;
}

// Everything from the seed on is backward. In a loss that is computed in chunks
// the backward of one chunk comes before the forward of the next: there the
// comments decide, and what reads a backward value is backward.
void RoleAssigner::markBackward(Operation *seed) {
  llvm::DenseSet<Operation *> start;
  bool afterSeed = false;
  Operation *early = nullptr;
  for (Operation &op : body.without_terminator()) {
    afterSeed |= &op == seed;
    if (!afterSeed && !early && backwardOps.contains(&op))
      early = &op;
    if (afterSeed || backwardOps.contains(&op))
      start.insert(&op);
  }
  if (early)
    mlir::emitWarning(source.getLocation(parsed.position))
        << "'" << getDisplayName(early->getResult(0))
        << "' is marked as backward before the gradient's seed '"
        << getDisplayName(seed->getResult(0))
        << "': the comments decide which ops are backward";
  reachFrom(std::move(start), {});
  auto backward = PhaseAttr::get(function.getContext(), Phase::Backward);
  for (Operation &op : body.without_terminator())
    if (reachedOps.contains(&op))
      op.setDiscardableAttr(kPhaseAttr, backward);
}

//===----------------------------------------------------------------------===//
// Forward outputs
//===----------------------------------------------------------------------===//

static bool isBackwardDescriptor(StringRef descriptor) {
  return descriptor.starts_with("GradAOTOutput") ||
         descriptor.starts_with("BackwardTokenAOTOutput") ||
         descriptor.contains("base=GradAOTOutput");
}

// The first gradient, minus the None entries directly before it.
std::optional<int64_t> RoleAssigner::countByDescriptors() const {
  bool any = false;
  int64_t previous = -1;
  for (auto [position, result] : llvm::enumerate(parsed.results)) {
    if (isBackwardDescriptor(result.descriptor))
      return previous + 1;
    any |= !result.descriptor.empty();
    if (result.value->kind != FxExpr::Kind::None)
      previous = position;
  }
  return any ? std::optional<int64_t>(parsed.results.size()) : std::nullopt;
}

int64_t RoleAssigner::countByReach() {
  int64_t previous = -1;
  for (auto [value, position] : llvm::zip(getReturned(), positions)) {
    if (isReached(value))
      return previous + 1;
    previous = position;
  }
  return previous + 1;
}

FailureOr<int64_t> RoleAssigner::countForwardOutputs() {
  int64_t total = parsed.results.size();
  if (numForwardOutputs) {
    if (*numForwardOutputs < 0 || *numForwardOutputs > total)
      return mlir::emitError(source.getLocation(parsed.position))
             << "the graph returns " << total << " values, so it cannot have "
             << *numForwardOutputs << " forward outputs";
    return *numForwardOutputs;
  }
  if (std::optional<int64_t> count = countByDescriptors())
    return *count;
  int64_t count = countByReach();
  bool anyReached = llvm::any_of(getReturned(),
                                 [&](Value value) { return isReached(value); });
  auto place = source.getLocation(parsed.position);
  if (!anyReached) {
    mlir::emitWarning(place)
        << "no result depends on a tangent: all are taken for forward "
           "outputs; --num-forward-outputs says otherwise";
    return count;
  }
  for (auto [value, position] : llvm::zip(getReturned(), positions))
    if (position >= count && !isReached(value) && value.getDefiningOp() &&
        isa<RankedTensorType>(value.getType())) {
      mlir::emitWarning(place)
          << "result " << position << " ('" << getDisplayName(value)
          << "') depends on no tangent but stands after one that does: "
          << count
          << " forward outputs are assumed; --num-forward-outputs says "
             "otherwise";
      break;
    }
  return count;
}

void RoleAssigner::assignResultRoles(int64_t numForward) {
  SmallVector<Role> roles;
  for (auto [index, position] : llvm::enumerate(positions)) {
    StringRef descriptor = getDescriptor(index);
    Role role = position < numForward ? Role::Output : Role::Grad;
    if (descriptor.contains("TokenAOTOutput"))
      role = Role::Token;
    else if (descriptor.contains("MutationAOTOutput"))
      role = Role::Mutation;
    roles.push_back(role);
  }
  setResultRoles(function, roles);
}

LogicalResult RoleAssigner::run() {
  Builder builder(function.getContext());
  assignArgumentRoles();
  StringRef kind = "forward";
  Operation *seed = nullptr;
  if (hasTangents) {
    llvm::DenseSet<Value> tangents;
    for (BlockArgument argument : body.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        kNameAttr);
      if (name && name.getValue().starts_with("tangents"))
        tangents.insert(argument);
    }
    reachFrom({}, std::move(tangents));
    // The backward half of a graph that was split has nothing but gradients.
    bool isHalf =
        !parsed.hasPytreeArguments && !numForwardOutputs && countByReach() == 0;
    kind = isHalf ? "backward" : "joint";
  } else if ((seed = findSeed())) {
    kind = "step";
    markBackward(seed);
  }
  function->setAttr(kGraphKindAttr, builder.getStringAttr(kind));
  int64_t numForward = kind == "backward" ? 0 : parsed.results.size();
  if (kind == "joint" || kind == "step") {
    FailureOr<int64_t> count = countForwardOutputs();
    if (failed(count))
      return failure();
    numForward = *count;
    int64_t present = llvm::count_if(
        positions, [&](int64_t position) { return position < numForward; });
    function->setAttr(kJointAttr, builder.getI64IntegerAttr(present));
  }
  assignResultRoles(numForward);
  function.setName(kind == "joint" || kind == "step" ? "joint" : kind);
  return success();
}

LogicalResult titan::assignRoles(func::FuncOp function,
                                 const FxFunction &parsed,
                                 const llvm::DenseSet<Operation *> &backwardOps,
                                 std::optional<int64_t> numForwardOutputs,
                                 const SourceText &source) {
  return RoleAssigner(function, parsed, backwardOps, numForwardOutputs, source)
      .run();
}
