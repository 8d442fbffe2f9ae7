// The formulas of torch/utils/flop_counter.py, on types; the shapes that they
// need are read off operands and results, so no op is asked for by name. Where
// those count what is never computed (every pair of channels of a grouped
// convolution's weight gradient, heads for positions in the memory-efficient
// kernels), the arithmetic decides.
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
  std::optional<int64_t> countAttention(unsigned query, int64_t queryProducts,
                                        int64_t valueProducts) const;
  /// The pairs of query and key in all heads of an attention kernel on
  /// [batch, sequence, heads, width], or on packed sequences.
  std::optional<int64_t> countKernelScores(const CallView &call,
                                           ArrayRef<int64_t> query,
                                           ArrayRef<int64_t> key) const;
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

/// The multiplications of \p left by a factor whose inner dimension is
/// \p inner wide and which gives each row of \p left \p columns results; none
/// if that is not \p elements results in all.
static std::optional<int64_t> countProduct(ArrayRef<int64_t> left,
                                           int64_t inner, int64_t columns,
                                           int64_t elements) {
  if (left.back() != inner ||
      product(left) / std::max<int64_t>(inner, 1) * columns != elements)
    return std::nullopt;
  return elements * inner;
}

std::optional<int64_t> FlopCounter::countMatmul() const {
  // Biases and scales stand around the factors; the factors are the first
  // neighbours whose inner dimensions agree and whose outer ones the result
  // has. A layer's weight is the right factor transposed (aten.linear).
  if (op->getNumResults() == 0)
    return std::nullopt;
  SmallVector<int64_t> result = getShape(op->getResult(0));
  int64_t elements = product(result);
  // A bias with one row can have as many products as there are results; only
  // the right factor is as wide as the result.
  auto isWide = [&](int64_t columns) {
    return !result.empty() && result.back() == columns;
  };
  for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i) {
    SmallVector<int64_t> left = getShape(op->getOperand(i));
    SmallVector<int64_t> right = getShape(op->getOperand(i + 1));
    if (left.empty() || right.empty() || right.size() > left.size())
      continue;
    std::optional<int64_t> count;
    if (right.size() == 1)
      count = countProduct(left, right.back(), 1, elements);
    else if (isWide(right.back()))
      count =
          countProduct(left, right[right.size() - 2], right.back(), elements);
    if (!count && right.size() == 2 && isWide(right.front()))
      count = countProduct(left, right.back(), right.front(), elements);
    if (count)
      return 2 * *count;
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

/// The literal of parameter \p name, a list of flags.
static std::optional<ArrayRef<bool>> getMask(Operation *op, StringRef name) {
  if (!isa<TorchOpInterface>(op))
    return std::nullopt;
  CallView call(op);
  std::optional<unsigned> index = call.find(name);
  if (!index)
    return std::nullopt;
  auto mask = dyn_cast_or_null<DenseBoolArrayAttr>(call.getAttribute(*index));
  if (!mask || mask.size() < 2)
    return std::nullopt;
  return mask.asArrayRef();
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
  // The gradients of input and weight; that of the bias is a sum. What the
  // mask asks for is computed, used or not.
  if (std::optional<ArrayRef<bool>> mask = getMask(op, "output_mask"))
    return once * llvm::count(mask->take_front(2), true);
  return once * llvm::count_if(op->getResults().take_front(2),
                               [](Value v) { return !v.use_empty(); });
}

/// The operand of the first of \p names that \p call's schema has, or null.
static Value getFirst(const CallView &call, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (call.find(name))
      return call.getValue(name);
  return {};
}

/// The literal of the first of \p names that \p call's schema has.
static std::optional<int64_t> getFirstInt(const CallView &call,
                                          ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (call.find(name))
      return call.getInt(name);
  return std::nullopt;
}

std::optional<int64_t>
FlopCounter::countKernelScores(const CallView &call, ArrayRef<int64_t> query,
                               ArrayRef<int64_t> key) const {
  int64_t heads = query[query.size() - 2];
  Value offsets = getFirst(call, {"cum_seq_q", "cu_seqlens_q"});
  SmallVector<int64_t> bounds;
  if (offsets)
    bounds = getShape(offsets);
  if (bounds.empty()) {
    if (query.size() != 4)
      return std::nullopt;
    return query[0] * heads * query[1] * key[1];
  }
  // Lengths are data; each sequence may be as long as the longest.
  std::optional<int64_t> longest = getFirstInt(call, {"max_q", "max_seqlen_q"});
  std::optional<int64_t> keys = getFirstInt(call, {"max_k", "max_seqlen_k"});
  if (!longest || !keys)
    return std::nullopt;
  return std::max<int64_t>(bounds[0] - 1, 0) * heads * *longest * *keys;
}

/// Attention of the operands from \p query on: query, key, value. Its products
/// of scores with queries or keys are \p queryProducts many, those with values
/// or their gradients \p valueProducts.
std::optional<int64_t>
FlopCounter::countAttention(unsigned query, int64_t queryProducts,
                            int64_t valueProducts) const {
  if (op->getNumOperands() < query + 3)
    return std::nullopt;
  SmallVector<int64_t> q = getShape(op->getOperand(query));
  SmallVector<int64_t> k = getShape(op->getOperand(query + 1));
  SmallVector<int64_t> v = getShape(op->getOperand(query + 2));
  if (q.size() < 3 || k.size() != q.size() || v.size() != q.size())
    return std::nullopt;
  // [.., sq, dq], [.., sk, dq] and [.., sk, dv].
  std::optional<int64_t> scores =
      product(ArrayRef(q).drop_back()) * k[k.size() - 2];
  // The kernels below scaled_dot_product_attention, which alone can be limited
  // to a window, have the heads behind the sequence.
  if (isa<TorchOpInterface>(op)) {
    CallView call(op);
    if (call.find("window_size") || call.find("window_size_left"))
      scores = countKernelScores(call, q, k);
  }
  if (!scores)
    return std::nullopt;
  return 2 * *scores * (queryProducts * q.back() + valueProducts * v.back());
}

std::optional<int64_t> FlopCounter::countGroupedMatmul() const {
  if (op->getNumOperands() < 2)
    return std::nullopt;
  SmallVector<int64_t> left = getShape(op->getOperand(0));
  SmallVector<int64_t> right = getShape(op->getOperand(1));
  if (left.empty() || right.empty())
    return std::nullopt;
  // Two matrices are divided along the inner dimension: each group's product
  // has its share of it, all of them together one product's work.
  if (left.size() == 2 && right.size() == 2)
    return 2 * product(left) * right.back();
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
    return countAttention(/*query=*/0, /*queryProducts=*/1,
                          /*valueProducts=*/1);
  case FlopFormula::AttentionBackward:
    // The scores once more and the gradients of query and key; the gradients of
    // the scores and of the value.
    return countAttention(/*query=*/1, /*queryProducts=*/3,
                          /*valueProducts=*/2);
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
