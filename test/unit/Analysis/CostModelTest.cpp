// Floating point operations worked out by hand, a fused multiply-add as two.
#include "titan/Analysis/CostModel.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

/// The count of the only op of \p text that has results.
static std::optional<int64_t> count(const std::string &text) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, TitanDialect, aten::AtenDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  return countFlops(&function.getBody().front().front(), TensorSizes(*module));
}

TEST_CASE("a product takes two operations for each pair", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
      %0 = aten.mm %a, %b : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
      return %0 : tensor<3x7xf32>
    })mlir") == 2 * 3 * 5 * 7);
  CHECK(count(R"mlir(
    func.func @f(%a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>) -> tensor<2x3x7xf32> {
      %0 = aten.bmm %a, %b : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x3x7xf32>
      return %0 : tensor<2x3x7xf32>
    })mlir") == 2 * 2 * 3 * 5 * 7);
  // The bias stands in front, and its addition is not counted.
  CHECK(count(R"mlir(
    func.func @f(%c: tensor<7xf32>, %a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
      %0 = aten.addmm %c, %a, %b : (tensor<7xf32>, tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
      return %0 : tensor<3x7xf32>
    })mlir") == 2 * 3 * 5 * 7);
}

TEST_CASE("a layer's weight is the right factor transposed", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%x: tensor<2x3x5xf32>, %w: tensor<7x5xf32>) -> tensor<2x3x7xf32> {
      %0 = aten.linear %x, %w : (tensor<2x3x5xf32>, tensor<7x5xf32>) -> tensor<2x3x7xf32>
      return %0 : tensor<2x3x7xf32>
    })mlir") == 2 * 2 * 3 * 5 * 7);
}

// 4 x 6 x 8 x 8 results, each a sum over 2 channels of a group and 3 x 3
// places.
TEST_CASE("a convolution reads its window once a result", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%x: tensor<4x4x8x8xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<4x6x8x8xf32> {
      %0 = aten.convolution %x, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 2 : (tensor<4x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<4x6x8x8xf32>
      return %0 : tensor<4x6x8x8xf32>
    })mlir") == 2 * (4 * 6 * 8 * 8) * (2 * 3 * 3));
}

// Queries and keys are 16 wide, values 8, as in deepseek_v3.
TEST_CASE("attention multiplies with values of their own width", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%q: tensor<2x3x10x16xf32>, %k: tensor<2x3x12x16xf32>, %v: tensor<2x3x12x8xf32>)
        -> tensor<2x3x10x8xf32> {
      %0, %1 = aten._scaled_dot_product_flash_attention_for_cpu %q, %k, %v : (tensor<2x3x10x16xf32>, tensor<2x3x12x16xf32>, tensor<2x3x12x8xf32>) -> (tensor<2x3x10x8xf32>, tensor<2x3x10xf32>)
      return %0 : tensor<2x3x10x8xf32>
    })mlir") == 2 * (2 * 3 * 10 * 12) * (16 + 8));
}

