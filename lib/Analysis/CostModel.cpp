// The formulas of torch/utils/flop_counter.py, on types; the shapes that they
// need are read off operands and results, so no op is asked for by name.
#include "titan/Analysis/CostModel.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// Counts with the sizes of one module.
class FlopCounter {
public:
  FlopCounter(Operation *op, const TensorSizes &sizes) : op(op), sizes(sizes) {}

  std::optional<int64_t> count(FlopFormula formula) const;

private:
  /// The dimensions of \p value with hints for symbols; empty for no tensor.
  SmallVector<int64_t> getShape(Value value) const;
  int64_t getResultElements() const;
  std::optional<int64_t> countMatmul() const;
  std::optional<int64_t> countConvolution() const;
  std::optional<int64_t> countConvolutionBackward() const;
  std::optional<int64_t> countAttention(unsigned query, int64_t products) const;
  std::optional<int64_t> countGroupedMatmul() const;

  Operation *op;
  const TensorSizes &sizes;
};
} // namespace

SmallVector<int64_t> FlopCounter::getShape(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  SmallVector<int64_t> shape(type.getShape());
  LayoutAttr layout = getLayout(value);
  ArrayAttr symbols = layout ? layout.getShape() : ArrayAttr();
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    size = kDefaultSymbolHint;
    if (symbols && i < symbols.size())
      if (auto text = dyn_cast<StringAttr>(symbols[i]))
        size = sizes.evaluate(text.getValue()).value_or(kDefaultSymbolHint);
  }
  return shape;
}

int64_t FlopCounter::getResultElements() const {
  int64_t elements = 0;
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      elements = std::max(elements, sizes.getNumElements(result));
  return elements;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

std::optional<int64_t> FlopCounter::countMatmul() const {
  // Biases and scales stand around the factors; the factors are the first
  // neighbours whose inner dimensions agree and whose outer ones the result
  // has.
  if (op->getNumResults() == 0)
    return std::nullopt;
  SmallVector<int64_t> result = getShape(op->getResult(0));
  for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i) {
    SmallVector<int64_t> left = getShape(op->getOperand(i));
    SmallVector<int64_t> right = getShape(op->getOperand(i + 1));
    if (left.empty() || right.empty() || right.size() > left.size())
      continue;
    int64_t inner = left.back();
    bool isVector = right.size() == 1;
    if (inner != (isVector ? right.back() : right[right.size() - 2]))
      continue;
    int64_t outer = product(left) / std::max<int64_t>(inner, 1) *
                    (isVector ? 1 : right.back());
    if (outer == product(result))
      return 2 * outer * inner;
  }
  return std::nullopt;
}

std::optional<int64_t> FlopCounter::countConvolution() const {
  if (op->getNumOperands() < 2)
    return std::nullopt;
  SmallVector<int64_t> weight = getShape(op->getOperand(1));
  if (weight.size() < 3)
    return std::nullopt;
  bool transposed = isa<TorchOpInterface>(op) &&
                    CallView(op).getBool("transposed", /*otherwise=*/false);
  int64_t places =
      transposed ? product(getShape(op->getOperand(0))) : getResultElements();
  return 2 * places * product(ArrayRef(weight).drop_front());
}

std::optional<int64_t> FlopCounter::countConvolutionBackward() const {
  if (op->getNumOperands() < 3)
    return std::nullopt;
  SmallVector<int64_t> weight = getShape(op->getOperand(2));
  if (weight.size() < 3)
    return std::nullopt;
  bool transposed = isa<TorchOpInterface>(op) &&
                    CallView(op).getBool("transposed", /*otherwise=*/false);
  Value counted = op->getOperand(transposed ? 1 : 0);
  int64_t once =
      2 * product(getShape(counted)) * product(ArrayRef(weight).drop_front());
  // The gradients of input and weight; that of the bias is a sum.
  int64_t wanted = llvm::count_if(op->getResults().take_front(2),
                                  [](Value v) { return !v.use_empty(); });
  return once * wanted;
}

std::optional<int64_t> FlopCounter::countAttention(unsigned query,
                                                   int64_t products) const {
  if (op->getNumOperands() < query + 3)
    return std::nullopt;
  SmallVector<int64_t> q = getShape(op->getOperand(query));
  SmallVector<int64_t> k = getShape(op->getOperand(query + 1));
  if (q.size() < 3 || k.size() != q.size())
    return std::nullopt;
  // [.., sq, d] and [.., sk, d]: each product is 2 .. sq sk d.
  return 2 * product(q) * k[k.size() - 2] * products;
}

std::optional<int64_t> FlopCounter::countGroupedMatmul() const {
  if (op->getNumOperands() < 2)
    return std::nullopt;
  SmallVector<int64_t> left = getShape(op->getOperand(0));
  if (left.empty())
    return std::nullopt;
  return 2 * getResultElements() * left.back();
}

std::optional<int64_t> FlopCounter::count(FlopFormula formula) const {
  switch (formula) {
  case FlopFormula::Elements:
    return getResultElements();
  case FlopFormula::None:
    return 0;
  case FlopFormula::Matmul:
    return countMatmul();
  case FlopFormula::Convolution:
    return countConvolution();
  case FlopFormula::ConvolutionBackward:
    return countConvolutionBackward();
  case FlopFormula::Attention:
    return countAttention(/*query=*/0, /*products=*/2);
  case FlopFormula::AttentionBackward:
    // Four products of gradients, and the scores once more.
    return countAttention(/*query=*/1, /*products=*/5);
  case FlopFormula::GroupedMatmul:
    return countGroupedMatmul();
  case FlopFormula::Unknown:
    return std::nullopt;
  }
  llvm_unreachable("not a formula");
}

std::optional<int64_t> mlir::titan::countFlops(Operation *op,
                                               const TensorSizes &sizes) {
  auto cost = dyn_cast<CostOpInterface>(op);
  if (!cost)
    return std::nullopt;
  return FlopCounter(op, sizes).count(cost.getFlopFormula());
}
