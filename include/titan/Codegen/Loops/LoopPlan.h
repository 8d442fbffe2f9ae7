// What a kernel computes in which loops: decided from the tensors of a lowered
// group before any loop is written.
//
// Few values of a group are stored: its results, the results of reductions, and
// what is put together from parts. Everything else is a formula of those and of
// the inputs, computed where it is read. A `Writer` stores one such value (or
// one part of it). Writers whose leading dimensions agree are one phase: for
// each of their common rows they run one after another, so that what one stored
// is in the cache when the next reads it. Phases follow each other.
#ifndef TITAN_CODEGEN_LOOPS_LOOPPLAN_H
#define TITAN_CODEGEN_LOOPS_LOOPPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::titan {

/// Lanes of a vector. Reductions along the last dimension have as many partial
/// results, on every CPU, so the number is part of what a sum is.
inline constexpr int64_t kLanes = 16;

/// Columns whose sums are made side by side.
inline constexpr int64_t kColumns = 256;

/// Where the elements of a tensor come from.
struct Source {
  enum class Kind {
    /// Memory: an input, or a value that is stored.
    Memory,
    /// The body of `generic`, at its own loop counters `at`.
    Formula,
    /// The number `value`.
    Number,
    /// Anything: nobody has written it.
    Undefined,
    /// An op that this code generator does not know.
    Unknown,
  };
  Kind kind = Kind::Unknown;
  Value value;
  linalg::GenericOp generic;
  SmallVector<AffineExpr> at;
};

/// Stores one value, or one part of it.
struct Writer {
  /// The tensor that is stored to.
  Value target;
  /// The tensor whose elements are stored; unless it folds, in which case
  /// `fold` says what is computed.
  Value source;
  SmallVector<AffineExpr> sourceAt;
  /// The place in `target`.
  SmallVector<AffineExpr> targetAt;
  linalg::GenericOp fold;
  /// The loop counters of `fold` in terms of this writer's dimensions.
  SmallVector<AffineExpr> foldAt;
  /// The dimensions: first those of the target, then the folded ones.
  SmallVector<int64_t> extents;
  unsigned numParallel = 0;
  /// Whether the last dimension of the fold is a folded one, and its results
  /// can be combined from partial ones.
  bool foldsInLanes = false;

  bool isFold() const { return fold != nullptr; }
};

/// Writers that run together, row by row.
struct Phase {
  std::vector<Writer> writers;
  /// How many leading dimensions are rows. Zero and `isFlat`: the one dimension
  /// is divided into vectors.
  unsigned numRows = 0;
  bool isFlat = false;

  /// How often the body of the phase runs: rows, or elements if flat.
  int64_t getTrips() const;
  /// How many elements all of its writers go through.
  int64_t getNumElements() const;
};

/// The loops of one kernel.
class LoopPlan {
public:
  /// Fails without a message where \p function holds ops that are not known.
  static FailureOr<LoopPlan> make(func::FuncOp function);

  std::vector<Phase> phases;
  /// Stored values that are no results of the function.
  SmallVector<Value> scratch;

  /// Follows \p value at \p at to where its elements come from; \p self is
  /// being stored and so not yet in memory.
  Source resolve(Value value, ArrayRef<AffineExpr> at,
                 ArrayRef<int64_t> extents, Value self = {}) const;
  /// The tensor in memory that \p tensor, which bodies look elements up in, is
  /// another shape of: an argument or a stored value, of the same elements in
  /// the same order.
  static Value getLookupBase(Value tensor);
  bool isStored(Value value) const { return stored.contains(value); }
  /// Calls \p visit for all memory that \p writer reads, with the place, whose
  /// expressions are symbols where it is looked up; fails where an op is not
  /// known.
  LogicalResult
  visitReads(const Writer &writer,
             function_ref<void(Value, ArrayRef<AffineExpr>)> visit) const;

private:
  LogicalResult collectStored(func::FuncOp function);
  LogicalResult addWriters(Value value);
  LogicalResult addWriter(Writer writer);
  bool joins(const Phase &phase, const Writer &writer, unsigned &numRows) const;
  void finishPhase(Phase &phase) const;
  void makeFlat(Phase &phase) const;

  llvm::SetVector<Value> stored;
};

/// Whether \p generic, which may be null, folds dimensions.
bool isFoldOp(linalg::GenericOp generic);

/// Whether \p fold is, for each of its results, one associative op whose
/// neutral element its results start from; so partial results can be combined.
bool isCombinable(linalg::GenericOp fold);

/// Whether \p writer folds over the columns of its last dimension side by side.
inline bool isColumnFold(const Writer &writer) {
  return writer.isFold() && !writer.foldsInLanes;
}

/// \p map of \p at, simplified.
SmallVector<AffineExpr> applyMap(AffineMap map, ArrayRef<AffineExpr> at,
                                 ArrayRef<int64_t> extents);

/// The number of the element at \p at in the contiguous tensor \p value.
AffineExpr getLinearPlace(Value value, ArrayRef<AffineExpr> at,
                          ArrayRef<int64_t> extents);

/// The op that adds an element to result \p index of \p fold.
Operation *getCombiner(linalg::GenericOp fold, unsigned index);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_LOOPS_LOOPPLAN_H
