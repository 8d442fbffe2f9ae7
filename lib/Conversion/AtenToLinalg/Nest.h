// Writes loop nests over several tensors as one `linalg.generic`: the shorthand
// for ops that are neither element by element nor a fold of one tensor.
#ifndef TITAN_LIB_CONVERSION_ATENTOLINALG_NEST_H
#define TITAN_LIB_CONVERSION_ATENTOLINALG_NEST_H

#include "Lowering.h"

namespace mlir::titan {

using Lowered = FailureOr<SmallVector<Value>>;

/// A nest of loops and the tensors that it reads. Used once: `map` or one of
/// the folds ends it. Where nothing that is read tells how often a loop runs, a
/// tensor without contents joins the operands and tells it.
class Nest {
public:
  using MapBody = function_ref<Value(Formula &, ValueRange)>;
  using FoldBody = function_ref<Value(Formula &, Value total, ValueRange)>;

  Nest(Lowering &lowering, ArrayRef<OpFoldResult> sizes)
      : l(lowering), sizes(sizes) {}
  /// One loop a dimension of \p value.
  Nest(Lowering &lowering, Value value)
      : Nest(lowering, lowering.sizesOf(value)) {}

  unsigned getNumLoops() const { return sizes.size(); }
  AffineExpr loop(unsigned index) {
    return l.builder().getAffineDimExpr(index);
  }

  /// Reads \p value at the positions of \p loops, one a dimension; a dimension
  /// of size 1 under a longer loop is broadcast.
  void read(Value value, ArrayRef<unsigned> loops);
  /// Reads \p value with one dimension a loop.
  void read(Value value);
  /// Reads \p value at \p places.
  void readAt(Value value, ArrayRef<AffineExpr> places);
  /// The next tensor that is read gives its elements unconverted.
  void readsRaw() { rawIndices.push_back(values.size()); }

  /// The tensor over all loops of \p body, which sees what is read, converted
  /// to \p compute; the outcome is converted to \p element.
  Value map(Type compute, Type element, MapBody body);
  /// Over the loops \p kept: \p body of all positions of the others in order,
  /// with what is there so far, from \p start on; all numbers are of \p
  /// compute.
  Value fold(ArrayRef<unsigned> kept, Type compute,
             function_ref<Value(Formula &)> start, FoldBody body);
  /// The sum of \p term, which is computed in \p compute: in f64 for floats, in
  /// i64 for integers.
  Value sum(ArrayRef<unsigned> kept, Type compute, MapBody term);

private:
  Value build(ArrayRef<unsigned> kept, Value target, Type compute,
              FoldBody body);
  /// Adds the tensor that tells the sizes if one is needed.
  void addShape(AffineMap result);

  Lowering &l;
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  SmallVector<size_t> rawIndices;
};

/// 0, 1, ..., \p count - 1.
SmallVector<unsigned> firstLoops(unsigned count);
/// All but \p loop of \p count.
SmallVector<unsigned> loopsWithout(unsigned count, unsigned loop);

/// \p dim from the front, in a tensor of \p rank dimensions.
inline int64_t wrapDim(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

/// The argument \p name as a ranked tensor type; null if it is absent.
RankedTensorType getTensorType(Operation *op, StringRef name);

/// Whether all operands and results that are tensors have static shapes.
bool isAllStatic(Operation *op);

/// Whether all of \p names are literals or absent.
bool areLiterals(Operation *op, ArrayRef<StringRef> names);

/// \p value in the shape and type of result \p index, converted if need be;
/// failure where it has other elements.
FailureOr<Value> fitResult(Lowering &l, Value value, unsigned index);
/// All of \p values as the results of the op.
Lowered fitResults(Lowering &l, ArrayRef<Value> values);

} // namespace mlir::titan

#endif // TITAN_LIB_CONVERSION_ATENTOLINALG_NEST_H
