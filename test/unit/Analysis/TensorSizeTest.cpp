#include "titan/Analysis/JointGraph.h"

#include "../Partition/PartitionTestSupport.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

static const char *const kGraph = R"mlir(
  module attributes {titan.dynamic = {s0 = 6 : i64}} {
  func.func @joint(%n: index {titan.name = "n", titan.role = #titan.role<input>},
                   %x: tensor<4x?xbf16> {titan.name = "x", titan.role = #titan.role<param>,
                       titan.layout = #titan.layout<shape = [4, "2*s0"]>},
                   %u: tensor<?xf32> {titan.name = "u", titan.role = #titan.role<input>},
                   %b: tensor<8xi1> {titan.name = "b", titan.role = #titan.role<input>},
                   %t: tensor<8xcomplex<f32>> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<2xf32>, tensor<8xcomplex<f32>>) attributes {titan.joint = 1 : i64} {
    %p, %q = titan.torch_op "lab.pair"(%x, %x, %b) {args = [#titan.arg<0>, [#titan.arg<1>], #titan.arg<2>],
      titan.names = ["p", "q"], titan.tuple_name = "pair"}
      : (tensor<4x?xbf16>, tensor<4x?xbf16>, tensor<8xi1>) -> (tensor<2xf32>, tensor<3xf32>)
    return %p, %t : tensor<2xf32>, tensor<8xcomplex<f32>>
  }})mlir";

TEST_CASE("bytes are elements times item size", "[sizes]") {
  Graph graph(kGraph);
  TensorSizes sizes(*graph.module);
  CHECK(sizes.getBytes(graph.value("x")) == 4 * 12 * 2);
  CHECK(sizes.getBytes(graph.value("u")) == 4096 * 4); // no hint
  CHECK(sizes.getBytes(graph.value("b")) == 8);
  CHECK(sizes.getBytes(graph.value("t")) == 64);
  CHECK(sizes.getBytes(graph.value("n")) == 1);
}

TEST_CASE("a tuple is a node, and so is each element that is read",
          "[joint-graph]") {
  Graph graph(kGraph);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  REQUIRE(view.size() == 7);
  CHECK(view[5].kind == NodeKind::Tuple);
  CHECK(view[5].bytes == 2 * 4 + 3 * 4);
  CHECK(view.getName(5) == "pair");
  // x counts once among the inputs; in a list it is no positional argument.
  CHECK(view.getInputs(5) == llvm::ArrayRef<uint32_t>{1, 3});
  CHECK(view.getPositionalInputs(5) == llvm::ArrayRef<uint32_t>{1, 3});
  CHECK(view[6].kind == NodeKind::Element);
  CHECK(view[6].producer == 5);
  CHECK(view.getUsers(5) == llvm::ArrayRef<uint32_t>{6});
  CHECK(view[6].forwardUses == 1);
  CHECK(view[4].gradientUses == 1);
  CHECK(view[1].isStatic);
  CHECK(view[4].argument == ArgumentKind::Tangent);
  CHECK_FALSE(view.lookup(graph.value("p").getDefiningOp()->getResult(1)));
}
