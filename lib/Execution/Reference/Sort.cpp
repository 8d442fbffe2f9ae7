// Ops whose places depend on values: sorting, searching, counting.
#include "titan/Execution/Kernel.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::titan;

// The order of numbers with NaN as the greatest.
template <typename T>
static bool isLess(T a, T b) {
  return a < b || (a == a && b != b);
}

// The places of a line's elements in order; of equals the earlier stays first,
// in either direction.
template <typename T>
static std::vector<int64_t> sortPlaces(const std::vector<T> &line,
                                       bool descending) {
  std::vector<int64_t> places(line.size());
  std::iota(places.begin(), places.end(), 0);
  llvm::sort(places, [&](int64_t a, int64_t b) {
    if (isLess(line[a], line[b]) || isLess(line[b], line[a]))
      return descending ? isLess(line[b], line[a]) : isLess(line[a], line[b]);
    return a < b;
  });
  return places;
}

// Results of \p choose, a list of places a line, gathered along a dimension: of
// \p size elements, or without the dimension.
template <typename Choose>
static LogicalResult chooseAlongDim(Call &call, int64_t size, bool keepsDim,
                                    bool onlyPlaces, Choose choose) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim", -1), self.getRank());
  if (failed(dim))
    return failure();
  return dispatchReal(
      call, self.getDType(), [&]<typename T>(T) -> LogicalResult {
        auto values = self.getValues<T>();
        DimSplit split(self.getShape(), *dim);
        int64_t length = size < 0 ? split.size : size;
        if (length > split.size)
          return call.fail("the dimension has only " + Twine(split.size) +
                           " elements");
        std::vector<T> chosen(split.outer * length * split.inner);
        std::vector<int64_t> chosenPlaces(chosen.size());
        std::vector<T> line(split.size);
        for (int64_t o = 0; o < split.outer; ++o)
          for (int64_t i = 0; i < split.inner; ++i) {
            for (int64_t s = 0; s < split.size; ++s)
              line[s] = values[split.at(o, s, i)];
            std::vector<int64_t> places = choose(line);
            for (int64_t s = 0; s < length; ++s) {
              int64_t at = (o * length + s) * split.inner + i;
              chosen[at] = line[places[s]];
              chosenPlaces[at] = places[s];
            }
          }
        Shape shape(self.getShape());
        if (!shape.empty())
          shape[*dim] = length;
        if (!keepsDim && !shape.empty())
          shape.erase(shape.begin() + *dim);
        if (onlyPlaces)
          return call.set(0, shape, chosenPlaces);
        if (failed(call.set(0, shape, chosen)))
          return failure();
        return call.set(1, shape, chosenPlaces);
      });
}

static LogicalResult computeSort(Call &call, bool onlyPlaces) {
  bool descending = call.flag("descending");
  return chooseAlongDim(call, -1, true, onlyPlaces, [&](const auto &line) {
    return sortPlaces(line, descending);
  });
}

static LogicalResult computeTopK(Call &call) {
  bool largest = call.flag("largest", true);
  return chooseAlongDim(
      call, call.integer("k"), true, false,
      [&](const auto &line) { return sortPlaces(line, largest); });
}

static LogicalResult computeKthValue(Call &call) {
  int64_t k = call.integer("k");
  if (k < 1)
    return call.fail("expected a rank from 1");
  return chooseAlongDim(call, 1, call.flag("keepdim"), false,
                        [&](const auto &line) {
                          std::vector<int64_t> places = sortPlaces(line, false);
                          size_t at = std::min<size_t>(k, places.size()) - 1;
                          return std::vector<int64_t>{places[at]};
                        });
}

// The lower of two medians; a NaN is the median of its line.
static LogicalResult computeMedian(Call &call) {
  return chooseAlongDim(
      call, 1, call.flag("keepdim"), false, [&](const auto &line) {
        std::vector<int64_t> places = sortPlaces(line, false);
        int64_t last = places.back();
        if (line[last] != line[last]) {
          auto firstNan =
              llvm::find_if(line, [](auto value) { return value != value; });
          return std::vector<int64_t>{firstNan - line.begin()};
        }
        return std::vector<int64_t>{places[(places.size() - 1) / 2]};
      });
}

//===----------------------------------------------------------------------===//
// Searching and counting
//===----------------------------------------------------------------------===//

static LogicalResult search(Call &call, const Tensor &sorted,
                            const Tensor &values) {
  bool fromRight = call.flag("right") || call.text("side") == "right";
  std::vector<double> edges = sorted.getValues<double>();
  std::vector<double> wanted = values.getValues<double>();
  int64_t length = sorted.getRank() ? sorted.getDim(-1) : 1;
  bool isShared = sorted.getRank() <= 1;
  int64_t perRow = values.getRank() ? values.getDim(-1) : 1;
  std::vector<int64_t> places(wanted.size());
  for (auto [at, place] : llvm::enumerate(places)) {
    int64_t row = isShared ? 0 : static_cast<int64_t>(at) / perRow;
    if ((row + 1) * length > static_cast<int64_t>(edges.size()))
      return call.fail("the sequence has fewer rows than the values");
    ArrayRef<double> line = ArrayRef(edges).slice(row * length, length);
    const double *found = fromRight
                              ? std::upper_bound(line.begin(), line.end(),
                                                 wanted[at], isLess<double>)
                              : std::lower_bound(line.begin(), line.end(),
                                                 wanted[at], isLess<double>);
    place = found - line.begin();
  }
  return call.set(0, values.getShape(), places);
}

