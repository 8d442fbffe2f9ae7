// Writes at places: index_put, scatter and their kin, and the gradients of
// views, which are zeros with something written into a view of them.
#include "Indexing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

namespace {

enum class Combine : uint8_t { Replace, Add, Multiply, Least, Greatest, Mean };

} // namespace

static std::optional<Combine> getCombine(StringRef reduce) {
  if (reduce == "sum")
    return Combine::Add;
  if (reduce == "prod")
    return Combine::Multiply;
  if (reduce == "amin")
    return Combine::Least;
  if (reduce == "amax")
    return Combine::Greatest;
  if (reduce == "mean")
    return Combine::Mean;
  return std::nullopt;
}

template <typename T>
static T combine(Combine how, T old, T value) {
  switch (how) {
  case Combine::Replace:
    return value;
  case Combine::Add:
  case Combine::Mean:
    return old + value;
  case Combine::Multiply:
    return old * value;
  case Combine::Least:
  case Combine::Greatest:
    if constexpr (std::is_same_v<T, Complex>)
      return value;
    else if (old != old || value != value)
      return old != old ? old : value;
    else
      return how == Combine::Least ? std::min(old, value)
                                   : std::max(old, value);
  }
  llvm_unreachable("unknown way to combine");
}

// Writes \p source, one element a place, into a copy of \p self, in order.
// Without the old value the first one written to a place replaces it.
static LogicalResult writeAt(Call &call, const Tensor &self,
                             ArrayRef<int64_t> places, const Tensor &source,
                             Combine how, bool includesSelf = true,
                             bool roundsEach = false) {
  return dispatch(call.resultType(), [&]<typename T>(T) {
    auto values = self.getValues<T>();
    auto written = source.getValues<T>();
    std::vector<int64_t> counts(values.size(), includesSelf);
    for (auto [at, place] : llvm::enumerate(places)) {
      values[place] = counts[place]++ ? combine(how, values[place], written[at])
                                      : written[at];
      if constexpr (std::is_same_v<T, double>)
        if (roundsEach)
          values[place] = roundTo(call.resultType(), values[place]);
    }
    if (how == Combine::Mean)
      for (size_t i = 0; i < values.size(); ++i)
        if (counts[i] > 1)
          values[i] /= T(static_cast<double>(counts[i]));
    return call.set(0, self.getShape(), values);
  });
}

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

static LogicalResult computeIndexPut(Call &call) {
  Tensor self = call.tensor("self"), values = call.tensor("values");
  FailureOr<IndexPlan> plan = planIndexing(call, self, call.get("indices"));
  if (failed(plan))
    return failure();
  Shape shape = plan->getResultShape();
  if (!values.isBroadcastableTo(shape))
    return call.fail("cannot put " + formatShape(values.getShape()) +
                     " into places of " + formatShape(shape));
  // Sums are of the tensor's own type, in the order of the indices.
  return writeAt(call, self, plan->getPlaces(), values.expand(shape),
                 call.flag("accumulate") ? Combine::Add : Combine::Replace,
                 /*includesSelf=*/true, /*roundsEach=*/true);
}

static LogicalResult computeMaskedIndexPut(Call &call) {
  Tensor self = call.tensor("self"), mask = call.tensor("mask");
  RuntimeValue::List indices = clampIndices(call.get("indices"), self);
  FailureOr<IndexPlan> plan = planIndexing(call, self, indices);
  if (failed(plan))
    return failure();
  Shape shape = plan->getResultShape();
  Tensor values = call.tensor("values");
  if (!mask.isBroadcastableTo(shape) || !values.isBroadcastableTo(shape))
    return call.fail("the mask or the values do not fit the indices");
  // What the mask hides is added as zero.
  std::vector<int64_t> isSet = mask.expand(shape).getValues<int64_t>();
  return dispatch(call.resultType(), [&]<typename T>(T) {
    auto written = values.expand(shape).template getValues<T>();
    for (size_t i = 0; i < written.size(); ++i)
      if (!isSet[i])
        written[i] = T(0);
    Tensor source(isComplex(call.resultType()) ? DType::C128
                  : isFloat(call.resultType()) ? DType::F64
                                               : DType::I64,
                  shape);
    source.assign(ArrayRef<T>(written));
    return writeAt(call, self, plan->getPlaces(), source, Combine::Add);
  });
}

