#include "PartitionTestSupport.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

// Two recomputed chains, one for each gradient; the later gradient comes first.
// In between stands a recomputed value that both want.
static const char *const kChains = R"mlir(
  func.func @joint(
      %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
      %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "g2"})
      attributes {titan.joint = 1 : i64} {
    %a = aten.sin %x {titan.names = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
    %b = aten.cos %x {titan.names = ["b"]} : (tensor<4xf32>) -> tensor<4xf32>
    %c = aten.cos %b {titan.names = ["c"]} : (tensor<4xf32>) -> tensor<4xf32>
    %y = aten.mul.Tensor %a, %c {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g1 = aten.mul.Tensor %t, %c {titan.names = ["g1"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g2 = aten.mul.Tensor %g1, %a {titan.names = ["g2"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %g2 : tensor<4xf32>, tensor<4xf32>
  })mlir";

TEST_CASE("each chain runs when its gradient comes", "[order]") {
  Graph graph(kChains);
  auto halves = extractHalves(
      graph.joint(),
      graph.plan({"x"}, {"a", "b", "c", "y"}, {"a", "b", "c", "g1", "g2"}), {});
  REQUIRE(succeeded(halves));
  CHECK(body(halves->backward) ==
        Names{"b = aten.cos(x)", "c = aten.cos(b)",
              "g1 = aten.mul.Tensor(t, c)", "a = aten.sin(x)",
              "g2 = aten.mul.Tensor(g1, a)", "return(g2)"});
}

// Nothing reads a tangent: there is no engine to mimic.
TEST_CASE("without tangents the joint order stays", "[order]") {
  Graph graph(R"mlir(
    func.func @joint(
        %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
        %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "h"})
        attributes {titan.joint = 1 : i64} {
      %y = aten.sin %x {titan.names = ["y"]} : (tensor<4xf32>) -> tensor<4xf32>
      %g = aten.cos %x {titan.names = ["g"]} : (tensor<4xf32>) -> tensor<4xf32>
      %h = aten.cos %x {titan.names = ["h"]} : (tensor<4xf32>) -> tensor<4xf32>
      return %y, %h : tensor<4xf32>, tensor<4xf32>
    })mlir");
  auto halves =
      extractHalves(graph.joint(), graph.plan({"x"}, {"y"}, {"g", "h"}), {});
  REQUIRE(succeeded(halves));
  CHECK(body(halves->backward) ==
        Names{"g = aten.cos(x)", "h = aten.cos(x)", "return(h)"});
}

// A write to an input that stands above all gradients and that nothing reads.
static const char *const kEarlyWrite = R"mlir(
  func.func @joint(
      %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
      %buf: tensor<4xf32> {titan.name = "buf", titan.role = #titan.role<buffer>},
      %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "g2"})
      attributes {titan.joint = 1 : i64} {
    %y = aten.sin %x {titan.names = ["y"]} : (tensor<4xf32>) -> tensor<4xf32>
    %r = aten.cos %buf {titan.names = ["r"]} : (tensor<4xf32>) -> tensor<4xf32>
    %w = aten.copy_ %buf, %x {titan.names = ["w"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g1 = aten.mul.Tensor %t, %x {titan.names = ["g1"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %g2 = aten.mul.Tensor %g1, %r {titan.names = ["g2"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %g2 : tensor<4xf32>, tensor<4xf32>
  })mlir";

static Names orderEarlyWrite(CompatKind compat) {
  Graph graph(kEarlyWrite);
  PartitionOptions options;
  options.compat = compat;
  auto halves = extractHalves(
      graph.joint(), graph.plan({"x", "buf"}, {"y"}, {"r", "w", "g1", "g2"}),
      options);
  REQUIRE(succeeded(halves));
  return body(halves->backward);
}

// PyTorch keeps the write in front, and so moves the read of the old value
// behind it.
TEST_CASE("a write in front of the backward is kept", "[order]") {
  CHECK(orderEarlyWrite(CompatKind::Pytorch) ==
        Names{"w = aten.copy_(buf, x)", "g1 = aten.mul.Tensor(t, x)",
              "r = aten.cos(buf)", "g2 = aten.mul.Tensor(g1, r)",
              "return(g2)"});
}

TEST_CASE("a read stays before the write that follows it", "[order]") {
  CHECK(orderEarlyWrite(CompatKind::Titan) ==
        Names{"r = aten.cos(buf)", "w = aten.copy_(buf, x)",
              "g1 = aten.mul.Tensor(t, x)", "g2 = aten.mul.Tensor(g1, r)",
              "return(g2)"});
}

// A wait that nothing reads, in front of all gradients: PyTorch's pass forgets
// it together with its gather, Titan's does not.
static Names orderDeadWait(CompatKind compat) {
  Graph graph(R"mlir(
    func.func @joint(
        %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
        %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "g"})
        attributes {titan.joint = 1 : i64} {
      %y = aten.sin %x {titan.names = ["y"]} : (tensor<4xf32>) -> tensor<4xf32>
      %ar = c10d.all_reduce %x, "sum", "0" {titan.names = ["ar"]} : (tensor<4xf32>) -> tensor<4xf32>
      %w = c10d.wait_tensor %ar {titan.names = ["w"]} : (tensor<4xf32>) -> tensor<4xf32>
      %g = aten.mul.Tensor %t, %x {titan.names = ["g"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %y, %g : tensor<4xf32>, tensor<4xf32>
    })mlir");
  PartitionOptions options;
  options.compat = compat;
  auto halves = extractHalves(
      graph.joint(), graph.plan({"x"}, {"y"}, {"ar", "w", "g"}), options);
  REQUIRE(succeeded(halves));
  return body(halves->backward);
}

TEST_CASE("effects that nothing reads", "[order]") {
  CHECK(orderDeadWait(CompatKind::Pytorch) ==
        Names{"g = aten.mul.Tensor(t, x)", "return(g)"});
  CHECK(orderDeadWait(CompatKind::Titan) ==
        Names{"ar = c10d.all_reduce(x)", "w = c10d.wait_tensor(ar)",
              "g = aten.mul.Tensor(t, x)", "return(g)"});
}

// In a step graph there is no tangent; its backward begins with the first op
// that is marked, the seed, not with the first that only it has.
TEST_CASE("a step graph begins its backward at the seed", "[order]") {
  Graph graph(R"mlir(
    func.func @joint(
        %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>})
        -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "g2"})
        attributes {titan.joint = 1 : i64, titan.graph_kind = "step"} {
      %a = aten.sin %x {titan.names = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
      %u = aten.neg %x {titan.names = ["u"]} : (tensor<4xf32>) -> tensor<4xf32>
      %y = aten.cos %a {titan.names = ["y"]} : (tensor<4xf32>) -> tensor<4xf32>
      %seed = aten.ones_like %x {titan.names = ["seed"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
      %g1 = aten.mul.Tensor %seed, %u {titan.names = ["g1"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %g2 = aten.mul.Tensor %g1, %a {titan.names = ["g2"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %y, %g2 : tensor<4xf32>, tensor<4xf32>
    })mlir");
  auto halves = extractHalves(
      graph.joint(),
      graph.plan({"x"}, {"a", "y"}, {"a", "u", "seed", "g1", "g2"}), {});
  REQUIRE(succeeded(halves));
  CHECK(body(halves->backward) ==
        Names{"seed = aten.ones_like(x)", "u = aten.neg(x)",
              "g1 = aten.mul.Tensor(seed, u)", "a = aten.sin(x)",
              "g2 = aten.mul.Tensor(g1, a)", "return(g2)"});
}
