// Tensors from no tensor's elements.
#include "titan/Execution/Kernel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

// The shape of the result: `size`, or that of `self` for the `_like` ops.
static Shape getShapeArgument(Call &call) {
  if (call.has("size"))
    return call.integers("size");
  if (call.has("self"))
    return Shape(call.tensor("self").getShape());
  return {};
}

static FailureOr<Shape> getCheckedShape(Call &call) {
  Shape shape = getShapeArgument(call);
  // More than any graph of ours needs, and less than what overflows.
  constexpr int64_t kMostElements = int64_t(1) << 34;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return call.fail("a size of " + Twine(size) + " is negative");
    if (size != 0 && count > kMostElements / size)
      return call.fail("a tensor of " + formatShape(shape) + " is too large");
    count *= size;
  }
  return shape;
}

// All elements are \p value, rounded to the type of the result.
static LogicalResult fill(Call &call, const RuntimeValue &value) {
  FailureOr<Shape> shape = getCheckedShape(call);
  if (failed(shape))
    return failure();
  Tensor result(call.resultType(), *shape);
  Call source(call.getInterpreter(), call.getOperation(), call.getName(), {});
  source.addArgument("value", value);
  result.assign(source.tensor("value"));
  return call.set(0, result);
}

static LogicalResult computeScalarTensor(Call &call) {
  return call.set(0, call.tensor("s").to(call.resultType()).clone());
}

// start, start + step, ...: computed in f64 for floats, as PyTorch does.
static LogicalResult computeArange(Call &call) {
  DType dtype = call.resultType();
  if (isInteger(dtype)) {
    int64_t start = call.integer("start"), end = call.integer("end");
    int64_t step = call.integer("step", 1);
    if (step == 0 || (end - start) / step < 0)
      return call.fail("the step does not lead to the end");
    std::vector<int64_t> values;
    for (int64_t value = start; step > 0 ? value < end : value > end;
         value += step)
      values.push_back(value);
    return call.set(0, {static_cast<int64_t>(values.size())}, values);
  }
  double start = call.number("start"), end = call.number("end");
  double step = call.number("step", 1);
  double count = std::ceil((end - start) / step);
  if (!(count >= 0 && count < 0x1p40))
    return call.fail("the step does not lead to the end");
  std::vector<double> values(static_cast<size_t>(count));
  for (auto [index, value] : llvm::enumerate(values))
    value = start + static_cast<double>(index) * step;
  return call.set(0, {static_cast<int64_t>(values.size())}, values);
}

static LogicalResult computeIota(Call &call) {
  std::vector<int64_t> values(std::max<int64_t>(call.integer("length"), 0));
  for (auto [index, value] : llvm::enumerate(values))
    value = call.integer("start") +
            static_cast<int64_t>(index) * call.integer("step", 1);
  return call.set(0, {static_cast<int64_t>(values.size())}, values);
}

static LogicalResult computeLinspace(Call &call) {
  double start = call.scalar("start"), end = call.scalar("end");
  int64_t steps = std::max<int64_t>(call.integer("steps"), 0);
  std::vector<double> values(steps);
  double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  // From both ends, so that either is exact.
  for (int64_t i = 0; i < steps; ++i)
    values[i] = i < steps / 2 ? start + step * static_cast<double>(i)
                              : end - step * static_cast<double>(steps - i - 1);
  if (steps == 1)
    values[0] = start;
  return call.set(0, {steps}, values);
}

static LogicalResult computeEye(Call &call) {
  int64_t rows = std::max<int64_t>(call.integer("n"), 0);
  int64_t columns = std::max<int64_t>(call.integer("m", rows), 0);
  std::vector<double> values(rows * columns);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    values[i * columns + i] = 1;
  return call.set(0, {rows, columns}, values);
}

// The places on and under (above) a diagonal, row by row.
static LogicalResult computeTriangleIndices(Call &call, bool isLower) {
  std::vector<int64_t> rows, columns;
  for (int64_t row = 0; row < call.integer("row"); ++row)
    for (int64_t column = 0; column < call.integer("col"); ++column) {
      int64_t distance = column - row - call.integer("offset");
      if (isLower ? distance > 0 : distance < 0)
        continue;
      rows.push_back(row);
      columns.push_back(column);
    }
  auto count = static_cast<int64_t>(rows.size());
  rows.insert(rows.end(), columns.begin(), columns.end());
  return call.set(0, {2, count}, rows);
}

static LogicalResult computeEmptyStrided(Call &call) {
  FailureOr<Shape> shape = getCheckedShape(call);
  Shape strides = call.integers("stride");
  if (failed(shape) || strides.size() != shape->size())
    return call.fail("expected a stride for each size");
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return call.fail("a stride is negative");
  return call.set(0, Tensor(call.resultType(), *shape, strides));
}

// The elements of `src` in the shape and type of `self`.
static LogicalResult computeCopy(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("src");
  if (!source.isBroadcastableTo(self.getShape()))
    return call.fail("cannot copy " + formatShape(source.getShape()) +
                     " into " + formatShape(self.getShape()));
  Tensor result(call.resultType(), self.getShape());
  result.assign(source.to(self.getDType()));
  return call.set(0, result);
}

void titan::addCreationKernels(KernelTable &table) {
  auto fillWith = [](double value) {
    return [value](Call &call) { return fill(call, value); };
  };
  table.add({"aten.zeros", "aten.zeros_like", "aten.new_zeros", "aten.zero",
             // What nobody has written is zero here, so that runs agree.
             "aten.empty", "aten.empty_like", "aten.new_empty"},
            fillWith(0));
  table.add({"aten.ones", "aten.ones_like", "aten.new_ones"}, fillWith(1));
  table.add({"aten.full", "aten.full_like", "aten.new_full"},
            [](Call &call) { return fill(call, call.get("fill_value")); });
  table.add("aten.fill",
            [](Call &call) { return fill(call, call.get("value")); });
  table.add({"aten.new_empty_strided", "aten.empty_strided"},
            computeEmptyStrided);
  table.add("aten.scalar_tensor", computeScalarTensor);
  table.add("aten.arange", computeArange);
  table.add("prims.iota", computeIota);
  table.add("aten.linspace", computeLinspace);
  table.add("aten.eye", computeEye);
  table.add("aten.tril_indices",
            [](Call &call) { return computeTriangleIndices(call, true); });
  table.add("aten.triu_indices",
            [](Call &call) { return computeTriangleIndices(call, false); });
  table.add("aten.copy", computeCopy);
}
