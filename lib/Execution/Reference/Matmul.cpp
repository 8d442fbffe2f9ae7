// Products of matrices. All are summed in f64 (integers in int64), in the order
// of the inner dimension, and rounded once.
#include "Product.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

// The product of two matrices or two batches of matrices of equal size.
template <typename T>
static FailureOr<std::vector<T>> multiply(Call &call, const Tensor &a,
                                          const Tensor &b, Shape &shape) {
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank || a.getDim(-1) != b.getDim(-2) ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return call.fail("cannot multiply " + formatShape(a.getShape()) + " by " +
                     formatShape(b.getShape()));
  int64_t m = a.getDim(-2), k = a.getDim(-1), n = b.getDim(-1);
  int64_t batch = countElements(a.getShape().drop_back(2));
  auto x = a.getValues<T>(), y = b.getValues<T>();
  std::vector<T> product(batch * m * n);
  for (int64_t i = 0; i < batch; ++i)
    addProduct(x.data() + i * m * k, y.data() + i * k * n,
               product.data() + i * m * n, m, k, n);
  shape.assign(a.getShape().begin(), a.getShape().end());
  shape[rank - 1] = n;
  return product;
}

static LogicalResult setProduct(Call &call, const Tensor &a, const Tensor &b) {
  return dispatch(
      promote(a.getDType(), b.getDType()), [&]<typename T>(T) -> LogicalResult {
        Shape shape;
        FailureOr<std::vector<T>> product = multiply<T>(call, a, b, shape);
        if (failed(product))
          return failure();
        return call.set(0, shape, *product);
      });
}

// beta * self + alpha * (a b), rounded once. A beta of zero reads nothing of
// self, not even a NaN.
static LogicalResult setSumWithProduct(Call &call, const Tensor &a,
                                       const Tensor &b, bool dropsColumn) {
  return dispatch(call.resultType(), [&]<typename T>(T) -> LogicalResult {
    Shape shape;
    FailureOr<std::vector<T>> product = multiply<T>(call, a, b, shape);
    if (failed(product))
      return failure();
    if (dropsColumn)
      shape.pop_back();
    T alpha = T(call.scalar("alpha", 1)), beta = T(call.scalar("beta", 1));
    for (T &value : *product)
      value *= alpha;
    if (beta != T(0)) {
      Tensor self = call.tensor("self");
      if (!self.isBroadcastableTo(shape))
        return call.fail("cannot broadcast " + formatShape(self.getShape()) +
                         " to " + formatShape(shape));
      auto values = self.expand(shape).template getValues<T>();
      for (size_t i = 0; i < values.size(); ++i)
        (*product)[i] += beta * values[i];
    }
    return call.set(0, shape, *product);
  });
}

static LogicalResult computeMm(Call &call) {
  return setProduct(call, call.tensor("self"), call.tensor("mat2"));
}

static LogicalResult computeMv(Call &call) {
  Tensor product = call.tensor("vec").unsqueeze(1),
         matrix = call.tensor("self");
  return dispatch(call.resultType(), [&]<typename T>(T) -> LogicalResult {
    Shape shape;
    FailureOr<std::vector<T>> values =
        multiply<T>(call, matrix, product, shape);
    if (failed(values))
      return failure();
    return call.set(0, {shape[0]}, *values);
  });
}

static LogicalResult computeDot(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("tensor");
  if (a.getRank() != 1 || b.getRank() != 1 || a.getShape() != b.getShape())
    return call.fail("expected two vectors of equal length");
  return dispatch(call.resultType(), [&]<typename T>(T) {
    auto x = a.getValues<T>(), y = b.getValues<T>();
    T sum = T(0);
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return call.set(0, {}, std::vector<T>{sum});
  });
}

static LogicalResult computeAddr(Call &call) {
  return setSumWithProduct(call, call.tensor("vec1").unsqueeze(1),
                           call.tensor("vec2").unsqueeze(0), false);
}

// Batches are broadcast; a vector is a matrix of one row or column.
static LogicalResult computeMatmul(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("other");
  if (a.getRank() == 0 || b.getRank() == 0)
    return call.fail("expected tensors with dimensions");
  bool isRow = a.getRank() == 1, isColumn = b.getRank() == 1;
  a = isRow ? a.unsqueeze(0) : a;
  b = isColumn ? b.unsqueeze(1) : b;
  Tensor batchA(DType::Bool, a.getShape().drop_back(2));
  Tensor batchB(DType::Bool, b.getShape().drop_back(2));
  FailureOr<Shape> batch = call.broadcast({batchA, batchB});
  if (failed(batch))
    return failure();
  auto expand = [&](const Tensor &tensor) {
    Shape shape = *batch;
    shape.append(tensor.getShape().take_back(2).begin(),
                 tensor.getShape().end());
    return tensor.expand(shape);
  };
  return dispatch(call.resultType(), [&]<typename T>(T) -> LogicalResult {
    Shape shape;
    FailureOr<std::vector<T>> product =
        multiply<T>(call, expand(a), expand(b), shape);
    if (failed(product))
      return failure();
    if (isColumn)
      shape.pop_back();
    if (isRow)
      shape.erase(shape.end() - (isColumn ? 1 : 2));
    return call.set(0, shape, *product);
  });
}