static LogicalResult scatter(Call &call, Combine how, bool includesSelf) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  FailureOr<std::vector<int64_t>> places =
      placeAlongDim(call, self, index, call.integer("dim"));
  if (failed(places))
    return failure();
  if (call.has("value"))
    return writeAt(
        call, self, *places,
        call.tensor("value").to(call.resultType()).expand(index.getShape()),
        how, includesSelf);
  // The source may be larger than the index; its corner counts.
  Tensor source = call.tensor("src");
  if (source.getRank() != index.getRank())
    return call.fail("the source has another rank than the index");
  for (int64_t dim = 0; dim < index.getRank(); ++dim) {
    if (source.getShape()[dim] < index.getShape()[dim])
      return call.fail("the source is smaller than the index");
    source = source.slice(dim, 0, index.getShape()[dim]);
  }
  return writeAt(call, self, *places, source, how, includesSelf);
}

static LogicalResult computeScatterReduce(Call &call) {
  std::optional<Combine> how = getCombine(call.text("reduce"));
  if (!how)
    return call.fail("cannot reduce by '" + call.text("reduce") + "'");
  return scatter(call, *how, call.flag("include_self", true));
}

// Whole slices along a dimension: `index_add`, `index_copy`, `index_reduce`.
static LogicalResult writeSlices(Call &call, Combine how, bool includesSelf) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  RuntimeValue::List indices(*dim);
  indices.push_back(index.reshape({index.getNumElements()}));
  FailureOr<IndexPlan> plan = planIndexing(call, self, indices);
  if (failed(plan))
    return failure();
  Shape shape = plan->getResultShape();
  Tensor source =
      call.has("value") ? call.tensor("value") : call.tensor("source");
  if (!source.isBroadcastableTo(shape))
    return call.fail("cannot write " + formatShape(source.getShape()) +
                     " into slices of " + formatShape(shape));
  source = source.expand(shape);
  double alpha = call.scalar("alpha", 1);
  if (alpha != 1) {
    DType dtype = isFloat(call.resultType()) ? DType::F64 : DType::I64;
    std::vector<double> values = source.getValues<double>();
    for (double &value : values)
      value *= alpha;
    source = Tensor::make(dtype, shape, values);
  }
  return writeAt(call, self, plan->getPlaces(), source, how, includesSelf);
}

static LogicalResult computeIndexReduce(Call &call) {
  std::optional<Combine> how = getCombine(call.text("reduce"));
  if (!how)
    return call.fail("cannot reduce by '" + call.text("reduce") + "'");
  return writeSlices(call, *how, call.flag("include_self", true));
}

static LogicalResult computePut(Call &call) {
  Tensor self = call.tensor("self");
  std::vector<int64_t> places = call.tensor("index").getValues<int64_t>();
  Tensor source = call.tensor("source");
  if (source.getNumElements() != static_cast<int64_t>(places.size()))
    return call.fail("the source does not fit the index");
  for (int64_t &place : places) {
    FailureOr<int64_t> wrapped = call.wrapIndex(place, self.getNumElements());
    if (failed(wrapped))
      return failure();
    place = *wrapped;
  }
  return writeAt(call, self, places, source,
                 call.flag("accumulate") ? Combine::Add : Combine::Replace);
}

static LogicalResult computeMaskedScatter(Call &call) {
  Tensor self = call.tensor("self"), mask = call.tensor("mask");
  FailureOr<Shape> shape = call.broadcast({self, mask});
  if (failed(shape))
    return failure();
  Tensor source = call.tensor("source");
  std::vector<int64_t> isSet = mask.expand(*shape).getValues<int64_t>();
  std::vector<int64_t> places;
  for (auto [at, set] : llvm::enumerate(isSet))
    if (set)
      places.push_back(at);
  int64_t count = places.size();
  if (count > source.getNumElements())
    return call.fail("the source has fewer elements than the mask");
  source = source.reshape({source.getNumElements()}).slice(0, 0, count);
  return writeAt(call, self.expand(*shape), places, source, Combine::Replace);
}

//===----------------------------------------------------------------------===//
// Into views
//===----------------------------------------------------------------------===//

// A contiguous copy of `self`, or zeros of `input_sizes`.
static Tensor makeBase(Call &call) {
  if (call.has("input_sizes"))
    return Tensor(call.resultType(), call.integers("input_sizes"));
  return call.tensor("self").to(call.resultType()).clone();
}

