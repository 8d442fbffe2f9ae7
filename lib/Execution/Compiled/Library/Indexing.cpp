// Rows taken out of a table and added into one, in the types of token numbers
// and embeddings.
#include "LibraryKernels.h"

#include <cstring>

using namespace mlir;
using namespace mlir::titan;

// The rows of \p weight that \p indices name; none if one is out of range,
// which the reference kernel then says.
static std::optional<LogicalResult> computeEmbedding(Call &call) {
  const auto *weight = call.get("weight").getIf<Tensor>();
  const auto *given = call.get("indices").getIf<Tensor>();
  if (!weight || !given || weight->getRank() != 2 || !weight->isContiguous() ||
      given->getDType() != DType::I64)
    return std::nullopt;
  Tensor indices = given->contiguous();
  const auto *index = reinterpret_cast<const int64_t *>(indices.getData());
  int64_t count = indices.getNumElements();
  for (int64_t i = 0; i < count; ++i)
    if (index[i] < 0 || index[i] >= weight->getDim(0))
      return std::nullopt;
  Shape shape(indices.getShape());
  shape.push_back(weight->getDim(1));
  Tensor result = Tensor::makeUninitialized(weight->getDType(), shape);
  int64_t rowBytes = weight->getDim(1) * getByteSize(weight->getDType());
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(result.getData() + i * rowBytes,
                weight->getData() + index[i] * rowBytes, rowBytes);
  return call.set(0, result);
}

// Adds each row of the gradient to the row of its index, in order, in f64.
static std::optional<LogicalResult> computeEmbeddingBackward(Call &call) {
  const auto *grad = call.get("grad_output").getIf<Tensor>();
  const auto *given = call.get("indices").getIf<Tensor>();
  if (!grad || !given || grad->getDType() != DType::F32 ||
      given->getDType() != DType::I64 || call.flag("scale_grad_by_freq") ||
      grad->getRank() < 1)
    return std::nullopt;
  int64_t numWeights = call.integer("num_weights");
  int64_t padding = call.integer("padding_idx", -1);
  int64_t width = grad->getDim(-1);
  Tensor indices = given->contiguous(), rows = grad->contiguous();
  const auto *index = reinterpret_cast<const int64_t *>(indices.getData());
  const auto *from = reinterpret_cast<const float *>(rows.getData());
  int64_t count = indices.getNumElements();
  // Places of each row's gradients, so that sums need one row at a time.
  std::vector<std::vector<int64_t>> places(std::max<int64_t>(numWeights, 0));
  for (int64_t i = 0; i < count; ++i) {
    if (index[i] < 0 || index[i] >= numWeights)
      return std::nullopt;
    if (index[i] != padding)
      places[index[i]].push_back(i);
  }
  Tensor result(DType::F32, {numWeights, width});
  auto *out = reinterpret_cast<float *>(result.getData());
  std::vector<double> total(width);
  for (int64_t row = 0; row < numWeights; ++row) {
    if (places[row].empty())
      continue;
    std::fill(total.begin(), total.end(), 0);
    for (int64_t place : places[row])
      for (int64_t i = 0; i < width; ++i)
        total[i] += from[place * width + i];
    for (int64_t i = 0; i < width; ++i)
      out[row * width + i] = static_cast<float>(total[i]);
  }
  return call.set(0, result);
}

void titan::addLibraryIndexing(KernelTable &table) {
  addInFront(table, "aten.embedding", computeEmbedding);
  addInFront(table, "aten.embedding_dense_backward", computeEmbeddingBackward);
}
