// Ops that fold dimensions away. Sums are taken in f64 in logical order and
// rounded once.
#include "titan/Execution/Kernel.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// The elements of a tensor as rows, one row an element of the result.
template <typename T>
struct Rows {
  std::vector<T> values;
  int64_t count = 0;
  int64_t length = 0;
  /// The shape of the result.
  Shape shape;
  ArrayRef<T> operator[](int64_t row) const {
    return ArrayRef<T>(values).slice(row * length, length);
  }
};

} // namespace

// The folded dimensions, as `dim` or `dims` says; all where neither does.
template <typename T>
static FailureOr<Rows<T>> getRows(Call &call, StringRef operand = "self",
                                  StringRef dimName = "dim") {
  Tensor self = call.tensor(operand);
  FailureOr<Shape> folded =
      call.wrapDims(call.integers(dimName), self.getRank());
  if (failed(folded))
    return failure();
  bool keeps = call.flag("keepdim");
  Rows<T> rows;
  Shape order, last;
  rows.count = rows.length = 1;
  for (int64_t dim = 0; dim < self.getRank(); ++dim) {
    int64_t size = self.getShape()[dim];
    bool isFolded = llvm::is_contained(*folded, dim);
    (isFolded ? rows.length : rows.count) *= size;
    (isFolded ? last : order).push_back(dim);
    if (!isFolded || keeps)
      rows.shape.push_back(isFolded ? 1 : size);
  }
  order.append(last);
  rows.values = self.permute(order).getValues<T>();
  return rows;
}

// Result 0 is what \p fold makes of each row.
template <typename T, typename Fold>
static LogicalResult foldRows(Call &call, Fold fold, StringRef operand = "self",
                              StringRef dimName = "dim") {
  FailureOr<Rows<T>> rows = getRows<T>(call, operand, dimName);
  if (failed(rows))
    return failure();
  std::vector<T> results(rows->count);
  for (int64_t row = 0; row < rows->count; ++row)
    results[row] = fold((*rows)[row]);
  return call.set(0, rows->shape, results);
}

template <typename T>
static T sum(ArrayRef<T> row) {
  T total = T(0);
  for (T value : row)
    total += value;
  return total;
}

static LogicalResult computeSum(Call &call, StringRef operand,
                                StringRef dimName) {
  return dispatch(call.resultType(), [&]<typename T>(T) {
    return foldRows<T>(call, sum<T>, operand, dimName);
  });
}

static LogicalResult computeMean(Call &call) {
  return dispatch(call.resultType(), [&]<typename T>(T) {
    return foldRows<T>(call, [](ArrayRef<T> row) {
      return sum(row) / T(static_cast<double>(row.size()));
    });
  });
}

static LogicalResult computeProduct(Call &call) {
  return dispatch(call.resultType(), [&]<typename T>(T) {
    return foldRows<T>(call, [](ArrayRef<T> row) {
      T product = T(1);
      for (T value : row)
        product *= value;
      return product;
    });
  });
}

static LogicalResult computeTruth(Call &call, bool wantsAll) {
  return foldRows<double>(call, [=](ArrayRef<double> row) -> double {
    auto isTrue = [](double value) { return value != 0; };
    return wantsAll ? llvm::all_of(row, isTrue) : llvm::any_of(row, isTrue);
  });
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

// The place of the first greatest (least) element, or of the first NaN.
template <typename T>
static size_t findExtreme(ArrayRef<T> row, bool wantsGreatest) {
  size_t best = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] != row[i])
      return i;
    if (wantsGreatest ? row[i] > row[best] : row[i] < row[best])
      best = i;
  }
  return best;
}

static LogicalResult computeExtreme(Call &call, bool wantsGreatest) {
  return dispatchReal(
      call, call.resultType(), [&]<typename T>(T) -> LogicalResult {
        FailureOr<Rows<T>> rows = getRows<T>(call);
        if (failed(rows))
          return failure();
        if (rows->length == 0 && rows->count != 0)
          return call.fail("there is no extreme of no elements");
        std::vector<T> values(rows->count);
        std::vector<int64_t> places(rows->count);
        for (int64_t row = 0; row < rows->count; ++row) {
          places[row] = findExtreme((*rows)[row], wantsGreatest);
          values[row] = (*rows)[row][places[row]];
        }
        if (failed(call.set(0, rows->shape, values)))
          return failure();
        return call.getNumResults() > 1 ? call.set(1, rows->shape, places)
                                        : success();
      });
}

