#include "titan/Analysis/Tags.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

TEST_CASE("tags come in graph order, tuples before their elements", "[tags]") {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, TitanDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    func.func @joint(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = titan.torch_op "lab.one.default"(%x) {args = [#titan.arg<0>],
        titan.names = ["one"], titan.recompute = #titan.policy<must_save>,
        titan.ac_graph_id = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = titan.torch_op "lab.untagged.default"(%0) {args = [#titan.arg<0>],
        titan.names = ["untagged"]} : (tensor<4xf32>) -> tensor<4xf32>
      %2:2 = titan.torch_op "lab.two.default"(%1) {args = [#titan.arg<0>],
        titan.names = ["getitem", "getitem_1"], titan.tuple_name = "two",
        titan.recompute = #titan.policy<prefer_recompute>,
        titan.result_recompute = [#titan.none, #titan.policy<must_recompute>],
        titan.result_ac_graph_id = [#titan.none, 100000 : i64]}
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      titan.torch_op "lab.check.default"(%2#0) {args = [#titan.arg<0>],
        titan.tuple_name = "check", titan.ac_graph_id = 0 : i64}
        : (tensor<4xf32>) -> ()
      return %2#1 : tensor<4xf32>
    })",
                                            &context);
  REQUIRE(module);
  auto joint = *module->getOps<FunctionOpInterface>().begin();
  std::vector<NodeTag> tags = collectTags(joint);
  REQUIRE(tags.size() == 4);
  CHECK(tags[0].name == "one");
  CHECK(tags[0].policy == Policy::MustSave);
  CHECK(tags[0].acGraphId == 3);
  CHECK(tags[1].name == "two");
  CHECK(tags[1].policy == Policy::PreferRecompute);
  CHECK_FALSE(tags[1].acGraphId.has_value());
  CHECK(tags[2].name == "getitem_1");
  CHECK(tags[2].policy == Policy::MustRecompute);
  CHECK(tags[2].acGraphId == 100000);
  CHECK(tags[3].name == "check");
  CHECK(getTorchPolicyName(tags[3].policy) == "PREFER_RECOMPUTE");
}