TEST_CASE("the addend of a product is not one of its factors", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%c: tensor<7xf32>, %a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>) -> tensor<2x3x7xf32> {
      %0 = aten.baddbmm %c, %a, %b : (tensor<7xf32>, tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x3x7xf32>
      return %0 : tensor<2x3x7xf32>
    })mlir") == 2 * 2 * 3 * 5 * 7);
  // One row of addends by the left factor would be as many results.
  CHECK(count(R"mlir(
    func.func @f(%c: tensor<1x2xf32>, %a: tensor<2x4xf32>, %b: tensor<4x2xf32>) -> tensor<2x2xf32> {
      %0 = aten.addmm %c, %a, %b : (tensor<1x2xf32>, tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    })mlir") == 2 * 2 * 4 * 2);
}

/// The count of a product of \p left and \p right, in groups where four
/// offsets say so.
static std::optional<int64_t> countGrouped(const std::string &left,
                                           const std::string &right,
                                           bool offsets,
                                           const std::string &result) {
  auto tensor = [](const std::string &shape) {
    return "tensor<" + shape + "xbf16>";
  };
  std::string types = tensor(left) + ", " + tensor(right);
  return count("func.func @f(%a: " + tensor(left) + ", %b: " + tensor(right) +
               ", %o: tensor<4xi32>) -> " + tensor(result) +
               " {\n%0 = aten._grouped_mm %a, %b" +
               (offsets ? ", %o : (" + types + ", tensor<4xi32>)"
                        : " : (" + types + ")") +
               " -> " + tensor(result) + "\nreturn %0 : " + tensor(result) +
               "\n}");
}

// The groups are shares of 16 rows, 8 columns or 32 places in the inner
// dimension; only with two rank-3 factors has each group a whole product.
TEST_CASE("groups share one product", "[flops]") {
  int64_t once = 2 * 16 * 32 * 8;
  CHECK(countGrouped("16x32", "4x32x8", true, "16x8") == once);
  CHECK(countGrouped("4x16x32", "32x8", true, "16x8") == once);
  CHECK(countGrouped("16x32", "32x8", true, "4x16x8") == once);
  CHECK(countGrouped("4x16x32", "4x32x8", false, "4x16x8") == 4 * once);
}

/// The count of the backward of a convolution of 4 images of 4 channels to 6
/// channels, \p groups groups, with a 3 x 3 window on 8 x 8 places.
static std::optional<int64_t> countImages(int64_t groups,
                                          const std::string &mask) {
  std::string weight = "tensor<6x" + std::to_string(4 / groups) + "x3x3xf32>";
  auto result = [&](unsigned place, const std::string &type) {
    SmallVector<StringRef> flags;
    StringRef(mask).split(flags, ", ");
    return flags[place] == "true" ? type : "!titan.unknown";
  };
  return count(
      "func.func @f(%g: tensor<4x6x8x8xf32>, %x: tensor<4x4x8x8xf32>, %w: " +
      weight +
      ") {\n%0:3 = aten.convolution_backward %g, %x, %w, [6], [1, 1], [1, 1], "
      "[1, 1], false, [0, 0], " +
      std::to_string(groups) + ", [" + mask +
      "] : (tensor<4x6x8x8xf32>, tensor<4x4x8x8xf32>, " + weight + ") -> (" +
      result(0, "tensor<4x4x8x8xf32>") + ", " + result(1, weight) + ", " +
      result(2, "tensor<6xf32>") + ")\nreturn\n}");
}

TEST_CASE("a convolution's backward counts the gradients it makes", "[flops]") {
  // Each of 4 x 6 x 8 x 8 gradients meets a window of 4 channels, once for the
  // input and once for the weight. The results have no uses here.
  int64_t once = 2 * (4 * 6 * 8 * 8) * (4 * 3 * 3);
  CHECK(countImages(1, "true, true, true") == 2 * once);
  CHECK(countImages(1, "true, true, false") == 2 * once);
  CHECK(countImages(1, "true, false, true") == once);
  CHECK(countImages(1, "true, false, false") == once);
  CHECK(countImages(1, "false, true, true") == once);
  CHECK(countImages(1, "false, true, false") == once);
  CHECK(countImages(1, "false, false, true") == 0);
  CHECK(countImages(1, "false, false, false") == 0);
  // A channel of two groups meets half of the channels, in both gradients.
  CHECK(countImages(2, "true, false, false") == once / 2);
  CHECK(countImages(2, "false, true, false") == once / 2);
}

// 2 x 4 x 5 inputs, each spread over 3 channels and 3 places.
TEST_CASE("a transposed convolution's backward counts its inputs", "[flops]") {
  CHECK(count(R"mlir(
    func.func @f(%g: tensor<2x3x11xf32>, %x: tensor<2x4x5xf32>, %w: tensor<4x3x3xf32>) {
      %0:3 = aten.convolution_backward %g, %x, %w, [3], [2], [0], [1], true, [0], 1, [true, true, false] : (tensor<2x3x11xf32>, tensor<2x4x5xf32>, tensor<4x3x3xf32>) -> (tensor<2x4x5xf32>, tensor<4x3x3xf32>, !titan.unknown)
      return
    })mlir") == 2 * (2 * (2 * 4 * 5) * (3 * 3)));
}