static Tensor getSource(Call &call) {
  for (StringRef name : {"src", "grad_output", "grad_in"})
    if (call.has(name))
      return call.tensor(name);
  return Tensor();
}

static LogicalResult writeInto(Call &call, const Tensor &base, Tensor place) {
  Tensor source = getSource(call);
  if (!source.isBroadcastableTo(place.getShape()))
    return call.fail("cannot write " + formatShape(source.getShape()) +
                     " into " + formatShape(place.getShape()));
  place.assign(source);
  return call.set(0, base);
}

static LogicalResult writeSelected(Call &call) {
  Tensor base = makeBase(call);
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), base.getRank());
  if (failed(dim) || base.getRank() == 0)
    return call.fail("the tensor has no dimensions");
  FailureOr<int64_t> index =
      call.wrapIndex(call.integer("index"), base.getShape()[*dim]);
  if (failed(index))
    return failure();
  return writeInto(call, base, base.select(*dim, *index));
}

// A slice as Python has it: ends count from the back if negative, and are cut
// to the dimension.
static FailureOr<Tensor> takeSlice(Call &call, const Tensor &self) {
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim) || self.getRank() == 0)
    return call.fail("the tensor has no dimensions");
  int64_t size = self.getShape()[*dim], step = call.integer("step", 1);
  if (step <= 0)
    return call.fail("expected a positive step");
  auto cut = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  int64_t start = cut(call.integer("start", 0));
  int64_t end = std::max(cut(call.integer("end", size)), start);
  return self.slice(*dim, start, (end - start + step - 1) / step, step);
}

static LogicalResult computeSlice(Call &call) {
  FailureOr<Tensor> slice = takeSlice(call, call.tensor("self"));
  if (failed(slice))
    return failure();
  return call.set(0, *slice);
}

static LogicalResult writeSlice(Call &call) {
  Tensor base = makeBase(call);
  FailureOr<Tensor> place = takeSlice(call, base);
  if (failed(place))
    return failure();
  return writeInto(call, base, *place);
}

static FailureOr<Tensor> takeDiagonal(Call &call, const Tensor &self,
                                      int64_t defaultDim1,
                                      int64_t defaultDim2) {
  FailureOr<int64_t> dim1 =
      call.wrapDim(call.integer("dim1", defaultDim1), self.getRank());
  FailureOr<int64_t> dim2 =
      call.wrapDim(call.integer("dim2", defaultDim2), self.getRank());
  if (failed(dim1) || failed(dim2) || *dim1 == *dim2)
    return call.fail("expected two different dimensions");
  int64_t offset = call.integer("offset");
  int64_t rows = self.getShape()[*dim1], columns = self.getShape()[*dim2];
  int64_t rowStart = std::max<int64_t>(-offset, 0);
  int64_t columnStart = std::max<int64_t>(offset, 0);
  int64_t length =
      std::max<int64_t>(std::min(rows - rowStart, columns - columnStart), 0);
  Shape shape, strides;
  for (int64_t dim = 0; dim < self.getRank(); ++dim)
    if (dim != *dim1 && dim != *dim2) {
      shape.push_back(self.getShape()[dim]);
      strides.push_back(self.getStrides()[dim]);
    }
  int64_t rowStride = self.getStrides()[*dim1];
  int64_t columnStride = self.getStrides()[*dim2];
  shape.push_back(length);
  strides.push_back(rowStride + columnStride);
  int64_t start = self.getOffset();
  if (length)
    start += rowStart * rowStride + columnStart * columnStride;
  return self.asStrided(shape, strides, start);
}

static LogicalResult computeDiagonal(Call &call) {
  FailureOr<Tensor> diagonal = takeDiagonal(call, call.tensor("self"), 0, 1);
  if (failed(diagonal))
    return failure();
  return call.set(0, *diagonal);
}

static LogicalResult writeDiagonal(Call &call) {
  Tensor base = makeBase(call);
  FailureOr<Tensor> place = takeDiagonal(call, base, 0, 1);
  if (failed(place))
    return failure();
  return writeInto(call, base, *place);
}

