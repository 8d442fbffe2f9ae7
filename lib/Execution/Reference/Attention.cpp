// Scaled dot product attention in all its overloads: one formula, with the
// names and layouts that each of them has. The backward uses what the forward
// saved (output and log of the sums), as the fused kernels do, but takes their
// rounding errors out, so that the gradients are those of the formula.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

namespace {

/// How an overload names and lays out what all of them have.
struct Form {
  StringLiteral name;
  /// Batch, sequence, heads, features instead of batch, heads, sequence.
  bool sequenceFirst = false;
  StringLiteral biasName = "";
  /// The results that hold the state of the dropout mask, -1 for none; the
  /// first may hold both numbers.
  int seedResult = -1;
  int offsetResult = -1;
  /// The result that holds the probabilities instead of the log of the sums.
  bool returnsWeights = false;
};

/// The operands of one attention.
struct Attention {
  Tensor query, key, value;
  int64_t batch, heads, keyHeads, queries, keys, width, valueWidth;
  Values q, k, v;
  std::optional<Tensor> bias;
  double scale;
  enum { None, TopLeft, BottomRight } causal = None;
  double dropout = 0;
  RandomState state;

  int64_t keyHead(int64_t head) const { return head / (heads / keyHeads); }
  const double *row(const Values &values, int64_t b, int64_t head,
                    int64_t numHeads, int64_t at, int64_t length,
                    int64_t size) const {
    return &values[((b * numHeads + head) * length + at) * size];
  }
  bool isHidden(int64_t query, int64_t key) const {
    int64_t shift = causal == BottomRight ? keys - queries : 0;
    return causal != None && key > query + shift;
  }
  /// What dropout multiplies a probability by.
  double keep(const RandomStream &stream, int64_t b, int64_t head,
              int64_t query, int64_t key) const {
    if (dropout == 0)
      return 1;
    uint64_t at = ((b * heads + head) * queries + query) * keys + key;
    return stream.getUniform(at) < dropout ? 0 : 1 / (1 - dropout);
  }
  /// The probability of a key. A query that sees none gives all of them zero.
  static double getWeight(double score, double logSum) {
    return score == -HUGE_VAL ? 0 : std::exp(score - logSum);
  }
  /// The output of one query.
  void getOutput(const RandomStream &stream, int64_t b, int64_t head,
                 int64_t query, const Values &scores, double logSum,
                 Values &output) const {
    llvm::fill(output, 0);
    for (int64_t at = 0; at < keys; ++at) {
      double weight = getWeight(scores[at], logSum);
      if (weight == 0)
        continue;
      weight *= keep(stream, b, head, query, at);
      const double *from =
          row(v, b, keyHead(head), keyHeads, at, keys, valueWidth);
      for (int64_t i = 0; i < valueWidth; ++i)
        output[i] += weight * from[i];
    }
  }
  /// The scores of one query, minus infinity where a key is hidden.
  void getScores(int64_t b, int64_t head, int64_t query, const Values &added,
                 Values &scores) const {
    const double *left = row(q, b, head, heads, query, queries, width);
    for (int64_t at = 0; at < keys; ++at) {
      const double *right = row(k, b, keyHead(head), keyHeads, at, keys, width);
      double dot = 0;
      for (int64_t i = 0; i < width; ++i)
        dot += left[i] * right[i];
      double addend =
          added.empty()
              ? 0
              : added[((b * heads + head) * queries + query) * keys + at];
      scores[at] = isHidden(query, at) ? -HUGE_VAL : dot * scale + addend;
    }
  }
};

} // namespace

// The log of the sum of the exponentials, minus infinity of nothing.
static double getLogSum(const Values &scores) {
  double top = -HUGE_VAL, total = 0;
  for (double score : scores)
    top = std::max(top, score);
  if (top == -HUGE_VAL)
    return top;
  for (double score : scores)
    total += std::exp(score - top);
  return std::log(total) + top;
}

// What was saved, without the error that storing it as \p dtype made: \p exact
// if that is what was saved.
static double removeRounding(double saved, double exact, DType dtype) {
  double error = saved - roundTo(dtype, exact);
  return std::isfinite(error) ? exact + error : saved;
}

static Tensor toHeadsFirst(const Tensor &tensor, bool sequenceFirst) {
  return sequenceFirst ? tensor.transpose(1, 2) : tensor;
}

