#include "PartitionTestSupport.h"

#include "titan/Partition/Verify.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

// y = x * keep(x), the mask drawn again in the backward. DEVICE is put into the
// module's attribute.
static std::string getDropout(StringRef device) {
  return ("module attributes {titan.device = \"" + device + "\"} {\n" + R"mlir(
    func.func @joint(
        %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
        %s: index {titan.name = "s", titan.role = #titan.role<input>},
        %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (tensor<4xf32> {titan.name = "y", titan.role = #titan.role<output>},
            tensor<4xf32> {titan.name = "g", titan.role = #titan.role<grad>})
        attributes {titan.joint = 1 : i64} {
      %b = aten.bernoulli.p %x, 0.5 {titan.names = ["b"],
        titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
      %y = aten.mul.Tensor %x, %b {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %g = titan.torch_op "lab.g"(%t, %b, %s) {args = [#titan.arg<0>, #titan.arg<1>, #titan.arg<2>],
        titan.names = ["g"]} : (tensor<4xf32>, tensor<4xf32>, index) -> tensor<4xf32>
      return %y, %g : tensor<4xf32>, tensor<4xf32>
    }
  })mlir")
      .str();
}

static FailureOr<Halves> split(Graph &graph, CompatKind compat) {
  PartitionOptions options;
  options.compat = compat;
  return extractHalves(graph.joint(),
                       graph.plan({"s", "x"}, {"b", "y"}, {"b", "g"}), options);
}

// On the CPU the forward saves the state that it starts from: behind what is
// saved and before the symbols; the backward takes it before the tangents.
TEST_CASE("a saved state gives both draws one answer", "[random]") {
  Graph graph(getDropout("cpu"));
  auto halves = split(graph, CompatKind::Pytorch);
  REQUIRE(succeeded(halves));
  REQUIRE(succeeded(mlir::verify(*graph.module)));
  CHECK(results(halves->forward) ==
        Names{"y:output", "x:saved", "rng_state_output_0:saved", "s:saved"});
  CHECK(arguments(halves->backward) ==
        Names{"s:saved", "x:saved", "rng_state_output_0:saved", "t:tangent"});
  CHECK(body(halves->forward) ==
        Names{"rng_state_output_0, b = higher_order.run_and_save_rng_state(x)",
              "y = aten.mul.Tensor(x, b)",
              "return(y, x, rng_state_output_0, s)"});
  CHECK(body(halves->backward) ==
        Names{"b = higher_order.run_with_rng_state(rng_state_output_0, x)",
              "g = lab.g(t, b, s)", "return(g)"});
  CHECK(succeeded(verifyPartition(halves->forward, halves->backward, nullptr)));
}

// On one CUDA device two generators start alike and advance alike.
TEST_CASE("a CUDA device has two generators", "[random]") {
  Graph graph(getDropout("cuda:0"));
  auto halves = split(graph, CompatKind::Pytorch);
  REQUIRE(succeeded(halves));
  CHECK(arguments(halves->forward) ==
        Names{"x:input", "s:input", "fwd_rng_state_0:seed"});
  CHECK(results(halves->forward) == Names{"y:output", "x:saved", "s:saved"});
  CHECK(arguments(halves->backward) ==
        Names{"s:saved", "x:saved", "t:tangent", "bwd_rng_state_0:seed"});
  CHECK(body(halves->backward)[0] ==
        "b = higher_order.graphsafe_run_with_rng_state(x, bwd_rng_state_0)");
  CHECK(succeeded(verifyPartition(halves->forward, halves->backward, nullptr)));
}

// The wrapped op is an argument, the literals follow it, the state is last.
TEST_CASE("a wrapped op keeps its call", "[random]") {
  Graph graph(getDropout("cuda:0"));
  auto halves = split(graph, CompatKind::Pytorch);
  REQUIRE(succeeded(halves));
  auto op = cast<TorchOp>(&halves->forward.front().front());
  std::string args, kwargs;
  llvm::raw_string_ostream(args) << op.getArgs();
  llvm::raw_string_ostream(kwargs) << *op.getKwargs();
  CHECK(args == "[#titan.python<\"torch.ops.aten.bernoulli.p\">, "
                "#titan.arg<0>, 5.000000e-01]");
  CHECK(kwargs == "#titan.dict<[\"rng_state\", #titan.arg<1>]>");
  CHECK(getPolicy(op) == Policy::MustRecompute);
}

// The verifier is no part of the pairing: it finds what pairing left out.
TEST_CASE("a draw without its state is found", "[random]") {
  Graph graph(getDropout("cpu"));
  graph.value("b").getDefiningOp()->removeAttr(kRecomputeAttr);
  auto halves = split(graph, CompatKind::Pytorch);
  REQUIRE(succeeded(halves));
  CHECK(failed(verifyPartition(halves->forward, halves->backward, nullptr)));
  REQUIRE(!graph.messages.empty());
  CHECK(graph.messages[0] ==
        "'b' draws other random numbers in the backward than in the forward; "
        "give both one state or save it");
}

// Titan's rules pair what runs twice, tag or no tag.
TEST_CASE("no tag is needed for one state", "[random]") {
  Graph graph(getDropout("cpu"));
  graph.value("b").getDefiningOp()->removeAttr(kRecomputeAttr);
  auto halves = split(graph, CompatKind::Titan);
  REQUIRE(succeeded(halves));
  CHECK(succeeded(verifyPartition(halves->forward, halves->backward, nullptr)));
}