static LogicalResult computeIsIn(Call &call) {
  Tensor elements = call.tensor("elements");
  std::vector<double> known = call.tensor("test_elements").getValues<double>();
  bool inverts = call.flag("invert");
  std::vector<int64_t> results;
  for (double value : elements.getValues<double>())
    results.push_back(llvm::is_contained(known, value) != inverts);
  return call.set(0, elements.getShape(), results);
}

static LogicalResult computeNonzero(Call &call) {
  Tensor self = call.tensor("self");
  Shape strides = getDenseStrides(self.getShape());
  std::vector<int64_t> places;
  int64_t count = 0;
  for (auto [at, value] : llvm::enumerate(self.getValues<Complex>())) {
    if (value == Complex(0))
      continue;
    ++count;
    for (auto [stride, size] : llvm::zip(strides, self.getShape()))
      places.push_back(static_cast<int64_t>(at) / stride % size);
  }
  return call.set(0, {count, self.getRank()}, places);
}

static LogicalResult computeBinCount(Call &call) {
  std::vector<int64_t> values = call.tensor("self").getValues<int64_t>();
  std::vector<double> weights(values.size(), 1);
  if (call.has("weights"))
    weights = call.tensor("weights").getValues<double>();
  if (weights.size() != values.size())
    return call.fail("the weights do not fit the values");
  int64_t size = std::max<int64_t>(call.integer("minlength"), 0);
  for (int64_t value : values) {
    if (value < 0 || value > (int64_t(1) << 40))
      return call.fail("cannot count the value " + Twine(value));
    size = std::max(size, value + 1);
  }
  std::vector<double> counts(size);
  for (auto [value, weight] : llvm::zip(values, weights))
    counts[value] += weight;
  return call.set(0, {size}, counts);
}

// Equal bins; the upper edge counts in the last. Without a range it is that of
// the data.
static LogicalResult computeHistogram(Call &call) {
  std::vector<double> values = call.tensor("self").getValues<double>();
  int64_t bins = call.integer("bins", 100);
  double low = call.number("min"), high = call.number("max");
  if (bins <= 0)
    return call.fail("expected a positive number of bins");
  if (low == high && !values.empty()) {
    low = *llvm::min_element(values);
    high = *llvm::max_element(values);
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  std::vector<double> counts(bins);
  for (double value : values) {
    if (!(value >= low && value <= high))
      continue;
    auto bin = static_cast<int64_t>((value - low) / (high - low) *
                                    static_cast<double>(bins));
    ++counts[std::min(bin, bins - 1)];
  }
  return call.set(0, {bins}, counts);
}

// Runs of equal elements, each once, the run of every element, and the lengths.
static LogicalResult computeUniqueConsecutive(Call &call) {
  Tensor self = call.tensor("self");
  if (call.has("dim") && self.getRank() != 1)
    return call.fail("only defined without a dimension");
  std::vector<double> values = self.getValues<double>();
  std::vector<double> unique;
  std::vector<int64_t> runs, counts;
  for (double value : values) {
    if (unique.empty() || unique.back() != value) {
      unique.push_back(value);
      counts.push_back(0);
    }
    ++counts.back();
    runs.push_back(static_cast<int64_t>(unique.size()) - 1);
  }
  auto size = static_cast<int64_t>(unique.size());
  bool wantsRuns = call.flag("return_inverse");
  bool wantsCounts = call.flag("return_counts");
  if (failed(call.set(0, {size}, unique)) ||
      failed(wantsRuns ? call.set(1, self.getShape(), runs)
                       : call.set(1, {0}, std::vector<int64_t>())))
    return failure();
  return wantsCounts ? call.set(2, {size}, counts)
                     : call.set(2, {0}, std::vector<int64_t>());
}

void titan::addSortKernels(KernelTable &table) {
  table.add("aten.sort", [](Call &call) { return computeSort(call, false); });
  table.add("aten.argsort", [](Call &call) { return computeSort(call, true); });
  table.add("aten.topk", computeTopK);
  table.add("aten.kthvalue", computeKthValue);
  table.add("aten.median.dim", computeMedian);
  table.add("aten.bucketize", [](Call &call) {
    return search(call, call.tensor("boundaries"), call.tensor("self"));
  });
  table.add("aten.searchsorted", [](Call &call) {
    return search(call, call.tensor("sorted_sequence"), call.tensor("self"));
  });
  table.add("aten.isin", computeIsIn);
  table.add("aten.nonzero", computeNonzero);
  table.add("aten.bincount", computeBinCount);
  table.add("aten.histc", computeHistogram);
  table.add("aten.unique_consecutive", computeUniqueConsecutive);
}
