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
