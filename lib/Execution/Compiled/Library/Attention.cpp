// Attention on the CPU in f32: two products a head around a softmax whose
// exponentials are taken in f64. A head's scores are kept whole, which is as
// much memory as sequences have that a CPU computes.
#include "Gemm.h"
#include "LibraryKernels.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// The operands of one attention, [batch, heads, sequence, width].
struct Heads {
  Tensor query, key, value;
  int64_t batch, heads, queries, keys, width, valueWidth;
  float scale;
  bool isCausal;

  /// How many keys the query at \p row sees.
  int64_t getVisible(int64_t row) const {
    return isCausal ? std::min(row + 1, keys) : keys;
  }
};
} // namespace

static Matrix getHead(const Tensor &tensor, int64_t b, int64_t h) {
  return *getMatrix(tensor,
                    b * tensor.getStrides()[0] + h * tensor.getStrides()[1]);
}

static float *getHeadData(Tensor &tensor, int64_t b, int64_t h) {
  return reinterpret_cast<float *>(tensor.getData()) +
         (b * tensor.getDim(1) + h) * tensor.getDim(2) * tensor.getDim(3);
}

// None unless all is f32 without mask and dropout, and heads are as many.
static std::optional<Heads> getHeads(Call &call) {
  Heads heads;
  Tensor *const tensors[] = {&heads.query, &heads.key, &heads.value};
  for (auto [name, tensor] :
       llvm::zip_equal(ArrayRef<StringRef>{"query", "key", "value"},
                       ArrayRef<Tensor *>(tensors))) {
    const auto *given = call.get(name).getIf<Tensor>();
    if (!given || given->getDType() != DType::F32 || given->getRank() != 4 ||
        given->getNumElements() == 0)
      return std::nullopt;
    *tensor = getMatrix(*given) ? *given : given->contiguous();
  }
  if (call.has("attn_mask") || call.number("dropout_p") != 0)
    return std::nullopt;
  heads.batch = heads.query.getDim(0);
  heads.heads = heads.query.getDim(1);
  heads.queries = heads.query.getDim(2);
  heads.keys = heads.key.getDim(2);
  heads.width = heads.query.getDim(3);
  heads.valueWidth = heads.value.getDim(3);
  for (const Tensor *other : {&heads.key, &heads.value})
    if (other->getDim(0) != heads.batch || other->getDim(1) != heads.heads ||
        other->getDim(2) != heads.keys)
      return std::nullopt;
  if (heads.key.getDim(3) != heads.width)
    return std::nullopt;
  heads.scale =
      call.number("scale", 1 / std::sqrt(static_cast<double>(heads.width)));
  heads.isCausal = call.flag("is_causal");
  return heads;
}

// Turns a row of scores into probabilities; returns the log of the sum.
static double applySoftmax(float *row, int64_t visible, int64_t count) {
  float top = -HUGE_VALF;
  for (int64_t i = 0; i < visible; ++i)
    top = std::max(top, row[i]);
  double total = 0;
  for (int64_t i = 0; i < visible; ++i) {
    double weight = std::exp(static_cast<double>(row[i]) - top);
    total += weight;
    row[i] = static_cast<float>(weight);
  }
  double factor = 1 / total;
  for (int64_t i = 0; i < visible; ++i)
    row[i] = static_cast<float>(row[i] * factor);
  std::fill(row + visible, row + count, 0.0f);
  return std::log(total) + top;
}

static std::optional<LogicalResult> computeForward(Call &call) {
  std::optional<Heads> heads = getHeads(call);
  if (!heads)
    return std::nullopt;
  auto [batch, count, queries, keys] =
      std::tuple(heads->batch, heads->heads, heads->queries, heads->keys);
  Tensor output(DType::F32, {batch, count, queries, heads->valueWidth});
  Tensor logSums(DType::F32, {batch, count, queries});
  auto *logSum = reinterpret_cast<float *>(logSums.getData());
  std::vector<float> scores(queries * keys);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < count; ++h) {
      multiply(getHead(heads->query, b, h),
               getHead(heads->key, b, h).transposed(), heads->scale, 0,
               scores.data(), keys);
      for (int64_t row = 0; row < queries; ++row)
        logSum[(b * count + h) * queries + row] = static_cast<float>(
            applySoftmax(&scores[row * keys], heads->getVisible(row), keys));
      multiply({scores.data(), queries, keys, keys, false},
               getHead(heads->value, b, h), 1, 0, getHeadData(output, b, h),
               heads->valueWidth);
    }
  if (failed(call.set(0, output)))
    return failure();
  if (call.getNumResults() > 1 && call.isWanted(1))
    return call.set(1, logSums);
  return success();
}

// The gradient of the scores, from the probabilities and their gradient.
static void applySoftmaxBackward(const float *weights, float *grad,
                                 int64_t count) {
  double shared = 0;
  for (int64_t i = 0; i < count; ++i)
    shared += static_cast<double>(weights[i]) * grad[i];
  for (int64_t i = 0; i < count; ++i)
    grad[i] = static_cast<float>(weights[i] * (grad[i] - shared));
}

static std::optional<LogicalResult> computeBackward(Call &call) {
  std::optional<Heads> heads = getHeads(call);
  const auto *given = call.get("grad_out").getIf<Tensor>();
  if (!heads || !given || given->getDType() != DType::F32 ||
      given->getRank() != 4)
    return std::nullopt;
  Tensor gradOut = getMatrix(*given) ? *given : given->contiguous();
  int64_t queries = heads->queries, keys = heads->keys;
  Tensor dQuery(DType::F32, heads->query.getShape());
  Tensor dKey(DType::F32, heads->key.getShape());
  Tensor dValue(DType::F32, heads->value.getShape());
  std::vector<float> weights(queries * keys), grads(queries * keys);
  Matrix p{weights.data(), queries, keys, keys, false};
  Matrix ds{grads.data(), queries, keys, keys, false};
  for (int64_t b = 0; b < heads->batch; ++b)
    for (int64_t h = 0; h < heads->heads; ++h) {
      Matrix q = getHead(heads->query, b, h), k = getHead(heads->key, b, h);
      Matrix v = getHead(heads->value, b, h), g = getHead(gradOut, b, h);
      multiply(q, k.transposed(), heads->scale, 0, weights.data(), keys);
      for (int64_t row = 0; row < queries; ++row)
        (void)applySoftmax(&weights[row * keys], heads->getVisible(row), keys);
      multiply(p.transposed(), g, 1, 0, getHeadData(dValue, b, h),
               heads->valueWidth);
      multiply(g, v.transposed(), 1, 0, grads.data(), keys);
      for (int64_t row = 0; row < queries; ++row)
        applySoftmaxBackward(&weights[row * keys], &grads[row * keys], keys);
      multiply(ds, k, heads->scale, 0, getHeadData(dQuery, b, h), heads->width);
      multiply(ds.transposed(), q, heads->scale, 0, getHeadData(dKey, b, h),
               heads->width);
    }
  for (auto [index, tensor] : llvm::enumerate(std::array{dQuery, dKey, dValue}))
    if (call.isWanted(index) && failed(call.set(index, tensor)))
      return failure();
  return success();
}

void titan::addLibraryAttention(KernelTable &table) {
  addInFront(table, "aten._scaled_dot_product_flash_attention_for_cpu",
             computeForward);
  addInFront(table, "aten._scaled_dot_product_flash_attention_for_cpu_backward",
             computeBackward);
}
