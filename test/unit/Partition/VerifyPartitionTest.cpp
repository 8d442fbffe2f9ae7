// What the verifier finds when it knows the joint function. The rules that it
// can check without are in test/Transforms/verify-partition.mlir.
#include "PartitionTestSupport.h"

#include "titan/Partition/Verify.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

// Two gathers, each used at once; the backward asks for x and t only.
static const char *const kGathers = R"mlir(
  func.func @joint(
      %x: tensor<2xf32> {titan.name = "x", titan.role = #titan.role<param>},
      %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<4xf32> {titan.name = "y", titan.role = #titan.role<output>},
          tensor<4xf32> {titan.name = "g", titan.role = #titan.role<grad>})
      attributes {titan.joint = 1 : i64} {
    %a = c10d.all_gather_into_tensor %x, 2, "0" {titan.names = ["a"]} : (tensor<2xf32>) -> tensor<4xf32>
    %wa = c10d.wait_tensor %a {titan.names = ["wa"]} : (tensor<4xf32>) -> tensor<4xf32>
    %b = c10d.all_gather_into_tensor %x, 2, "1" {titan.names = ["b"]} : (tensor<2xf32>) -> tensor<4xf32>
    %wb = c10d.wait_tensor %b {titan.names = ["wb"]} : (tensor<4xf32>) -> tensor<4xf32>
    %y = aten.add.Tensor %wa, %wb {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g = aten.mul.Tensor %t, %wa {titan.names = ["g"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %g : tensor<4xf32>, tensor<4xf32>
  })mlir";

namespace {
struct Split {
  explicit Split(const Names &backward = {"g"}, const Names &saved = {"wa"})
      : graph(kGathers), record(recordJoint(graph.joint())) {
    auto made = extractHalves(
        graph.joint(), graph.plan(saved, {"a", "wa", "b", "wb", "y"}, backward),
        {});
    REQUIRE(succeeded(made));
    halves = *made;
  }
  Operation *find(func::FuncOp function, StringRef name) {
    for (Operation &op : function.front())
      if (op.getNumResults() && getSourceName(op.getResult(0)) == name)
        return &op;
    FAIL("no op " << name.str());
    return nullptr;
  }
  bool verify() {
    return succeeded(verifyPartition(halves.forward, halves.backward, &record));
  }

  Graph graph;
  JointRecord record;
  Halves halves;
};
} // namespace

TEST_CASE("a good partition passes", "[verify]") { CHECK(Split().verify()); }

// P4: the plan runs a gather twice that no tag asks for.
TEST_CASE("a collective in both functions needs a tag", "[verify]") {
  Split split({"a", "wa", "g"}, {"x"});
  CHECK_FALSE(split.verify());
  REQUIRE(split.graph.messages.size() == 5);
  CHECK(split.graph.messages[0] ==
        "'a' has an effect and runs in both functions, but no tag asks to "
        "recompute it");
  CHECK(split.graph.messages[1] == "here it runs in the forward");
  CHECK(split.graph.messages[2] ==
        "'wa' has an effect and runs in both functions, but no tag asks to "
        "recompute it");
  CHECK(split.graph.messages[4] ==
        "the partition breaks its contract in 2 places");
}

// P7: results.
TEST_CASE("outputs are the joint function's", "[verify]") {
  Split split;
  split.record.gradients[0].name = "other";
  CHECK_FALSE(split.verify());
  CHECK(split.graph.messages[0] ==
        "result 0 of 'backward' is 'g' at position 1, expected 'other' at "
        "position 1 ('tensor<4xf32>')");
}

TEST_CASE("no output is lost", "[verify]") {
  Split split;
  split.record.outputs.push_back(split.record.outputs[0]);
  CHECK_FALSE(split.verify());
  CHECK(split.graph.messages[0] ==
        "'forward' returns 1 results of the joint function, expected 2");
}

// P8: an effect that is in neither function.
TEST_CASE("no effect is lost", "[verify]") {
  Split split;
  Operation *wait = split.find(split.halves.forward, "wb");
  wait->getResult(0).replaceAllUsesWith(wait->getOperand(0));
  wait->erase();
  CHECK_FALSE(split.verify());
  CHECK(split.graph.messages[0] ==
        "'wb' has an effect and runs in no function");
}

// P9: the order of collectives.
TEST_CASE("collectives keep their order", "[verify]") {
  Split split;
  Operation *first = split.find(split.halves.forward, "a");
  Operation *second = split.find(split.halves.forward, "b");
  second->moveBefore(first);
  CHECK_FALSE(split.verify());
  CHECK(split.graph.messages[0] ==
        "collective 'a' runs after 'b', but before it in the joint function");
}

// A gather that only a dead wait reads may go.
TEST_CASE("a dead collective is no loss", "[verify]") {
  Split split;
  split.record.effects[2].isDead = true;
  split.record.effects[3].isDead = true;
  for (StringRef name : {"wb", "b"}) {
    Operation *op = split.find(split.halves.forward, name);
    op->getResult(0).replaceAllUsesWith(
        split.find(split.halves.forward, "wa")->getResult(0));
    op->erase();
  }
  CHECK(split.verify());
}