static FailureOr<Attention> getAttention(Call &call, const Form &form) {
  Attention attention;
  auto read = [&](StringRef name) {
    return toHeadsFirst(call.tensor(name), form.sequenceFirst);
  };
  for (StringRef name : {"query", "key", "value"})
    if (call.tensor(name).getRank() != 4)
      return call.fail("expected '" + name + "' of 4 dimensions");
  attention.query = read("query");
  attention.key = read("key");
  attention.value = read("value");
  for (StringRef name :
       {"cu_seqlens_q", "cum_seq_q", "alibi_slopes", "seqlen_k", "seqused_k",
        "block_table", "dropout_mask"})
    if (call.has(name))
      return call.fail("'" + name + "' is not known to the reference engine");
  attention.batch = attention.query.getDim(0);
  attention.heads = attention.query.getDim(1);
  attention.keyHeads = attention.key.getDim(1);
  attention.queries = attention.query.getDim(2);
  attention.keys = attention.key.getDim(2);
  attention.width = attention.query.getDim(3);
  attention.valueWidth = attention.value.getDim(3);
  if (attention.keyHeads == 0 || attention.heads % attention.keyHeads ||
      attention.key.getDim(0) != attention.batch ||
      attention.key.getDim(3) != attention.width ||
      attention.value.getDim(0) != attention.batch ||
      attention.value.getDim(1) != attention.keyHeads ||
      attention.value.getDim(2) != attention.keys)
    return call.fail("query, key and value do not fit each other");
  attention.q = attention.query.getValues<double>();
  attention.k = attention.key.getValues<double>();
  attention.v = attention.value.getValues<double>();
  attention.scale =
      call.number("scale", 1 / std::sqrt(static_cast<double>(attention.width)));
  if (!form.biasName.empty() && call.has(form.biasName))
    attention.bias = call.tensor(form.biasName);
  int64_t maskType = call.integer("custom_mask_type");
  bool isFlash =
      call.has("max_q") && !call.has("cum_seq_q") && form.sequenceFirst;
  if (call.flag("is_causal"))
    attention.causal = isFlash ? Attention::BottomRight : Attention::TopLeft;
  else if (maskType == 1)
    attention.causal = Attention::TopLeft;
  else if (maskType == 2)
    attention.causal = Attention::BottomRight;
  attention.dropout = call.number("dropout_p");
  return attention;
}

// The bias for every score; a mask of bool hides where it is false.
static FailureOr<Values> getBias(Call &call, const Form &form,
                                 const Attention &attention) {
  if (!attention.bias)
    return Values();
  int64_t shape[] = {attention.batch, attention.heads, attention.queries,
                     attention.keys};
  if (!attention.bias->isBroadcastableTo(shape))
    return call.fail("a bias of " + formatShape(attention.bias->getShape()) +
                     " does not fit " + formatShape(shape));
  Values bias = attention.bias->expand(shape).getValues<double>();
  // The overload that is all formula adds what it is given.
  if (!form.returnsWeights && attention.bias->getDType() == DType::Bool)
    for (double &value : bias)
      value = value != 0 ? 0 : -HUGE_VAL;
  return bias;
}

// A number a query and head, into a result whose last dimensions may be padded
// or have a 1 behind.
static LogicalResult setRowNumbers(Call &call, unsigned index,
                                   const Attention &attention,
                                   const Values &numbers) {
  if (index >= call.getNumResults() || !call.isWanted(index))
    return success();
  Shape shape = {attention.batch, attention.heads, attention.queries};
  std::optional<Shape> declared = call.getStaticShape(index);
  if (!declared)
    return call.set(index, shape, numbers);
  int64_t room = countElements(*declared);
  if (room == 0)
    return call.set(index, Tensor(call.resultType(index), *declared));
  int64_t perHead = room / std::max<int64_t>(shape[0] * shape[1], 1);
  if (perHead < attention.queries)
    return call.fail("there is no room for the log of the sums");
  // What is padded is infinite, as if a row had been hidden.
  Values padded(room, HUGE_VAL);
  for (auto [at, number] : llvm::enumerate(numbers)) {
    int64_t head = static_cast<int64_t>(at) / attention.queries;
    padded[head * perHead + static_cast<int64_t>(at) % attention.queries] =
        number;
  }
  return call.set(index, *declared, padded);
}

// The state of the mask as the numbers that the backward is given.
static LogicalResult setState(Call &call, const Form &form, RandomState state) {
  auto set = [&](int index, ArrayRef<int64_t> numbers) -> LogicalResult {
    std::optional<Shape> shape =
        index < 0 ? std::nullopt : call.getStaticShape(index);
    if (!shape)
      return success();
    std::vector<int64_t> values(numbers);
    values.resize(countElements(*shape));
    return call.set(index, *shape, values);
  };
  auto seed = static_cast<int64_t>(state.seed);
  auto offset = static_cast<int64_t>(state.offset);
  if (failed(set(form.seedResult, {seed, offset})))
    return failure();
  return set(form.offsetResult, {offset});
}

