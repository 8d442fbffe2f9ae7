// Typed access to the discardable attributes of the titan dialect. This file is
// the one place that spells their names.
#ifndef TITAN_DIALECT_TITAN_IR_ANNOTATIONS_H
#define TITAN_DIALECT_TITAN_IR_ANNOTATIONS_H

#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>

namespace mlir::titan {

/// \name Names of discardable attributes (docs/Dialects.md has the table).
/// @{
inline constexpr llvm::StringLiteral kRecomputeAttr = "titan.recompute";
inline constexpr llvm::StringLiteral kAcGraphIdAttr = "titan.ac_graph_id";
inline constexpr llvm::StringLiteral kPhaseAttr = "titan.phase";
inline constexpr llvm::StringLiteral kNamesAttr = "titan.names";
inline constexpr llvm::StringLiteral kTupleNameAttr = "titan.tuple_name";
inline constexpr llvm::StringLiteral kLayoutsAttr = "titan.layouts";
inline constexpr llvm::StringLiteral kLayoutAttr = "titan.layout";
inline constexpr llvm::StringLiteral kResultRecomputeAttr =
    "titan.result_recompute";
inline constexpr llvm::StringLiteral kResultAcGraphIdAttr =
    "titan.result_ac_graph_id";
inline constexpr llvm::StringLiteral kModuleAttr = "titan.module";
inline constexpr llvm::StringLiteral kCustomAttr = "titan.custom";
inline constexpr llvm::StringLiteral kDescAttr = "titan.desc";
inline constexpr llvm::StringLiteral kRoleAttr = "titan.role";
inline constexpr llvm::StringLiteral kNameAttr = "titan.name";
inline constexpr llvm::StringLiteral kResultPositionsAttr =
    "titan.result_positions";
inline constexpr llvm::StringLiteral kJointAttr = "titan.joint";
inline constexpr llvm::StringLiteral kAcModeAttr = "titan.ac_mode";
inline constexpr llvm::StringLiteral kDynamicAttr = "titan.dynamic";
inline constexpr llvm::StringLiteral kDeviceAttr = "titan.device";
/// Unit, op or argument: a tensor hook of the user's stands on the value.
inline constexpr llvm::StringLiteral kBackwardHookAttr =
    "titan.has_backward_hook";
/// Unit: saving the value needs no check that nobody wrote to it since.
inline constexpr llvm::StringLiteral kNoVersionCheckAttr =
    "titan.no_version_check";
/// Unit, argument: the runtime writes to the input after the step.
inline constexpr llvm::StringLiteral kEpilogueMutationAttr =
    "titan.epilogue_mutation";
/// I64, function: the number of positions in the source's returned list, where
/// its last ones are None.
inline constexpr llvm::StringLiteral kNumPositionsAttr = "titan.num_positions";
/// String, function: "tuple", "list", "value" (a bare one) or "pytree" where
/// the source returns its results in another form than graphs of its kind do.
inline constexpr llvm::StringLiteral kReturnFormAttr = "titan.return_form";
/// String array, op: the keyword of each argument, in the order in which the
/// source wrote them, empty for those by position, where that is not the usual
/// way (see Import's CallForm). Arguments that are absent were written as None.
inline constexpr llvm::StringLiteral kKeywordsAttr = "titan.keywords";
/// Array, op: the elements of the tuple in the order in which the source reads
/// them, where that is not the order of results: an i64, or [i64, string] for a
/// second read of the same element under another name.
inline constexpr llvm::StringLiteral kGetitemsAttr = "titan.getitems";
/// String, function: the class around the source, where it is not the one that
/// PyTorch gives graphs of its kind; empty for a function without a class.
inline constexpr llvm::StringLiteral kClassNameAttr = "titan.class_name";
/// Unit, function: the types in the source have no strides.
inline constexpr llvm::StringLiteral kNoStridesAttr = "titan.no_strides";
/// String, function: which shape of graph it was read from: "joint", "step" or
/// "forward", or "backward" for the second half of one that was split already.
inline constexpr llvm::StringLiteral kGraphKindAttr = "titan.graph_kind";
/// @}

/// \name Ops
/// @{
std::optional<Policy> getPolicy(Operation *op);
void setPolicy(Operation *op, Policy policy);
std::optional<int64_t> getAcGraphId(Operation *op);
void setAcGraphId(Operation *op, int64_t id);
/// Removes policy and region of the op and of its results.
void clearTags(Operation *op);
std::optional<Phase> getPhase(Operation *op);
/// The op's module path (`layers.3.attention.wq`), empty if unknown.
StringRef getModulePath(Operation *op);
/// Whether the op's value is a tuple in the source graph, read by getitems: it
/// has a name of its own beside its elements' names.
bool isTuple(Operation *op);
StringRef getTupleName(Operation *op);
/// @}

/// \name Values: op results and function arguments alike
/// @{
/// The name in the source graph, empty if the value has none.
StringRef getSourceName(Value value);
/// The name in the source graph, else the SSA position (`%12`, `%12#1`,
/// `%arg3`).
std::string getDisplayName(Value value);
/// The layout, or null where the type says it all.
LayoutAttr getLayout(Value value);
/// The device, the module's where the value's own layout names none.
StringRef getDevice(Value value);
/// The policy of the value: a result's own tag (a getitem tagged apart from its
/// producer), null option if it has none of its own.
std::optional<Policy> getResultPolicy(OpResult result);
std::optional<int64_t> getResultAcGraphId(OpResult result);
void setResultTag(OpResult result, std::optional<Policy> policy,
                  std::optional<int64_t> acGraphId);
/// @}

/// \name Functions
/// @{
std::optional<Role> getArgumentRole(FunctionOpInterface function,
                                    unsigned index);
void setArgumentRole(FunctionOpInterface function, unsigned index, Role role);
std::optional<Role> getResultRole(FunctionOpInterface function, unsigned index);
/// Gives every argument or result its role. All at once: to change one makes a
/// new list of all, which a graph with a hundred thousand parameters feels.
void setArgumentRoles(FunctionOpInterface function, ArrayRef<Role> roles);
void setResultRoles(FunctionOpInterface function, ArrayRef<Role> roles);
/// Whether the argument is a parameter or a buffer: its storage outlives the
/// step.
bool isStaticArgument(FunctionOpInterface function, unsigned index);
/// The number of forward outputs if \p function is a joint function.
std::optional<int64_t> getNumForwardOutputs(FunctionOpInterface function);
/// The one joint function of \p module, or null.
FunctionOpInterface getJointFunction(Operation *module);
/// @}

} // namespace mlir::titan

#endif // TITAN_DIALECT_TITAN_IR_ANNOTATIONS_H
