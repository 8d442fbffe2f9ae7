// What the compiler knows of an op beyond its types, as small sets of facts
// that the ODS record of the op states in one line.
#ifndef TITAN_INTERFACES_OPFACTS_H
#define TITAN_INTERFACES_OPFACTS_H

#include <cstdint>

namespace mlir::titan {

/// The class of work an op does: what running it a second time would mean.
enum class WorkClass : uint8_t {
  /// Shares its operand's storage, moves no data.
  View,
  /// One output element from the matching input elements (with broadcasting).
  Pointwise,
  /// Folds dimensions away: sums, norms, softmax, arg-reductions.
  Reduction,
  /// Makes a tensor from no tensor's data: full, zeros, arange.
  Creation,
  /// Moves data by position or index: gather, cat, pad, sort.
  Movement,
  /// Matrix products, convolutions, attention: worth saving.
  ComputeHeavy,
  /// Draws random numbers.
  Random,
  /// Talks to other ranks, or waits for such talk.
  Collective,
  /// Does something besides its results: mutation, assertion, callback.
  Effectful,
  /// Arithmetic on symbolic sizes.
  Symbolic,
  /// Nothing is known: a custom op.
  Unknown,
};

/// Facts of an op, a bit each.
enum class OpFact : uint32_t {
  None = 0,
  /// PyTorch's min-cut may recompute it: its list of recomputable ops
  /// (torch/_functorch/partitioners.py, get_default_op_list; partitioner.md 5).
  Recomputable = 1 << 0,
  /// A view to the cut: never banned from recomputation (same source).
  CutView = 1 << 1,
  /// Compute-intensive to the cut (same source).
  ComputeIntensive = 1 << 2,
  /// Tagged `nondeterministic_seeded` in native_functions.yaml.
  Seeded = 1 << 3,
  /// The schema mutates an argument.
  Mutable = 1 << 4,
  /// Kept by dead code elimination although nothing reads its results:
  /// assertions, waits, profiler marks.
  Impure = 1 << 5,
  /// Tagged `pointwise` in native_functions.yaml.
  Pointwise = 1 << 6,
  /// A wait for a collective.
  Wait = 1 << 7,
  /// Returns its first operand's value unchanged on the host's side: a check
  /// that only exists for its message (`_assert_*`).
  Assertion = 1 << 8,
};

constexpr OpFact operator|(OpFact a, OpFact b) {
  return static_cast<OpFact>(static_cast<uint32_t>(a) |
                             static_cast<uint32_t>(b));
}

/// Whether the set \p facts holds the one fact \p fact.
constexpr bool contains(OpFact facts, OpFact fact) {
  return (static_cast<uint32_t>(facts) & static_cast<uint32_t>(fact)) != 0;
}

/// The formula that counts an op's floating point operations from its types
/// (torch/utils/flop_counter.py; partitioner.md 15).
enum class FlopFormula : uint8_t {
  /// One a result element, for pointwise ops and reductions.
  Elements,
  /// Moves or makes data without arithmetic.
  None,
  /// 2 m n k, batched: the first two rank-2 or rank-3 tensor operands.
  Matmul,
  Convolution,
  ConvolutionBackward,
  Attention,
  AttentionBackward,
  GroupedMatmul,
  /// Nothing is known: the cost is said to be unknown, not guessed.
  Unknown,
};

} // namespace mlir::titan

#endif // TITAN_INTERFACES_OPFACTS_H