static LogicalResult computeForward(Call &call, const Form &form) {
  FailureOr<Attention> attention = getAttention(call, form);
  if (failed(attention))
    return failure();
  FailureOr<Values> bias = getBias(call, form, *attention);
  if (failed(bias))
    return failure();
  const Attention &a = *attention;
  if (a.dropout > 0)
    attention->state = call.getInterpreter().takeRandomState();
  RandomStream stream(a.state);
  Values output(a.batch * a.heads * a.queries * a.valueWidth);
  Values logSums(a.batch * a.heads * a.queries), scores(a.keys);
  Values weights, row(a.valueWidth);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t head = 0; head < a.heads; ++head)
      for (int64_t query = 0; query < a.queries; ++query) {
        a.getScores(b, head, query, *bias, scores);
        int64_t at = (b * a.heads + head) * a.queries + query;
        logSums[at] = getLogSum(scores);
        a.getOutput(stream, b, head, query, scores, logSums[at], row);
        llvm::copy(row, output.begin() + at * a.valueWidth);
        for (int64_t key = 0; form.returnsWeights && key < a.keys; ++key)
          weights.push_back(a.getWeight(scores[key], logSums[at]) *
                            a.keep(stream, b, head, query, key));
      }
  Tensor result = Tensor::make(
      DType::F64, {a.batch, a.heads, a.queries, a.valueWidth}, output);
  if (failed(call.set(0, toHeadsFirst(result, form.sequenceFirst))))
    return failure();
  if (form.returnsWeights)
    return call.set(1, {a.batch, a.heads, a.queries, a.keys}, weights);
  if (failed(setRowNumbers(call, 1, a, logSums)))
    return failure();
  return setState(call, form, a.state);
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

static RandomState getState(Call &call) {
  for (StringRef name : {"rng_state", "philox_seed"}) {
    if (!call.has(name))
      continue;
    std::vector<int64_t> numbers = call.tensor(name).getValues<int64_t>();
    if (numbers.empty())
      continue;
    int64_t offset =
        numbers.size() > 1 ? numbers[1] : call.integer("philox_offset", 0);
    return {static_cast<uint64_t>(numbers[0]), static_cast<uint64_t>(offset)};
  }
  return {};
}

// The log of the sums of every query, whatever is padded behind.
static FailureOr<Values> getLogSums(Call &call, const Attention &a) {
  Tensor saved = call.tensor("logsumexp");
  int64_t perHead =
      saved.getNumElements() / std::max<int64_t>(a.batch * a.heads, 1);
  if (perHead < a.queries)
    return call.fail("the log of the sums does not fit the queries");
  Values padded = saved.getValues<double>(), sums;
  for (int64_t at = 0; at < a.batch * a.heads * a.queries; ++at)
    sums.push_back(padded[at / a.queries * perHead + at % a.queries]);
  return sums;
}

