// What titan.torch_op answers for the ops that it carries.
#include "titan/Dialect/Registration.h"
#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A call of one op with a tensor.
class Carried {
public:
  explicit Carried(StringRef name) {
    DialectRegistry registry;
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = R"mlir(
      func.func @f(%x: tensor<2xf32>) {
        %0 = titan.torch_op ")mlir" +
                       name.str() + R"mlir("(%x) {args = [#titan.arg<0>]}
          : (tensor<2xf32>) -> tensor<2xf32>
        return
      })mlir";
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    module->walk([&](TorchOp found) { op = found; });
  }

  TorchOp op;

private:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_CASE("nothing is assumed of an op that nobody knows", "[dialects]") {
  Carried carried("lab.fused_norm.default");
  CHECK(carried.op.getWorkClass() == WorkClass::Unknown);
  CHECK(carried.op.getFacts() == OpFact::None);
  CHECK(carried.op.getFlopFormula() == FlopFormula::Unknown);
  CHECK_FALSE(carried.op.getAliasedOperand(0));
}

TEST_CASE("higher-order ops answer for what they run", "[dialects]") {
  CHECK(Carried("higher_order.flex_attention").op.getWorkClass() ==
        WorkClass::ComputeHeavy);
  CHECK(Carried("higher_order.cond").op.getWorkClass() == WorkClass::Unknown);
  Carried effects("higher_order.with_effects");
  CHECK(effects.op.getWorkClass() == WorkClass::Effectful);
  CHECK(contains(effects.op.getFacts(), OpFact::Impure));
  CHECK_FALSE(isMemoryEffectFree(effects.op));
  Carried random("higher_order.run_and_save_rng_state");
  CHECK(random.op.getWorkClass() == WorkClass::Random);
  CHECK(contains(random.op.getFacts(), OpFact::Seeded));
}

TEST_CASE("an overload without an op has the facts of its packet",
          "[dialects]") {
  // The first and the last of the sorted tables among them.
  Carried integers("aten.__ixor__.Tensor");
  CHECK(contains(integers.op.getFacts(), OpFact::Recomputable));
  Carried zeta("aten.special_zeta.default");
  CHECK(zeta.op.getWorkClass() == WorkClass::Pointwise);
  Carried names("aten.mean.names_dim");
  CHECK(names.op.getWorkClass() == WorkClass::Reduction);
  CHECK(contains(names.op.getFacts(), OpFact::Recomputable));
  Carried split("aten.split.sizes");
  CHECK(split.op.getWorkClass() == WorkClass::View);
  CHECK(contains(split.op.getFacts(), OpFact::CutView));
  CHECK(split.op.getAliasedOperand(0) == 0u);
}

TEST_CASE("an in-place op writes, whatever its packet", "[dialects]") {
  Carried relu("aten.relu_.default");
  CHECK(relu.op.getWorkClass() == WorkClass::Effectful);
  CHECK(contains(relu.op.getFacts(), OpFact::Mutable));
  CHECK(relu.op.getAliasedOperand(0) == 0u);
  CHECK_FALSE(isMemoryEffectFree(relu.op));
}

TEST_CASE("a foreign collective is one", "[dialects]") {
  Carried combine("deepep.combine.default");
  CHECK(combine.op.getWorkClass() == WorkClass::Collective);
  CHECK_FALSE(isMemoryEffectFree(combine.op));
  Carried send("_c10d_functional.isend.default");
  CHECK(send.op.getWorkClass() == WorkClass::Collective);
  CHECK(contains(send.op.getFacts(), OpFact::Impure));
}
