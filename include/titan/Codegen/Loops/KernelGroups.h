// Which ops of a function become one kernel.
#ifndef TITAN_CODEGEN_LOOPS_KERNELGROUPS_H
#define TITAN_CODEGEN_LOOPS_KERNELGROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace mlir::titan {

/// Ops that are computed together, in the order of the function.
using KernelGroup = std::vector<Operation *>;

/// Whether \p op is a product, a convolution or the like, which have kernels of
/// their own: loops over elements do not come near them.
bool isProduct(Operation *op);

/// Whether a group can hold \p op: it is no product, has a lowering to linalg,
/// and before it runs every size is known. Tensors without elements are not
/// worth a kernel.
bool isFusible(Operation *op);

/// What a group may hold.
struct KernelGroupOptions {
  /// Code grows with a group, and what is read together stops fitting in the
  /// caches.
  size_t maxOps = 64;
};

/// Divides the fusible ops of the body of \p function into groups.
///
/// A group is convex: no value leaves it and comes back through an op outside,
/// and the groups can be ordered so that each stands after all that it reads.
/// Views do not belong to groups, since they compute nothing: they count as the
/// value they are a view of. Groups do not reach across an op that writes to
/// memory. The result depends on the ops alone, in the order of the first op.
std::vector<KernelGroup> formKernelGroups(func::FuncOp function,
                                          const KernelGroupOptions &options);

/// Whether \p op is a view: its only result shares an operand's storage, and it
/// can be lowered into the kernel that reads it.
bool isViewOp(Operation *op);

/// Whether \p op writes to memory that a value of the function may stand for:
/// no read of a tensor may move across it.
bool isWriteOp(Operation *op);

/// Replaces each of \p groups by a call of a private function that holds its
/// ops, with the views that they read through, and brings the body into an
/// order in which every value is defined before it is used. Groups that
/// compute the same share one function. Functions are added to the module
/// under names that start with \p prefix.
///
/// A call's results keep their names in the source graph. Values that only
/// their own group reads are no results of it, nor do views that only kernels
/// read stay, unless \p isKept says that somebody else wants them.
void outlineKernelGroups(func::FuncOp function,
                         const std::vector<KernelGroup> &groups,
                         StringRef prefix,
                         function_ref<bool(Value)> isKept = nullptr);

/// Groups what the functions called \p names of \p program hold, and outlines
/// the groups: these are its kernels.
void outlineKernels(ModuleOp program, ArrayRef<StringRef> names,
                    const KernelGroupOptions &options,
                    function_ref<bool(Value)> isKept = nullptr);

/// A module with copies of the kernels of \p program.
OwningOpRef<ModuleOp> cloneKernels(ModuleOp program);

/// Divides the kernels of \p program that \p isPlanned says no to into kernels
/// of one op each; whether there were any. What code an op runs must not depend
/// on the group it is in: else the split program would differ from the joint
/// one in the last place.
bool divideKernels(ModuleOp program, function_ref<bool(StringRef)> isPlanned);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_LOOPS_KERNELGROUPS_H
