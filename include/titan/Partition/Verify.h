// The contracts of the joint and of the partitioned phase. Each check reports
// every offender at its place and then one line that counts them.
#ifndef TITAN_PARTITION_VERIFY_H
#define TITAN_PARTITION_VERIFY_H

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Partition/Partitioner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// The joint phase's contract:
/// - J1: one joint function;
/// - J2: arguments are parameters, buffers, inputs, tangents, seeds, tokens or
///   constants, constants last; results are outputs or mutations before the
///   border that `titan.joint` says, gradients or mutations behind it; result
///   positions ascend;
/// - J3: no forward output needs a tangent, unless it is a view of what the
///   backward writes to an input;
/// - J4: no op of an unknown dialect;
/// - J5: no tag asks to repeat a write to an argument;
/// - J6: what must be in the forward needs no tangent.
LogicalResult verifyJoint(ModuleOp module);

/// What a joint function gives its caller and shows the world, as plain data
/// that outlives it.
struct JointRecord {
  struct Output {
    std::string name;
    std::optional<Role> role;
    Type type;
    int64_t position;
  };
  struct Effect {
    /// What an op shares with its clones: source names, or a place.
    std::vector<std::string> keys;
    std::string name;
    Location location;
    /// The keys are the source's names, which outlive a print.
    bool isNamed;
    /// A collective whose result nobody reads may go, on all ranks alike.
    bool isDead;
  };
  std::vector<Output> outputs;
  std::vector<Output> gradients;
  std::vector<Effect> effects;
};

JointRecord recordJoint(func::FuncOp joint);

/// The effects of the joint function, in its order, as an attribute of the
/// module that holds the two functions: an array with the source name of each,
/// or the names of its results where it has several. Effects without a name and
/// dead collectives are left out, and so is the attribute if nothing is left.
inline constexpr llvm::StringLiteral kEffectsAttr = "titan.effects";

void noteEffects(ModuleOp module, const JointRecord &record);

/// The partitioned phase's contract:
/// - P1: the backward takes saved values, tangents, seeds, tokens and constants
///   and nothing else;
/// - P2: each saved value of the forward is the backward's, in the order and
///   with the types and names that matchSavedValues knows;
/// - P3: the forward takes no tangent and returns no gradient;
/// - P4: a collective or another effect stands in one function only, unless its
///   tag asks to recompute it;
/// - P5: an op that draws random numbers in both functions has one state;
/// - P6: what must be in one function is not in the other;
/// - P7: outputs and gradients are the joint function's, in its order;
/// - P8: every effect of the joint function is still there;
/// - P9: collectives that are no recomputed copy run in the joint order.
/// P4 lets PyTorch's rules repeat a collective in the backward that nothing
/// reads there. \p joint may be null: then P7 holds as far as the functions'
/// own attributes can tell, P8 and P9 for the effects that noteEffects left in
/// the module.
LogicalResult verifyPartition(func::FuncOp forward, func::FuncOp backward,
                              const JointRecord *joint);

} // namespace mlir::titan

#endif // TITAN_PARTITION_VERIFY_H