static LogicalResult computeBackward(Call &call, const Form &form) {
  FailureOr<Attention> attention = getAttention(call, form);
  if (failed(attention))
    return failure();
  FailureOr<Values> bias = getBias(call, form, *attention);
  FailureOr<Values> logSums = getLogSums(call, *attention);
  if (failed(bias) || failed(logSums))
    return failure();
  const Attention &a = *attention;
  RandomStream stream(getState(call));
  Tensor gradTensor = toHeadsFirst(
      call.tensor(call.has("grad_out_") ? "grad_out_" : "grad_out"),
      form.sequenceFirst);
  Values grad = gradTensor.getValues<double>();
  Values out =
      toHeadsFirst(call.tensor("out"), form.sequenceFirst).getValues<double>();
  auto expected =
      static_cast<size_t>(a.batch * a.heads * a.queries * a.valueWidth);
  if (grad.size() != expected || out.size() != expected)
    return call.fail("the gradient or the output does not fit the query");
  Values gradQ(a.q.size()), gradK(a.k.size()), gradV(a.v.size());
  Values gradBias(a.batch * a.heads * a.queries * a.keys), scores(a.keys);
  Values exact(a.valueWidth);
  DType outType = call.tensor("out").getDType();
  DType logSumType = call.tensor("logsumexp").getDType();
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t head = 0; head < a.heads; ++head)
      for (int64_t query = 0; query < a.queries; ++query) {
        int64_t at = (b * a.heads + head) * a.queries + query;
        const double *g = &grad[at * a.valueWidth];
        const double *o = &out[at * a.valueWidth];
        a.getScores(b, head, query, *bias, scores);
        double logSum = getLogSum(scores);
        a.getOutput(stream, b, head, query, scores, logSum, exact);
        logSum = removeRounding((*logSums)[at], logSum, logSumType);
        double delta = 0;
        for (int64_t i = 0; i < a.valueWidth; ++i)
          delta += g[i] * removeRounding(o[i], exact[i], outType);
        for (int64_t key = 0; key < a.keys; ++key) {
          if (scores[key] == -HUGE_VAL)
            continue;
          double weight = std::exp(scores[key] - logSum);
          double keep = a.keep(stream, b, head, query, key);
          int64_t keyRow = (b * a.keyHeads + a.keyHead(head)) * a.keys + key;
          const double *v = &a.v[keyRow * a.valueWidth];
          double gradWeight = 0;
          for (int64_t i = 0; i < a.valueWidth; ++i) {
            gradWeight += g[i] * v[i];
            gradV[keyRow * a.valueWidth + i] += weight * keep * g[i];
          }
          double gradScore = weight * (gradWeight * keep - delta);
          gradBias[at * a.keys + key] = gradScore;
          for (int64_t i = 0; i < a.width; ++i) {
            gradQ[at * a.width + i] +=
                gradScore * a.scale * a.k[keyRow * a.width + i];
            gradK[keyRow * a.width + i] +=
                gradScore * a.scale * a.q[at * a.width + i];
          }
        }
      }
  auto set = [&](unsigned index, const Tensor &like, const Values &values) {
    if (index >= call.getNumResults())
      return success();
    Tensor result = Tensor::make(DType::F64, like.getShape(), values);
    return call.set(index, toHeadsFirst(result, form.sequenceFirst));
  };
  if (failed(set(0, a.query, gradQ)) || failed(set(1, a.key, gradK)) ||
      failed(set(2, a.value, gradV)))
    return failure();
  if (!a.bias || call.getNumResults() < 4 || !call.isWanted(3))
    return success();
  // A bias that was broadcast gets the sum over what it was broadcast to.
  Tensor biasGrad(DType::F64, a.bias->getShape());
  int64_t full[] = {a.batch, a.heads, a.queries, a.keys};
  Values sums(biasGrad.getNumElements());
  Values places(sums.size());
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = static_cast<double>(i);
  biasGrad.assign(ArrayRef(places));
  for (auto [place, value] :
       llvm::zip(biasGrad.expand(full).getValues<int64_t>(), gradBias))
    sums[place] += value;
  return call.set(3, a.bias->getShape(), sums);
}

void titan::addAttentionKernels(KernelTable &table) {
  static constexpr Form kForwards[] = {
      {"aten._scaled_dot_product_flash_attention", false, "", 6, 7},
      {"aten._scaled_dot_product_flash_attention_for_cpu", false, "attn_mask"},
      {"aten._scaled_dot_product_efficient_attention", false, "attn_bias", 2,
       3},
      {"aten._scaled_dot_product_cudnn_attention", false, "attn_bias", 6, 7},
      {"aten._scaled_dot_product_fused_attention_overrideable", false,
       "attn_bias", 6, 7},
      {"aten._scaled_dot_product_attention_math", false, "attn_mask", -1, -1,
       true},
      {"aten._flash_attention_forward", true, "", 2, 3},
      {"aten._efficient_attention_forward", true, "bias", 2, 3},
  };
  static constexpr Form kBackwards[] = {
      {"aten._scaled_dot_product_flash_attention_backward"},
      {"aten._scaled_dot_product_flash_attention_for_cpu_backward", false,
       "attn_mask"},
      {"aten._scaled_dot_product_efficient_attention_backward", false,
       "attn_bias"},
      {"aten._scaled_dot_product_cudnn_attention_backward", false, "attn_bias"},
      {"aten._scaled_dot_product_fused_attention_overrideable_backward", false,
       "attn_bias"},
      {"aten._flash_attention_backward", true},
      {"aten._efficient_attention_backward", true, "bias"},
  };
  for (const Form &form : kForwards)
    table.add(form.name,
              [&form](Call &call) { return computeForward(call, form); });
  for (const Form &form : kBackwards)
    table.add(form.name,
              [&form](Call &call) { return computeBackward(call, form); });
}
