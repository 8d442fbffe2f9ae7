// Floating point operations of attention, worked out by hand: every query
// meets every key of its head, masked or not, a fused multiply-add as two.
#include "titan/Analysis/CostModel.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// The types of a call of an attention op.
struct Tensors {
  std::string query, key, value, out;
};
} // namespace

/// The count of `aten.` \p name. In \p arguments `Q`, `K` and `V` are the
/// operands, `O` anything of the output's shape, `L` the logarithms and `C`
/// the cumulative lengths of three sequences; \p types are the operands' in
/// order, \p results the results'.
static std::optional<int64_t> count(const std::string &name,
                                    const std::string &arguments,
                                    const Tensors &tensors,
                                    const std::string &results) {
  std::string text = "func.func @f(", types, operands;
  SmallVector<std::pair<char, std::string>> inputs = {
      {'Q', tensors.query}, {'K', tensors.key},          {'V', tensors.value},
      {'O', tensors.out},   {'L', "tensor<2x6x10xf32>"}, {'C', "tensor<4xi32>"},
      {'S', "tensor<i64>"}};
  auto separate = [](std::string &list) {
    if (!list.empty())
      list += ", ";
  };
  std::string parameters;
  for (auto &[letter, type] : inputs) {
    separate(parameters);
    parameters += std::string("%") + letter + ": " + type;
  }
  for (char c : arguments) {
    auto *input = llvm::find_if(inputs, [&](auto &i) { return i.first == c; });
    if (input == inputs.end()) {
      operands += c;
      continue;
    }
    operands += std::string("%") + c;
    separate(types);
    types += input->second;
  }
  text += parameters +
          ") {\n%r:" + std::to_string(StringRef(results).count(", ") + 1) +
          " = aten." + name + " " + operands + " : (" + types + ") -> (" +
          results + ")\nreturn\n}";
  MLIRContext context;
  context.loadDialect<func::FuncDialect, TitanDialect, aten::AtenDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  INFO(text);
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  return countFlops(&function.getBody().front().front(), TensorSizes(*module));
}

// [batch, heads, sequence, width]: 6 heads, 10 queries and 12 keys 16 wide,
// values 8 wide.
static Tensors getHeadsFirst() {
  return {"tensor<2x6x10x16xbf16>", "tensor<2x6x12x16xbf16>",
          "tensor<2x6x12x8xbf16>", "tensor<2x6x10x8xbf16>"};
}

// [batch, sequence, heads, width], all 16 wide.
static Tensors getHeadsBehind() {
  return {"tensor<2x10x6x16xbf16>", "tensor<2x12x6x16xbf16>",
          "tensor<2x12x6x16xbf16>", "tensor<2x10x6x16xbf16>"};
}

/// Two operations for each of \p pairs pairs and each place of \p wide products
/// 16 wide and \p narrow products \p width wide.
static int64_t work(int64_t pairs, int64_t wide, int64_t narrow,
                    int64_t width) {
  return 2 * pairs * (wide * 16 + narrow * width);
}

constexpr int64_t kPairs = 2 * 6 * 10 * 12;

static std::string repeat(const std::string &first, unsigned others) {
  std::string results = first;
  for (unsigned i = 0; i < others; ++i)
    results += ", !titan.unknown";
  return results;
}

TEST_CASE("attention's forms of one call take the same work", "[flops]") {
  Tensors t = getHeadsFirst();
  int64_t forward = work(kPairs, 1, 1, 8);
  CHECK(count("_scaled_dot_product_flash_attention", "Q, K, V", t,
              repeat(t.out, 8)) == forward);
  CHECK(count("_scaled_dot_product_efficient_attention", "Q, K, V, none, true",
              t, repeat(t.out, 3)) == forward);
  CHECK(count("_scaled_dot_product_cudnn_attention", "Q, K, V, none, true", t,
              repeat(t.out, 8)) == forward);
  CHECK(count("_scaled_dot_product_attention_math", "Q, K, V", t,
              repeat(t.out, 1)) == forward);
}

// The scores again, the gradients of query and key; those of scores and value.
TEST_CASE("attention's backward has five products", "[flops]") {
  Tensors t = getHeadsFirst();
  std::string gradients = t.query + ", " + t.key + ", " + t.value;
  int64_t backward = work(kPairs, 3, 2, 8);
  CHECK(count("_scaled_dot_product_flash_attention_backward",
              "O, Q, K, V, O, L, none, none, 10, 12, 0.0, false, S, S", t,
              gradients) == backward);
  CHECK(count("_scaled_dot_product_efficient_attention_backward",
              "O, Q, K, V, none, O, L, S, S, 0.0, [true, true, true, false]", t,
              repeat(gradients, 1)) == backward);
  CHECK(count("_scaled_dot_product_cudnn_attention_backward",
              "O, Q, K, V, O, L, S, S, none, none, none, 10, 12, 0.0, false", t,
              gradients) == backward);
}

TEST_CASE("the kernels have the heads behind the sequence", "[flops]") {
  Tensors t = getHeadsBehind();
  int64_t forward = work(kPairs, 1, 1, 16);
  CHECK(count("_flash_attention_forward",
              "Q, K, V, none, none, 10, 12, 0.0, false, false", t,
              repeat(t.out, 4)) == forward);
  CHECK(count("_efficient_attention_forward",
              "Q, K, V, none, none, none, none, none, 0.0, 0", t,
              repeat(t.out, 5)) == forward);
  CHECK(count("_flash_attention_backward",
              "O, Q, K, V, O, L, none, none, 10, 12, 0.0, false, S, S", t,
              t.query + ", " + t.key + ", " + t.value) ==
        work(kPairs, 3, 2, 16));
}

// Three sequences in 20 rows: their lengths are data, so each counts as long
// as the longest.
TEST_CASE("packed sequences count as long as the longest", "[flops]") {
  Tensors t = {"tensor<20x6x16xbf16>", "tensor<20x6x16xbf16>",
               "tensor<20x6x16xbf16>", "tensor<20x6x16xbf16>"};
  CHECK(count("_flash_attention_forward",
              "Q, K, V, C, C, 10, 12, 0.0, false, false", t,
              repeat(t.out, 4)) == work(3 * 6 * 10 * 12, 1, 1, 16));
}
