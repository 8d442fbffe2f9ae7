// Loops over the elements of broadcast operands.
#ifndef TITAN_LIB_EXECUTION_REFERENCE_POINTWISE_H
#define TITAN_LIB_EXECUTION_REFERENCE_POINTWISE_H

#include "titan/Execution/Kernel.h"

namespace mlir::titan {

/// Calls \p element with the matching elements, of type `T`, of the operands
/// called \p names, taken as \p dtype, and sets result 0 to what it returns.
template <typename T, typename Element, size_t N>
LogicalResult mapElements(Call &call, const StringRef (&names)[N], DType dtype,
                          Element element) {
  std::vector<Tensor> operands;
  for (StringRef name : names)
    operands.push_back(call.operand(name, dtype));
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  std::vector<T> columns[N];
  for (size_t i = 0; i < N; ++i)
    columns[i] = operands[i].expand(*shape).template getValues<T>();
  using Result = decltype([&]<size_t... I>(std::index_sequence<I...>) {
    return element(((void)I, T())...);
  }(std::make_index_sequence<N>()));
  std::vector<std::conditional_t<std::is_same_v<Result, bool>, int64_t, Result>>
      results(columns[0].size());
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = [&]<size_t... I>(std::index_sequence<I...>) {
      return element(columns[I][i]...);
    }(std::make_index_sequence<N>());
  return call.set(0, *shape, results);
}

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_REFERENCE_POINTWISE_H
