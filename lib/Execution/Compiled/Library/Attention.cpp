// Attention on the CPU, computed in f32: for each block of queries, two
// products around a softmax of the scores of the keys that the block sees, so
// that what is causal costs half. Threads divide heads and blocks of the
// forward, and heads of the backward, whose gradients of keys and values grow
// block by block in order.
#include "Gemm.h"
#include "LibraryKernels.h"
#include "Softmax.h"

#include "titan/Execution/Threads.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

static constexpr int64_t kBlock = 64;

namespace {
/// The operands of one attention, [batch, heads, sequence, width].
struct Heads {
  Tensor query, key, value;
  int64_t batch, heads, queries, keys, width, valueWidth;
  float scale;
  bool isCausal;

  int64_t getNumBlocks() const { return (queries + kBlock - 1) / kBlock; }
  int64_t getEnd(int64_t first) const {
    return std::min(first + kBlock, queries);
  }
  /// How many keys the query at \p row sees.
  int64_t getVisible(int64_t row) const {
    return isCausal ? std::min(row + 1, keys) : keys;
  }
};

/// A tensor [batch, heads, sequence, width] that lies in memory as [batch,
/// sequence, heads, width], which is how it is read next.
class Output {
public:
  explicit Output(ArrayRef<int64_t> shape)
      : tensor(Tensor(DType::F32, {shape[0], shape[2], shape[1], shape[3]})
                   .transpose(1, 2)) {}
  /// The row of \p head, counted through all batches.
  float *getRow(int64_t head, int64_t row) const {
    int64_t b = head / tensor.getDim(1), h = head % tensor.getDim(1);
    return reinterpret_cast<float *>(tensor.getData()) +
           b * tensor.getStrides()[0] + h * tensor.getStrides()[1] +
           row * getStride();
  }
  int64_t getStride() const { return tensor.getStrides()[2]; }
  const Tensor &get() const { return tensor; }

private:
  Tensor tensor;
};
} // namespace

// Rows [first, end) of a head, counted through all batches.
static Matrix getRows(const Tensor &tensor, int64_t head, int64_t first,
                      int64_t end) {
  int64_t heads = tensor.getDim(1);
  int64_t offset = head / heads * tensor.getStrides()[0] +
                   head % heads * tensor.getStrides()[1];
  return *getMatrix(tensor.slice(2, first, end - first), offset);
}

static std::optional<Tensor> getOperand(Call &call, StringRef name) {
  const auto *given = call.get(name).getIf<Tensor>();
  if (!given || given->getRank() != 4 || given->getNumElements() == 0)
    return std::nullopt;
  DType dtype = given->getDType();
  if (dtype != DType::F32 && dtype != DType::BF16 && dtype != DType::F16)
    return std::nullopt;
  Tensor wide = given->to(DType::F32);
  return getMatrix(wide) ? wide : wide.contiguous();
}

// None unless there is neither mask nor dropout, and heads are as many.
static std::optional<Heads> getHeads(Call &call) {
  std::optional<Tensor> query = getOperand(call, "query");
  std::optional<Tensor> key = getOperand(call, "key");
  std::optional<Tensor> value = getOperand(call, "value");
  if (!query || !key || !value || call.has("attn_mask") ||
      call.number("dropout_p") != 0)
    return std::nullopt;
  Heads heads;
  heads.query = *query;
  heads.key = *key;
  heads.value = *value;
  heads.batch = query->getDim(0);
  heads.heads = query->getDim(1);
  heads.queries = query->getDim(2);
  heads.keys = key->getDim(2);
  heads.width = query->getDim(3);
  heads.valueWidth = value->getDim(3);
  for (const Tensor *other : {&*key, &*value})
    if (other->getDim(0) != heads.batch || other->getDim(1) != heads.heads ||
        other->getDim(2) != heads.keys)
      return std::nullopt;
  if (key->getDim(3) != heads.width)
    return std::nullopt;
  heads.scale =
      call.number("scale", 1 / std::sqrt(static_cast<double>(heads.width)));
  heads.isCausal = call.flag("is_causal");
  return heads;
}