// The last dimension on the diagonal of a new matrix.
static LogicalResult computeDiagEmbed(Call &call) {
  Tensor self = call.tensor("self");
  int64_t rank = self.getRank() + 1, offset = call.integer("offset");
  FailureOr<int64_t> dim1 = call.wrapDim(call.integer("dim1", -2), rank);
  FailureOr<int64_t> dim2 = call.wrapDim(call.integer("dim2", -1), rank);
  if (failed(dim1) || failed(dim2) || *dim1 == *dim2 || self.getRank() == 0)
    return call.fail("expected two different dimensions");
  int64_t size = self.getDim(-1) + std::abs(offset);
  Shape shape(self.getShape().drop_back());
  shape.insert(shape.begin() + std::min(*dim1, *dim2), size);
  shape.insert(shape.begin() + std::max(*dim1, *dim2), size);
  Tensor base(call.resultType(), shape);
  FailureOr<Tensor> place = takeDiagonal(call, base, -2, -1);
  if (failed(place))
    return failure();
  place->assign(self);
  return call.set(0, base);
}

static FailureOr<Tensor> takeStrided(Call &call, const Tensor &self) {
  Shape size = call.integers("size"), stride = call.integers("stride");
  int64_t offset = call.integer("storage_offset", self.getOffset());
  if (!self.isInStorage(size, stride, offset))
    return call.fail("the view lies outside of the storage");
  return self.asStrided(size, stride, offset);
}

static LogicalResult computeAsStrided(Call &call) {
  FailureOr<Tensor> view = takeStrided(call, call.tensor("self"));
  if (failed(view))
    return failure();
  return call.set(0, *view);
}

static LogicalResult writeStrided(Call &call) {
  Tensor base = makeBase(call);
  FailureOr<Tensor> place = takeStrided(call, base);
  if (failed(place))
    return failure();
  return writeInto(call, base, *place);
}

// Windows overlap, so the gradient of each element is the sum over them.
static LogicalResult computeUnfoldBackward(Call &call) {
  Tensor grad = call.tensor("grad_in");
  Tensor base(DType::F64, call.integers("input_sizes"));
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), base.getRank());
  if (failed(dim))
    return failure();
  int64_t size = call.integer("size"), step = call.integer("step", 1);
  for (int64_t i = 0; i < size; ++i) {
    Tensor part = grad.select(-1, i);
    int64_t windows = part.getShape()[*dim];
    if (windows && i + (windows - 1) * step >= base.getShape()[*dim])
      return call.fail("the windows do not fit the input");
    Tensor place = base.slice(*dim, windows ? i : 0, windows, step);
    auto sums = place.getValues<double>();
    auto added = part.getValues<double>();
    for (size_t at = 0; at < sums.size(); ++at)
      sums[at] += added[at];
    place.assign(ArrayRef(sums));
  }
  return call.set(0, base);
}

void titan::addScatterKernels(KernelTable &table) {
  table.add({"aten.index_put", "aten._unsafe_index_put"}, computeIndexPut);
  table.add("aten._unsafe_masked_index_put_accumulate", computeMaskedIndexPut);
  table.add("aten.scatter",
            [](Call &call) { return scatter(call, Combine::Replace, true); });
  table.add({"aten.scatter_add", "torchtitan.deterministic_scatter_add"},
            [](Call &call) { return scatter(call, Combine::Add, true); });
  table.addSchema("torchtitan.deterministic_scatter_add",
                  {"self", "index", "src"});
  table.add("aten.scatter_reduce", computeScatterReduce);
  table.add("aten.index_add",
            [](Call &call) { return writeSlices(call, Combine::Add, true); });
  table.add({"aten.index_copy", "aten.index_fill"}, [](Call &call) {
    return writeSlices(call, Combine::Replace, true);
  });
  table.add("aten.index_reduce", computeIndexReduce);
  table.add("aten.put", computePut);
  table.add("aten.masked_scatter", computeMaskedScatter);
  table.add({"aten.select_scatter", "aten.select_backward"}, writeSelected);
  table.add("aten.slice", computeSlice);
  table.add({"aten.slice_scatter", "aten.slice_backward"}, writeSlice);
  table.add("aten.diagonal", computeDiagonal);
  table.add({"aten.diagonal_scatter", "aten.diagonal_backward"}, writeDiagonal);
  table.add("aten.diag_embed", computeDiagEmbed);
  table.add("aten.as_strided", computeAsStrided);
  table.add("aten.as_strided_scatter", writeStrided);
  table.add("aten.unfold_backward", computeUnfoldBackward);
}
