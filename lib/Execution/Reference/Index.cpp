// Elements by their places: gathers, indexing, embeddings.
#include "Indexing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

FailureOr<IndexPlan> titan::planIndexing(Call &call, const Tensor &self,
                                         const RuntimeValue &indices) {
  IndexPlan plan;
  plan.self = self;
  const auto *list = indices.getIf<RuntimeValue::List>();
  if (!list)
    return call.fail("expected a list of indices");
  std::vector<Tensor> tensors;
  int64_t dim = 0;
  for (const RuntimeValue &entry : *list) {
    const auto *tensor = entry.getIf<Tensor>();
    if (dim >= self.getRank())
      return call.fail("there are more indices than dimensions");
    if (!tensor) {
      ++dim;
      continue;
    }
    if (tensor->getDType() != DType::Bool && tensor->getDType() != DType::U8) {
      plan.dims.push_back(dim++);
      tensors.push_back(*tensor);
      continue;
    }
    // A mask stands for the places where it is true, one index a dimension.
    Shape covered(self.getShape().slice(dim).take_front(tensor->getRank()));
    if (ArrayRef(covered) != tensor->getShape())
      return call.fail("a mask of " + formatShape(tensor->getShape()) +
                       " does not fit " + formatShape(self.getShape()));
    std::vector<std::vector<int64_t>> places(tensor->getRank());
    Shape strides = getDenseStrides(covered);
    for (auto [at, isSet] : llvm::enumerate(tensor->getValues<int64_t>()))
      for (size_t d = 0; isSet && d < places.size(); ++d)
        places[d].push_back(static_cast<int64_t>(at) / strides[d] % covered[d]);
    for (const std::vector<int64_t> &place : places) {
      plan.dims.push_back(dim++);
      tensors.push_back(Tensor::make(
          DType::I64, {static_cast<int64_t>(place.size())}, place));
    }
  }
  FailureOr<Shape> shape = call.broadcast(tensors);
  if (failed(shape))
    return failure();
  plan.indexShape = *shape;
  for (auto [tensor, at] : llvm::zip(tensors, plan.dims)) {
    std::vector<int64_t> column = tensor.expand(*shape).getValues<int64_t>();
    for (int64_t &index : column) {
      FailureOr<int64_t> wrapped = call.wrapIndex(index, self.getShape()[at]);
      if (failed(wrapped))
        return failure();
      index = *wrapped;
    }
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

Shape IndexPlan::getResultShape() const {
  Shape shape;
  bool isAdjacent = dims.empty() || dims.back() - dims.front() + 1 ==
                                        static_cast<int64_t>(dims.size());
  // Indexed dimensions that do not stand together go to the front.
  int64_t place = isAdjacent && !dims.empty() ? dims.front() : 0;
  for (int64_t dim = 0; dim < self.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(self.getShape()[dim]);
  shape.insert(shape.begin() + place, indexShape.begin(), indexShape.end());
  return shape;
}

std::vector<int64_t> IndexPlan::getPlaces() const {
  Shape strides = getDenseStrides(self.getShape());
  Shape shape = getResultShape();
  bool isAdjacent = dims.empty() || dims.back() - dims.front() + 1 ==
                                        static_cast<int64_t>(dims.size());
  int64_t first = isAdjacent && !dims.empty() ? dims.front() : 0;
  auto numIndexDims = static_cast<int64_t>(indexShape.size());
  Shape resultStrides = getDenseStrides(shape);
  // The dimensions of self that are not indexed, in order.
  Shape kept;
  for (int64_t dim = 0; dim < self.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  Shape indexStrides = getDenseStrides(indexShape);
  std::vector<int64_t> places(countElements(shape));
  for (auto [at, place] : llvm::enumerate(places)) {
    int64_t index = 0, next = 0;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      int64_t coordinate =
          static_cast<int64_t>(at) / resultStrides[dim] % shape[dim];
      if (dim >= first && dim < first + numIndexDims)
        index += coordinate * indexStrides[dim - first];
      else
        place += coordinate * strides[kept[next++]];
    }
    for (auto [column, dim] : llvm::zip(columns, dims))
      place += column[index] * strides[dim];
  }
  return places;
}

Tensor titan::takeElements(const Tensor &self, ArrayRef<int64_t> places,
                           ArrayRef<int64_t> shape) {
  std::vector<char> from = self.getBytes();
  int64_t size = getByteSize(self.getDType());
  std::vector<char> to(places.size() * size);
  for (auto [at, place] : llvm::enumerate(places))
    std::copy_n(from.begin() + place * size, size, to.begin() + at * size);
  Tensor result(self.getDType(), shape);
  result.setBytes(to);
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult computeIndex(Call &call) {
  FailureOr<IndexPlan> plan =
      planIndexing(call, call.tensor("self"), call.get("indices"));
  if (failed(plan))
    return failure();
  return call.set(
      0, takeElements(plan->self, plan->getPlaces(), plan->getResultShape()));
}

// Where the mask is false the index may be anything, and the result is `fill`.
static LogicalResult computeMaskedIndex(Call &call) {
  Tensor self = call.tensor("self"), mask = call.tensor("mask");
  RuntimeValue::List indices = clampIndices(call.get("indices"), self);
  FailureOr<IndexPlan> plan = planIndexing(call, self, indices);
  if (failed(plan))
    return failure();
  Shape shape = plan->getResultShape();
  Tensor taken = takeElements(self, plan->getPlaces(), shape);
  if (!mask.isBroadcastableTo(shape))
    return call.fail("the mask does not fit the indices");
  return dispatch(call.resultType(), [&]<typename T>(T) {
    auto values = taken.getValues<T>();
    auto isSet = mask.expand(shape).template getValues<int64_t>();
    T fill = call.tensor("fill").to(call.resultType()).template getItem<T>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = isSet[i] ? values[i] : fill;
    return call.set(0, shape, values);
  });
}

static LogicalResult computeGather(Call &call) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  FailureOr<std::vector<int64_t>> places =
      placeAlongDim(call, self, index, call.integer("dim"));
  if (failed(places))
    return failure();
  return call.set(0, takeElements(self, *places, index.getShape()));
}

FailureOr<std::vector<int64_t>> titan::placeAlongDim(Call &call,
                                                     const Tensor &self,
                                                     const Tensor &index,
                                                     int64_t dim) {
  FailureOr<int64_t> wrapped = call.wrapDim(dim, self.getRank());
  if (failed(wrapped))
    return failure();
  if (index.getRank() != self.getRank())
    return call.fail("the index has another rank than the tensor");
  Shape strides = getDenseStrides(self.getShape());
  Shape indexStrides = getDenseStrides(index.getShape());
  std::vector<int64_t> places = index.getValues<int64_t>();
  for (auto [at, place] : llvm::enumerate(places)) {
    int64_t target = place;
    int64_t size = self.getRank() ? self.getShape()[*wrapped] : 1;
    if (target < 0 || target >= size)
      return call.fail("index " + Twine(target) +
                       " is out of range of a dimension of " + Twine(size));
    place = 0;
    for (int64_t d = 0; d < self.getRank(); ++d) {
      int64_t coordinate =
          static_cast<int64_t>(at) / indexStrides[d] % index.getShape()[d];
      if (d != *wrapped && coordinate >= self.getShape()[d])
        return call.fail("the index " + formatShape(index.getShape()) +
                         " is larger than the tensor " +
                         formatShape(self.getShape()));
      place += (d == *wrapped ? target : coordinate) * strides[d];
    }
  }
  return places;
}

RuntimeValue::List titan::clampIndices(const RuntimeValue &indices,
                                       const Tensor &self) {
  RuntimeValue::List result;
  if (const auto *list = indices.getIf<RuntimeValue::List>())
    for (auto [dim, entry] : llvm::enumerate(*list)) {
      const auto *tensor = entry.getIf<Tensor>();
      if (!tensor || static_cast<int64_t>(dim) >= self.getRank()) {
        result.push_back(entry);
        continue;
      }
      std::vector<int64_t> values = tensor->getValues<int64_t>();
      int64_t size = self.getShape()[dim];
      for (int64_t &value : values)
        value = std::clamp<int64_t>(value, size ? -size : 0,
                                    std::max<int64_t>(size - 1, 0));
      result.push_back(Tensor::make(DType::I64, tensor->getShape(), values));
    }
  return result;
}

static LogicalResult computeIndexSelect(Call &call) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  RuntimeValue::List indices(*dim);
  indices.push_back(index.reshape({index.getNumElements()}));
  FailureOr<IndexPlan> plan = planIndexing(call, self, indices);
  if (failed(plan))
    return failure();
  return call.set(
      0, takeElements(self, plan->getPlaces(), plan->getResultShape()));
}

static LogicalResult computeTake(Call &call) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  std::vector<int64_t> places = index.getValues<int64_t>();
  for (int64_t &place : places) {
    FailureOr<int64_t> wrapped = call.wrapIndex(place, self.getNumElements());
    if (failed(wrapped))
      return failure();
    place = *wrapped;
  }
  return call.set(0, takeElements(self, places, index.getShape()));
}

static LogicalResult computeOneHot(Call &call) {
  Tensor self = call.tensor("self");
  std::vector<int64_t> classes = self.getValues<int64_t>();
  int64_t count = call.integer("num_classes", -1);
  if (count < 0)
    count = classes.empty() ? 0 : *llvm::max_element(classes) + 1;
  std::vector<int64_t> values(classes.size() * count);
  for (auto [at, value] : llvm::enumerate(classes)) {
    if (value < 0 || value >= count)
      return call.fail("class " + Twine(value) + " is out of range");
    values[at * count + value] = 1;
  }
  Shape shape(self.getShape());
  shape.push_back(count);
  return call.set(0, shape, values);
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

static LogicalResult computeEmbedding(Call &call) {
  Tensor weight = call.tensor("weight");
  FailureOr<IndexPlan> plan =
      planIndexing(call, weight, RuntimeValue::List{call.tensor("indices")});
  if (failed(plan))
    return failure();
  return call.set(
      0, takeElements(weight, plan->getPlaces(), plan->getResultShape()));
}

static LogicalResult computeEmbeddingBackward(Call &call) {
  Tensor grad = call.tensor("grad_output");
  std::vector<int64_t> indices = call.tensor("indices").getValues<int64_t>();
  int64_t rows = call.integer("num_weights");
  int64_t padding = call.integer("padding_idx", -1);
  if (grad.getRank() == 0 || rows < 0)
    return call.fail("expected a gradient with dimensions");
  int64_t width = grad.getDim(-1);
  std::vector<double> grads = grad.getValues<double>();
  if (grads.size() != indices.size() * width)
    return call.fail("the gradient does not fit the indices");
  std::vector<double> result(rows * width), counts(rows);
  for (int64_t index : indices) {
    if (index < 0 || index >= rows)
      return call.fail("index " + Twine(index) + " is out of range of " +
                       Twine(rows) + " rows");
    ++counts[index];
  }
  bool scales = call.flag("scale_grad_by_freq");
  for (auto [at, index] : llvm::enumerate(indices))
    for (int64_t i = 0; index != padding && i < width; ++i)
      result[index * width + i] +=
          grads[at * width + i] / (scales ? counts[index] : 1);
  return call.set(0, {rows, width}, result);
}

// Sums (0), means (1) or maxima (2) of bags of rows.
static LogicalResult computeEmbeddingBag(Call &call) {
  Tensor weight = call.tensor("weight");
  std::vector<int64_t> indices = call.tensor("indices").getValues<int64_t>();
  std::vector<int64_t> offsets = call.tensor("offsets").getValues<int64_t>();
  int64_t mode = call.integer("mode"),
          padding = call.integer("padding_idx", -1);
  if (call.flag("include_last_offset") && !offsets.empty())
    offsets.pop_back();
  if (weight.getRank() != 2)
    return call.fail("expected a matrix of rows");
  int64_t rows = weight.getDim(0), width = weight.getDim(1);
  auto bags = static_cast<int64_t>(offsets.size());
  auto count = static_cast<int64_t>(indices.size());
  std::vector<double> table = weight.getValues<double>();
  std::vector<double> scales(count, 1), result(bags * width);
  if (call.has("per_sample_weights"))
    scales = call.tensor("per_sample_weights").getValues<double>();
  std::vector<int64_t> bagOf(count), sizes(bags), best(bags * width, 0);
  for (int64_t bag = 0; bag < bags; ++bag) {
    int64_t end = bag + 1 < bags ? offsets[bag + 1] : count;
    for (int64_t at = std::max<int64_t>(offsets[bag], 0);
         at < std::min(end, count); ++at) {
      bagOf[at] = bag;
      int64_t row = indices[at];
      if (row < 0 || row >= rows)
        return call.fail("index " + Twine(row) + " is out of range");
      if (row == padding)
        continue;
      for (int64_t i = 0; i < width; ++i) {
        double &to = result[bag * width + i];
        double value = table[row * width + i] * scales[at];
        if (mode != 2) {
          to += value;
        } else if (sizes[bag] == 0 || value > to) {
          to = value;
          best[bag * width + i] = row;
        }
      }
      ++sizes[bag];
    }
    for (int64_t i = 0; mode == 1 && sizes[bag] && i < width; ++i)
      result[bag * width + i] /= static_cast<double>(sizes[bag]);
  }
  if (failed(call.set(0, {bags, width}, result)))
    return failure();
  // What the other results hold in which mode is PyTorch's private affair; the
  // declared shape decides.
  auto setSized = [&](unsigned index, const std::vector<int64_t> &values,
                      ArrayRef<int64_t> shape) {
    std::optional<Shape> declared = call.getStaticShape(index);
    if (!declared || ArrayRef<int64_t>(*declared) == shape)
      return call.set(index, shape, values);
    return call.set(index, *declared,
                    std::vector<int64_t>(countElements(*declared)));
  };
  if (failed(setSized(1, bagOf, {count})) || failed(setSized(2, sizes, {bags})))
    return failure();
  return mode == 2 ? setSized(3, best, {bags, width})
                   : setSized(3, sizes, {bags});
}

static LogicalResult computeEmbeddingBagBackward(Call &call) {
  Tensor grad = call.tensor("grad");
  std::vector<int64_t> indices = call.tensor("indices").getValues<int64_t>();
  std::vector<int64_t> bagOf = call.tensor("offset2bag").getValues<int64_t>();
  std::vector<int64_t> sizes = call.tensor("bag_size").getValues<int64_t>();
  int64_t rows = call.integer("num_weights"), mode = call.integer("mode");
  int64_t width = grad.getDim(-1), padding = call.integer("padding_idx", -1);
  std::vector<double> grads = grad.getValues<double>();
  std::vector<double> result(rows * width);
  if (mode == 2) {
    std::vector<int64_t> best =
        call.tensor("maximum_indices").getValues<int64_t>();
    for (size_t at = 0; at < std::min(best.size(), grads.size()); ++at)
      if (best[at] >= 0 && best[at] < rows)
        result[best[at] * width + at % width] += grads[at];
    return call.set(0, {rows, width}, result);
  }
  std::vector<double> scales(indices.size(), 1);
  if (call.has("per_sample_weights"))
    scales = call.tensor("per_sample_weights").getValues<double>();
  if (bagOf.size() < indices.size())
    return call.fail("'offset2bag' does not fit the indices");
  for (auto [at, row] : llvm::enumerate(indices)) {
    if (row < 0 || row >= rows || row == padding)
      continue;
    int64_t bag = bagOf[at];
    double divisor =
        mode == 1 ? static_cast<double>(std::max<int64_t>(sizes[bag], 1)) : 1;
    for (int64_t i = 0; i < width; ++i)
      result[row * width + i] += grads[bag * width + i] * scales[at] / divisor;
  }
  return call.set(0, {rows, width}, result);
}

static LogicalResult computeRepeatByCounts(Call &call) {
  std::vector<int64_t> counts = call.tensor("repeats").getValues<int64_t>();
  std::vector<int64_t> result;
  for (auto [at, count] : llvm::enumerate(counts))
    result.insert(result.end(), std::max<int64_t>(count, 0), at);
  return call.set(0, {static_cast<int64_t>(result.size())}, result);
}

void titan::addIndexKernels(KernelTable &table) {
  table.add({"aten.index", "aten._unsafe_index"}, computeIndex);
  table.add("aten._unsafe_masked_index", computeMaskedIndex);
  table.add("aten.gather", computeGather);
  table.add("aten.index_select", computeIndexSelect);
  table.add("aten.take", computeTake);
  table.add("aten.one_hot", computeOneHot);
  table.add("aten.embedding", computeEmbedding);
  table.add("aten.embedding_dense_backward", computeEmbeddingBackward);
  table.add("aten._embedding_bag", computeEmbeddingBag);
  table.add("aten._embedding_bag_backward", computeEmbeddingBagBackward);
  table.add("aten.repeat_interleave.Tensor", computeRepeatByCounts);
}
