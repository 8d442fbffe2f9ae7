// The steps of an extraction after the two functions stand.
#ifndef TITAN_LIB_PARTITION_EXTRACTDETAIL_H
#define TITAN_LIB_PARTITION_EXTRACTDETAIL_H

#include "titan/Partition/Extract.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::titan {

/// An op that draws random numbers and stands in both functions.
struct RandomPair {
  Operation *forward;
  Operation *backward;
};

/// Whether argument \p index of \p function is a tangent, an effect token of
/// the backward included.
bool isTangent(func::FuncOp function, unsigned index);

/// Whether argument \p index of \p joint is the backward's alone: a tangent, or
/// a seed that carries the backward's name.
bool isBackwardArgument(func::FuncOp joint, unsigned index);

/// What stands for the forward output \p output. Where only the backward makes
/// it but it is in the end a value that the backward writes to, perhaps seen
/// through a view, or what a kernel of the backward writes to, the destination
/// of the write stands for it (partitioner.md 9.1) if it has the output's type;
/// else \p output itself.
Value findWrittenValue(Value output,
                       llvm::function_ref<bool(Operation *)> isForward);

/// \name What `!titan.opaque` says of the two forms of a random state.
/// @{
inline constexpr llvm::StringLiteral kRandomStateKind = "rng_state";
inline constexpr llvm::StringLiteral kGeneratorKind = "Generator";
/// @}

/// Orders the ops of \p backward as the autograd engine would run them
/// (partitioner.md 10.2): every op as late as its first use asks, counted from
/// \p start, the first op that reads a tangent; null, where there is none,
/// leaves all as it is. Pytorch rules drop, as PyTorch does, what only its
/// effect kept alive before \p start; Titan's keep it, together with the order
/// of writes, reads and collectives.
void orderLikeAutograd(func::FuncOp backward, Operation *start,
                       CompatKind compat);

/// Gives the two ops of each pair one state of the generator (partitioner.md
/// 10.1): on one CUDA device two generators that advance alike, else a state
/// that the forward saves.
void pairRandomOps(Halves halves, ArrayRef<RandomPair> pairs);

} // namespace mlir::titan

#endif // TITAN_LIB_PARTITION_EXTRACTDETAIL_H