static LogicalResult computeLinear(Call &call) {
  Tensor input = call.tensor("input"), weight = call.tensor("weight");
  if (input.getRank() == 0 || weight.getRank() != 2 ||
      input.getDim(-1) != weight.getDim(-1))
    return call.fail("cannot multiply " + formatShape(input.getShape()) +
                     " by the transpose of " + formatShape(weight.getShape()));
  int64_t k = weight.getDim(1), n = weight.getDim(0);
  int64_t m = k ? input.getNumElements() / k
                : countElements(input.getShape().drop_back());
  std::vector<double> product(m * n);
  if (call.has("bias")) {
    Tensor bias = call.tensor("bias");
    if (!bias.isBroadcastableTo({m, n}))
      return call.fail("the bias does not fit the weight");
    product = bias.expand({m, n}).getValues<double>();
  }
  addProduct(input.getValues<double>().data(),
             weight.transpose(0, 1).getValues<double>().data(), product.data(),
             m, k, n);
  Shape shape(input.getShape());
  shape.back() = n;
  return call.set(0, shape, product);
}

// Scales and the bias stand outside of the sum.
static LogicalResult computeScaledMm(Call &call) {
  Shape shape;
  FailureOr<std::vector<double>> product =
      multiply<double>(call, call.tensor("self"), call.tensor("mat2"), shape);
  if (failed(product))
    return failure();
  Tensor factors[2] = {call.tensor("scale_a"), call.tensor("scale_b")};
  for (const Tensor &factor : factors) {
    if (!factor.isBroadcastableTo(shape))
      return call.fail("a scale does not fit the product");
    auto values = factor.expand(shape).getValues<double>();
    for (size_t i = 0; i < values.size(); ++i)
      (*product)[i] *= values[i];
  }
  if (call.has("bias")) {
    Tensor bias = call.tensor("bias");
    if (!bias.isBroadcastableTo(shape))
      return call.fail("the bias does not fit the product");
    auto values = bias.expand(shape).getValues<double>();
    for (size_t i = 0; i < values.size(); ++i)
      (*product)[i] += values[i];
  }
  if (call.has("scale_result")) {
    double scale = call.number("scale_result");
    for (double &value : *product)
      value *= scale;
  }
  return call.set(0, shape, *product);
}

// One product a group. `offs` are the ends of the groups along the dimension
// that is ragged: rows of the left, columns of the right, or, with two
// matrices, the summed one.
static LogicalResult computeGroupedMm(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("mat2");
  if (!call.has("offs"))
    return setProduct(call, a, b);
  std::vector<int64_t> ends = call.tensor("offs").getValues<int64_t>();
  auto groups = static_cast<int64_t>(ends.size());
  int64_t m = a.getDim(-2), k = a.getDim(-1), n = b.getDim(-1);
  bool splitsRows = a.getRank() == 2 && b.getRank() == 3;
  bool splitsColumns = a.getRank() == 3 && b.getRank() == 2;
  bool splitsSum = a.getRank() == 2 && b.getRank() == 2;
  if (!(splitsRows || splitsColumns || splitsSum) || k != b.getDim(-2))
    return call.fail("cannot multiply " + formatShape(a.getShape()) + " by " +
                     formatShape(b.getShape()) + " in groups");
  int64_t limit = splitsRows ? m : splitsColumns ? n : k, begin = 0;
  Shape shape = splitsSum ? Shape{groups, m, n} : Shape{m, n};
  Tensor result(DType::F64, shape);
  for (int64_t group = 0; group < groups; ++group) {
    int64_t end = ends[group], size = end - begin;
    if (size < 0 || end > limit)
      return call.fail("the ends of the groups do not ascend within " +
                       Twine(limit));
    Tensor left = splitsRows      ? a.slice(0, begin, size)
                  : splitsColumns ? a.select(0, group)
                                  : a.slice(1, begin, size);
    Tensor right = splitsRows      ? b.select(0, group)
                   : splitsColumns ? b.slice(1, begin, size)
                                   : b.slice(0, begin, size);
    Shape partShape;
    FailureOr<std::vector<double>> part =
        multiply<double>(call, left, right, partShape);
    if (failed(part))
      return failure();
    Tensor place = splitsRows      ? result.slice(0, begin, size)
                   : splitsColumns ? result.slice(1, begin, size)
                                   : result.select(0, group);
    place.assign(ArrayRef(*part));
    begin = end;
  }
  return call.set(0, result);
}

