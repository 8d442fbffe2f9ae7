// Loops over subgraphs, against values worked out by hand.
#include "titan/Dialect/Registration.h"
#include "titan/Execution/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

using Doubles = std::vector<double>;

// The results of the first function of \p text on \p arguments.
static std::vector<Doubles> runFirst(const std::string &text,
                                     RankValues arguments) {
  DialectRegistry registry;
  registerTitanDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  Interpreter interpreter({1, 0}, {});
  auto function = *module->getOps<func::FuncOp>().begin();
  REQUIRE(succeeded(interpreter.checkSupported(function)));
  auto values = interpreter.run(function, std::move(arguments));
  REQUIRE(succeeded(values));
  std::vector<Doubles> results;
  for (const RuntimeValue &value : *values)
    results.push_back(value.getIf<Tensor>()->getValues<double>());
  return results;
}

static Tensor f32(ArrayRef<int64_t> shape, const Doubles &values) {
  return Tensor::make(DType::F32, shape, values);
}

// c' = 2 c + x, y = c x: from c = 1 over 3, 4, 5 c is 5, 14, 33.
TEST_CASE("scan carries one value and keeps another", "[loops]") {
  auto results = runFirst(R"(
func.func @f(%c: tensor<f32>, %x: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  %0:2 = titan.torch_op "higher_order.scan"(%c, %x) {args = [@step, [#titan.arg<0>], [#titan.arg<1>], []]}
      : (tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<3xf32>
}
func.func private @step(%c: tensor<f32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = aten.add.Tensor %x, %c, alpha = 2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = aten.mul.Tensor %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
})",
                          {f32({}, {1}), f32({3}, {3, 4, 5})});
  CHECK(results[0] == Doubles{33});
  CHECK(results[1] == Doubles{3, 20, 70});
}

TEST_CASE("associative_scan keeps every partial result", "[loops]") {
  auto results = runFirst(R"(
func.func @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = titan.torch_op "higher_order.associative_scan"(%x) {args = [@product, [#titan.arg<0>], []]}
      : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
func.func private @product(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = aten.mul.Tensor %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                          {f32({3, 2}, {2, 3, 5, 7, 11, 13})});
  CHECK(results[0] == Doubles{2, 3, 10, 21, 110, 273});
}

TEST_CASE("map calls its subgraph on every element", "[loops]") {
  auto results = runFirst(R"(
func.func @f(%x: tensor<2x2xf32>, %w: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = titan.torch_op "higher_order.map_impl"(%x, %w) {args = [@each, [#titan.arg<0>], [#titan.arg<1>]]}
      : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @each(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %0 = aten.sub.Tensor %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                          {f32({2, 2}, {1, 2, 3, 4}), f32({2}, {10, 20})});
  CHECK(results[0] == Doubles{-9, -18, -7, -16});
}

TEST_CASE("while_loop runs its body while the condition holds", "[loops]") {
  auto results = runFirst(R"(
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = titan.torch_op "higher_order.while_loop"(%x) {args = [@small, @double, [#titan.arg<0>], []]}
      : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @small(%x: tensor<f32>) -> tensor<i1> {
  %0 = aten.lt.Scalar %x, 100 : (tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @double(%x: tensor<f32>) -> tensor<f32> {
  %0 = aten.mul.Tensor %x, 2 : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})",
                          {f32({}, {3})});
  CHECK(results[0] == Doubles{192});
}