// The probabilities of queries [first, end) of a head, a row of \p seen keys
// each; the logs of the sums go to \p logSums unless null.
static Matrix getProbabilities(const Heads &heads, int64_t head, int64_t first,
                               int64_t end, std::vector<float> &storage,
                               float *logSums) {
  int64_t seen = heads.getVisible(end - 1);
  multiply(getRows(heads.query, head, first, end),
           getRows(heads.key, head, 0, seen).transposed(), heads.scale, 0,
           storage.data(), seen);
  for (int64_t row = first; row < end; ++row) {
    float *scores = &storage[(row - first) * seen];
    int64_t visible = heads.getVisible(row);
    double logSum = applySoftmax(scores, visible);
    std::fill(scores + visible, scores + seen, 0.0f);
    if (logSums)
      logSums[head * heads.queries + row] = static_cast<float>(logSum);
  }
  return {storage.data(), end - first, seen, seen, false};
}

static std::optional<LogicalResult> computeForward(Call &call) {
  std::optional<Heads> heads = getHeads(call);
  if (!heads)
    return std::nullopt;
  Output output(
      {heads->batch, heads->heads, heads->queries, heads->valueWidth});
  Tensor logSums(DType::F32, {heads->batch, heads->heads, heads->queries});
  auto *logSum = reinterpret_cast<float *>(logSums.getData());
  int64_t numBlocks = heads->getNumBlocks();
  parallelFor(
      heads->batch * heads->heads * numBlocks, 1,
      [&](int64_t begin, int64_t stop) {
        std::vector<float> scores(kBlock * heads->keys);
        for (int64_t at = begin; at < stop; ++at) {
          int64_t head = at / numBlocks, first = at % numBlocks * kBlock;
          Matrix weights = getProbabilities(
              *heads, head, first, heads->getEnd(first), scores, logSum);
          multiply(weights, getRows(heads->value, head, 0, weights.columns), 1,
                   0, output.getRow(head, first), output.getStride());
        }
      });
  if (failed(call.set(0, output.get())))
    return failure();
  if (call.getNumResults() > 1 && call.isWanted(1))
    return call.set(1, logSums);
  return success();
}

static std::optional<LogicalResult> computeBackward(Call &call) {
  std::optional<Heads> heads = getHeads(call);
  std::optional<Tensor> gradOut = getOperand(call, "grad_out");
  if (!heads || !gradOut)
    return std::nullopt;
  if (gradOut->getShape() != ArrayRef<int64_t>{heads->batch, heads->heads,
                                               heads->queries,
                                               heads->valueWidth})
    return std::nullopt;
  Output dQuery(heads->query.getShape()), dKey(heads->key.getShape());
  Output dValue(heads->value.getShape());
  parallelFor(heads->batch * heads->heads, 1, [&](int64_t begin, int64_t stop) {
    std::vector<float> scores(kBlock * heads->keys);
    std::vector<float> grads(kBlock * heads->keys);
    for (int64_t head = begin; head < stop; ++head)
      for (int64_t first = 0; first < heads->queries; first += kBlock) {
        int64_t end = heads->getEnd(first);
        Matrix weights = getProbabilities(*heads, head, first, end, scores,
                                          /*logSums=*/nullptr);
        int64_t seen = weights.columns;
        Matrix grad = getRows(*gradOut, head, first, end);
        // What a gradient starts with is zero.
        multiply(weights.transposed(), grad, 1, 1, dValue.getRow(head, 0),
                 dValue.getStride());
        multiply(grad, getRows(heads->value, head, 0, seen).transposed(), 1, 0,
                 grads.data(), seen);
        for (int64_t row = 0; row < end - first; ++row)
          applySoftmaxBackward(&scores[row * seen], &grads[row * seen], seen);
        Matrix dScores{grads.data(), end - first, seen, seen, false};
        multiply(dScores, getRows(heads->key, head, 0, seen), heads->scale, 0,
                 dQuery.getRow(head, first), dQuery.getStride());
        multiply(dScores.transposed(), getRows(heads->query, head, first, end),
                 heads->scale, 1, dKey.getRow(head, 0), dKey.getStride());
      }
  });
  for (auto [index, output] :
       llvm::enumerate(std::array{&dQuery, &dKey, &dValue}))
    if (index < call.getNumResults() && call.isWanted(index) &&
        failed(call.set(index, output->get())))
      return failure();
  return success();
}

void titan::addLibraryAttention(KernelTable &table) {
  addInFront(table, "aten._scaled_dot_product_flash_attention_for_cpu",
             computeForward);
  addInFront(table, "aten._scaled_dot_product_flash_attention_for_cpu_backward",
             computeBackward);
}