// Sums over the products of all operands at each assignment of the letters.
static LogicalResult computeEinsum(Call &call) {
  std::string equation = call.text("equation").str();
  llvm::erase(equation, ' ');
  size_t arrow = equation.find("->");
  std::vector<Tensor> operands = call.tensors("tensors");
  if (arrow == std::string::npos || equation.find('.') != std::string::npos)
    return call.fail("expected an equation with '->' and without '...'");
  SmallVector<StringRef> terms;
  StringRef(equation).take_front(arrow).split(terms, ',');
  std::string letters = equation.substr(arrow + 2);
  size_t numKept = letters.size();
  for (char letter : equation.substr(0, arrow))
    if (letter != ',' && letters.find(letter) == std::string::npos)
      letters += letter;
  if (terms.size() != operands.size())
    return call.fail("the equation does not fit the tensors");
  Shape sizes(letters.size(), 1);
  for (auto [term, operand] : llvm::zip(terms, operands)) {
    if (static_cast<int64_t>(term.size()) != operand.getRank())
      return call.fail("the equation does not fit the tensors");
    for (auto [letter, size] : llvm::zip(term, operand.getShape()))
      sizes[letters.find(letter)] = size;
  }
  // Every operand as a view over all letters; repeated ones walk a diagonal.
  std::vector<std::vector<double>> columns;
  for (auto [term, operand] : llvm::zip(terms, operands)) {
    Shape strides(letters.size(), 0);
    for (auto [letter, stride] : llvm::zip(term, operand.getStrides()))
      strides[letters.find(letter)] += stride;
    if (!operand.isInStorage(sizes, strides, operand.getOffset()))
      return call.fail("the sizes of one letter differ");
    columns.push_back(operand.asStrided(sizes, strides, operand.getOffset())
                          .getValues<double>());
  }
  Shape shape(ArrayRef<int64_t>(sizes).take_front(numKept));
  std::vector<double> result(countElements(shape));
  int64_t summed = countElements(ArrayRef(sizes).drop_front(numKept));
  for (size_t i = 0; i < result.size() * summed; ++i) {
    double term = 1;
    for (const std::vector<double> &column : columns)
      term *= column[i];
    result[i / summed] += term;
  }
  return call.set(0, shape, result);
}

static LogicalResult computeCross(Call &call) {
  std::vector<Tensor> operands = {call.tensor("self"), call.tensor("other")};
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim", -1), shape->size());
  if (failed(dim) || (*shape)[*dim] != 3)
    return call.fail("expected a dimension of 3");
  std::vector<double> a = operands[0].expand(*shape).getValues<double>();
  std::vector<double> b = operands[1].expand(*shape).getValues<double>();
  DimSplit split(*shape, *dim);
  std::vector<double> result(a.size());
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i)
      for (int64_t s = 0; s < 3; ++s) {
        int64_t next = split.at(o, (s + 1) % 3, i);
        int64_t last = split.at(o, (s + 2) % 3, i);
        result[split.at(o, s, i)] = a[next] * b[last] - a[last] * b[next];
      }
  return call.set(0, *shape, result);
}

void titan::addMatmulKernels(KernelTable &table) {
  table.add("aten.cross", computeCross);
  table.add({"aten.mm", "aten.bmm"}, computeMm);
  table.add("aten.mv", computeMv);
  table.add("aten.dot", computeDot);
  table.add("aten.addmm", [](Call &call) {
    return setSumWithProduct(call, call.tensor("mat1"), call.tensor("mat2"),
                             false);
  });
  table.add("aten.baddbmm", [](Call &call) {
    return setSumWithProduct(call, call.tensor("batch1"), call.tensor("batch2"),
                             false);
  });
  table.add("aten.addmv", [](Call &call) {
    return setSumWithProduct(call, call.tensor("mat"),
                             call.tensor("vec").unsqueeze(1), true);
  });
  table.add("aten.addr", computeAddr);
  table.add("aten.matmul", computeMatmul);
  table.add("aten.linear", computeLinear);
  table.add("aten._scaled_mm", computeScaledMm);
  table.add("aten._grouped_mm", computeGroupedMm);
  table.add("aten.einsum", computeEinsum);
}