static LogicalResult computeArgument(Call &call, bool wantsGreatest) {
  FailureOr<Rows<double>> rows = getRows<double>(call);
  if (failed(rows))
    return failure();
  if (rows->length == 0 && rows->count != 0)
    return call.fail("there is no extreme of no elements");
  std::vector<int64_t> places(rows->count);
  for (int64_t row = 0; row < rows->count; ++row)
    places[row] = findExtreme((*rows)[row], wantsGreatest);
  return call.set(0, rows->shape, places);
}

static LogicalResult computeBothExtremes(Call &call) {
  FailureOr<Rows<double>> rows = getRows<double>(call);
  if (failed(rows))
    return failure();
  if (rows->length == 0 && rows->count != 0)
    return call.fail("there is no extreme of no elements");
  for (unsigned index : {0, 1}) {
    std::vector<double> values(rows->count);
    for (int64_t row = 0; row < rows->count; ++row)
      values[row] = (*rows)[row][findExtreme((*rows)[row], index == 1)];
    if (failed(call.set(index, rows->shape, values)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Moments and norms
//===----------------------------------------------------------------------===//

static double getMean(ArrayRef<double> row) {
  return sum(row) / static_cast<double>(row.size());
}

static double getVariance(ArrayRef<double> row, double correction) {
  double mean = getMean(row), total = 0;
  for (double value : row)
    total += (value - mean) * (value - mean);
  double divisor = static_cast<double>(row.size()) - correction;
  return total / std::max(divisor, 0.0);
}

static LogicalResult computeVariance(Call &call, StringRef operand,
                                     StringRef dimName, bool isRoot) {
  double correction = call.number("correction", 1);
  FailureOr<Rows<double>> rows = getRows<double>(call, operand, dimName);
  if (failed(rows))
    return failure();
  std::vector<double> variances(rows->count), means(rows->count);
  for (int64_t row = 0; row < rows->count; ++row) {
    double variance = getVariance((*rows)[row], correction);
    variances[row] = isRoot ? std::sqrt(variance) : variance;
    means[row] = getMean((*rows)[row]);
  }
  if (failed(call.set(0, rows->shape, variances)))
    return failure();
  return call.getNumResults() > 1 ? call.set(1, rows->shape, means) : success();
}

static double getNorm(ArrayRef<double> row, double order) {
  double total = order == -HUGE_VAL ? HUGE_VAL : 0;
  for (double value : row) {
    double size = std::abs(value);
    if (std::isinf(order))
      total = std::isnan(size) || std::isnan(total) ? std::nan("")
              : order > 0                           ? std::max(total, size)
                                                    : std::min(total, size);
    else if (order == 0)
      total += size != 0;
    else if (order == 1)
      total += size;
    else if (order == 2)
      total += size * size;
    else
      total += std::pow(size, order);
  }
  if (std::isinf(order) || order == 0 || order == 1)
    return total;
  return order == 2 ? std::sqrt(total) : std::pow(total, 1 / order);
}

static LogicalResult computeNorm(Call &call, StringRef orderName) {
  double order = call.number(orderName, 2);
  return foldRows<double>(
      call, [=](ArrayRef<double> row) { return getNorm(row, order); });
}

static LogicalResult computeLogSumExp(Call &call) {
  return foldRows<double>(call, [](ArrayRef<double> row) {
    if (row.empty())
      return -HUGE_VAL;
    double top = row[findExtreme(row, true)], total = 0;
    double shift = std::isinf(top) ? 0 : top;
    for (double value : row)
      total += std::exp(value - shift);
    return std::log(total) + shift;
  });
}

static LogicalResult computeCountNonzero(Call &call) {
  FailureOr<Rows<double>> rows = getRows<double>(call);
  if (failed(rows))
    return failure();
  std::vector<int64_t> counts(rows->count);
  for (int64_t row = 0; row < rows->count; ++row)
    counts[row] =
        llvm::count_if((*rows)[row], [](double value) { return value != 0; });
  return call.set(0, rows->shape, counts);
}

static LogicalResult computeTrace(Call &call) {
  Tensor self = call.tensor("self");
  if (self.getRank() != 2)
    return call.fail("expected a matrix");
  return dispatch(call.resultType(), [&]<typename T>(T) {
    auto values = self.getValues<T>();
    T total = T(0);
    int64_t columns = self.getDim(1);
    for (int64_t i = 0; i < std::min(self.getDim(0), columns); ++i)
      total += values[i * columns + i];
    return call.set(0, {}, std::vector<T>{total});
  });
}

static LogicalResult computeDistance(Call &call) {
  FailureOr<Shape> shape =
      call.broadcast({call.tensor("self"), call.tensor("other")});
  if (failed(shape))
    return failure();
  auto a = call.tensor("self").expand(*shape).getValues<double>();
  auto b = call.tensor("other").expand(*shape).getValues<double>();
  for (size_t i = 0; i < a.size(); ++i)
    a[i] -= b[i];
  return call.set(0, {}, std::vector<double>{getNorm(a, call.number("p", 2))});
}

// The distances of all rows of one matrix from all rows of another.
static LogicalResult computeAllDistances(Call &call) {
  Tensor x1 = call.tensor("x1"), x2 = call.tensor("x2");
  if (x1.getRank() != 2 || x2.getRank() != 2 || x1.getDim(1) != x2.getDim(1))
    return call.fail("expected two matrices with rows of equal length");
  int64_t m = x1.getDim(0), n = x2.getDim(0), length = x1.getDim(1);
  auto a = x1.getValues<double>(), b = x2.getValues<double>();
  std::vector<double> results(m * n), difference(length);
  for (int64_t i = 0; i < m * n; ++i) {
    for (int64_t k = 0; k < length; ++k)
      difference[k] = a[i / n * length + k] - b[i % n * length + k];
    results[i] = getNorm(difference, call.number("p", 2));
  }
  return call.set(0, {m, n}, results);
}

// x1.x2 / (|x1| |x2|) along a dimension, each length at least eps.
static LogicalResult computeCosine(Call &call) {
  std::vector<Tensor> operands = {call.tensor("x1"), call.tensor("x2")};
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim", 1), shape->size());
  if (failed(dim))
    return failure();
  double eps = call.scalar("eps", 1e-8);
  DimSplit split(*shape, *dim);
  auto a = operands[0].expand(*shape).getValues<double>();
  auto b = operands[1].expand(*shape).getValues<double>();
  std::vector<double> results(split.outer * split.inner);
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i) {
      double dot = 0, aa = 0, bb = 0;
      for (int64_t s = 0; s < split.size; ++s) {
        double x = a[split.at(o, s, i)], y = b[split.at(o, s, i)];
        dot += x * y;
        aa += x * x;
        bb += y * y;
      }
      results[o * split.inner + i] =
          dot / (std::max(std::sqrt(aa), eps) * std::max(std::sqrt(bb), eps));
    }
  shape->erase(shape->begin() + *dim);
  return call.set(0, *shape, results);
}

void titan::addReductionKernels(KernelTable &table) {
  table.add("aten.sum",
            [](Call &call) { return computeSum(call, "self", "dim"); });
  table.add("prims.sum",
            [](Call &call) { return computeSum(call, "inp", "dims"); });
  table.add("aten.mean", computeMean);
  table.add("aten.prod", computeProduct);
  table.add("aten.all", [](Call &call) { return computeTruth(call, true); });
  table.add("aten.any", [](Call &call) { return computeTruth(call, false); });
  table.add({"aten.amax", "aten.max"},
            [](Call &call) { return computeExtreme(call, true); });
  table.add({"aten.amin", "aten.min"},
            [](Call &call) { return computeExtreme(call, false); });
  table.add("aten.aminmax", computeBothExtremes);
  table.add("aten.argmax",
            [](Call &call) { return computeArgument(call, true); });
  table.add("aten.argmin",
            [](Call &call) { return computeArgument(call, false); });
  table.add({"aten.var", "aten.var_mean"}, [](Call &call) {
    return computeVariance(call, "self", "dim", false);
  });
  table.add("aten.std", [](Call &call) {
    return computeVariance(call, "self", "dim", true);
  });
  table.add("prims.var", [](Call &call) {
    return computeVariance(call, "inp", "dims", false);
  });
  table.add("aten.linalg_vector_norm",
            [](Call &call) { return computeNorm(call, "ord"); });
  table.add("aten.norm", [](Call &call) { return computeNorm(call, "p"); });
  table.add("aten.logsumexp", computeLogSumExp);
  table.add("aten.count_nonzero", computeCountNonzero);
  table.add("aten.trace", computeTrace);
  table.add("aten.dist", computeDistance);
  table.add("aten.cdist", computeAllDistances);
  table.add("aten.cosine_similarity", computeCosine);
}
