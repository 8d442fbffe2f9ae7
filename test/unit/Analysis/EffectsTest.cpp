#include "titan/Analysis/Effects.h"

#include "titan/Dialect/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A function with one op, given as text.
struct OneOp {
  explicit OneOp(const std::string &op) {
    DialectRegistry registry;
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<2x4x8x16xf32>) {\n" + op + "\nreturn\n}",
        &context);
    REQUIRE(module);
    function = *module->getOps<func::FuncOp>().begin();
  }
  Operation *get() { return &function.front().front(); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};
} // namespace

static std::string attend(const std::string &dropout) {
  return "%0:4 = aten._scaled_dot_product_efficient_attention %x, %x, %x, "
         "none, true, " +
         dropout +
         " : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, "
         "tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, "
         "tensor<i64>, tensor<i64>)";
}

TEST_CASE("attention without dropout draws nothing", "[effects]") {
  CHECK_FALSE(drawsRandom(OneOp(attend("0.0")).get()));
  CHECK(drawsRandom(OneOp(attend("0.1")).get()));
}

TEST_CASE("a draw is no effect that the world can see", "[effects]") {
  OneOp op("%0 = aten.bernoulli.p %x, 0.5 : (tensor<2x4x8x16xf32>) -> "
           "tensor<2x4x8x16xf32>");
  CHECK(drawsRandom(op.get()));
  CHECK_FALSE(hasVisibleEffect(op.get()));
}

TEST_CASE("a write is to the operand that the schema marks", "[effects]") {
  OneOp op("%0 = aten.copy_ %x, %x : (tensor<2x4x8x16xf32>, "
           "tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>");
  SmallVector<OpOperand *> mutated = getMutatedOperands(op.get());
  REQUIRE(mutated.size() == 1);
  CHECK(mutated.front()->getOperandNumber() == 0);
  CHECK(hasVisibleEffect(op.get()));
}

TEST_CASE("a collective is seen by other ranks", "[effects]") {
  OneOp op("%0 = c10d.all_reduce %x, \"sum\", \"0\" : "
           "(tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>");
  CHECK(hasVisibleEffect(op.get()));
  CHECK_FALSE(mutatesOperand(op.get()));
}
