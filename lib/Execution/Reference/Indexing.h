// What gathers and scatters share: where in a tensor the elements stand that
// index tensors name. Places count elements in logical order.
#ifndef TITAN_LIB_EXECUTION_REFERENCE_INDEXING_H
#define TITAN_LIB_EXECUTION_REFERENCE_INDEXING_H

#include "titan/Execution/Kernel.h"

namespace mlir::titan {

/// `self[i0, :, i1]`: some dimensions are indexed by tensors that are broadcast
/// against each other.
struct IndexPlan {
  Tensor self;
  /// The indexed dimensions.
  Shape dims;
  Shape indexShape;
  /// One list of indices a dimension, in range.
  std::vector<std::vector<int64_t>> columns;

  Shape getResultShape() const;
  /// The place in self of each element of the result.
  std::vector<int64_t> getPlaces() const;
};

FailureOr<IndexPlan> planIndexing(Call &call, const Tensor &self,
                                  const RuntimeValue &indices);

/// \p indices forced into range, for ops whose mask says which of them count.
RuntimeValue::List clampIndices(const RuntimeValue &indices,
                                const Tensor &self);

/// Where in \p self the elements stand that \p index names along \p dim, as
/// gather and scatter have it. Indices are not negative.
FailureOr<std::vector<int64_t>> placeAlongDim(Call &call, const Tensor &self,
                                              const Tensor &index, int64_t dim);

/// The elements of \p self at \p places, as a tensor of \p shape.
Tensor takeElements(const Tensor &self, ArrayRef<int64_t> places,
                    ArrayRef<int64_t> shape);

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_REFERENCE_INDEXING_H
