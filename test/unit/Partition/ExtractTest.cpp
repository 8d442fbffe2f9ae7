#include "PartitionTestSupport.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

// The first worked example of the specification: two products with a relu
// between them, the first saved, the relu recomputed.
static const char *const kTwoProducts = R"mlir(
  func.func @joint(
      %a: tensor<4x4xf32> {titan.name = "a", titan.role = #titan.role<param>,
                           titan.desc = "ParamAOTInput(target='a')"},
      %w1: tensor<4x4xf32> {titan.name = "w1", titan.role = #titan.role<param>},
      %w2: tensor<4x4xf32> {titan.name = "w2", titan.role = #titan.role<param>},
      %t: tensor<4x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<4x4xf32> {titan.name = "s", titan.role = #titan.role<output>},
          tensor<4x4xf32> {titan.name = "gw1", titan.role = #titan.role<grad>},
          tensor<4x4xf32> {titan.name = "gw2", titan.role = #titan.role<grad>})
      attributes {titan.joint = 1 : i64,
                  titan.result_positions = array<i64: 0, 2, 3>} {
    %m1 = titan.torch_op "lab.mm"(%a, %w1) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["m1"], titan.recompute = #titan.policy<must_save>}
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %r = titan.torch_op "lab.relu"(%m1) {args = [#titan.arg<0>],
      titan.names = ["r"], titan.recompute = #titan.policy<prefer_recompute>,
      titan.module = "layers.0"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %m2 = titan.torch_op "lab.mm"(%r, %w2) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["m2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = titan.torch_op "lab.add"(%m2, %a) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["s"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %g1 = titan.torch_op "lab.mm_t"(%t, %w2) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["g1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %gw2 = titan.torch_op "lab.t_mm"(%r, %t) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["gw2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %le = titan.torch_op "lab.le"(%r) {args = [#titan.arg<0>, 0],
      titan.names = ["le"]} : (tensor<4x4xf32>) -> tensor<4x4xi1>
    %g2 = titan.torch_op "lab.where"(%le, %g1) {args = [#titan.arg<0>, 0, #titan.arg<1>],
      titan.names = ["g2"]} : (tensor<4x4xi1>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %gw1 = titan.torch_op "lab.t_mm"(%a, %g2) {args = [#titan.arg<0>, #titan.arg<1>],
      titan.names = ["gw1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %s, %gw1, %gw2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  })mlir";

static Plan planTwoProducts(Graph &graph) {
  return graph.plan({"a", "w2", "m1"}, {"m1", "r", "m2", "s"},
                    {"r", "g1", "gw2", "le", "g2", "gw1"});
}

TEST_CASE("both functions have PyTorch's signatures", "[extract]") {
  Graph graph(kTwoProducts);
  auto halves = extractHalves(graph.joint(), planTwoProducts(graph), {});
  REQUIRE(succeeded(halves));
  REQUIRE(succeeded(verify(*graph.module)));
  CHECK(!graph.joint());
  CHECK(arguments(halves->forward) == Names{"a:param", "w1:param", "w2:param"});
  CHECK(results(halves->forward) ==
        Names{"s:output", "a:saved", "w2:saved", "m1:saved"});
  CHECK(arguments(halves->backward) ==
        Names{"a:saved", "w2:saved", "m1:saved", "t:tangent"});
  CHECK(results(halves->backward) == Names{"gw1:grad", "gw2:grad"});
}

TEST_CASE("positions in the source's list are kept", "[extract]") {
  Graph graph(kTwoProducts);
  auto halves = extractHalves(graph.joint(), planTwoProducts(graph), {});
  REQUIRE(succeeded(halves));
  CHECK(!halves->forward->hasAttr(kResultPositionsAttr));
  auto positions =
      halves->backward->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  REQUIRE(positions);
  CHECK(positions.asArrayRef() == ArrayRef<int64_t>{2, 3});
}

// PyTorch's own pass emits r just before its first user, not at the top: g1
// reads the tangent first.
TEST_CASE("recomputed ops stand before their first use", "[extract]") {
  Graph graph(kTwoProducts);
  auto halves = extractHalves(graph.joint(), planTwoProducts(graph), {});
  REQUIRE(succeeded(halves));
  CHECK(body(halves->forward) ==
        Names{"m1 = lab.mm(a, w1)", "r = lab.relu(m1)", "m2 = lab.mm(r, w2)",
              "s = lab.add(m2, a)", "return(s, a, w2, m1)"});
  CHECK(body(halves->backward) ==
        Names{"g1 = lab.mm_t(t, w2)", "r = lab.relu(m1)",
              "gw2 = lab.t_mm(r, t)", "le = lab.le(r)",
              "g2 = lab.where(le, g1)", "gw1 = lab.t_mm(a, g2)",
              "return(gw1, gw2)"});
}

TEST_CASE("what the source says of ops and inputs is kept", "[extract]") {
  Graph graph(kTwoProducts);
  Location relu = graph.value("r").getLoc();
  auto halves = extractHalves(graph.joint(), planTwoProducts(graph), {});
  REQUIRE(succeeded(halves));
  Operation *recomputed = nullptr;
  for (Operation &op : halves->backward.front())
    if (op.getNumResults() && getSourceName(op.getResult(0)) == "r")
      recomputed = &op;
  REQUIRE(recomputed);
  CHECK(recomputed->getLoc() == relu);
  CHECK(getPolicy(recomputed) == Policy::PreferRecompute);
  CHECK(getModulePath(recomputed) == "layers.0");
  CHECK(getPhase(recomputed) == Phase::Backward);
  CHECK(halves->backward.getArgAttrOfType<StringAttr>(0, kDescAttr) ==
        "ParamAOTInput(target='a')");
}

TEST_CASE("a plan with a hole changes nothing", "[extract]") {
  Graph graph(kTwoProducts);
  std::string before;
  llvm::raw_string_ostream(before) << *graph.module;
  Plan plan = graph.plan({"a", "w2"}, {"m1", "r", "m2", "s"},
                         {"g1", "gw2", "le", "g2", "gw1"});
  CHECK(failed(extractHalves(graph.joint(), plan, {})));
  std::string after;
  llvm::raw_string_ostream(after) << *graph.module;
  CHECK(before == after);
  REQUIRE(graph.messages.size() == 2);
  CHECK(graph.messages[0] ==
        "'r' is read in the backward, but the plan neither saves nor "
        "recomputes it there; save it or recompute it");
  CHECK(graph.messages[1] == "read by 'gw2'");
}

TEST_CASE("a forward output that needs a tangent is refused", "[extract]") {
  Graph graph(kTwoProducts);
  // The second result counts as a forward output.
  graph.joint()->setAttr(
      kJointAttr, IntegerAttr::get(IntegerType::get(&graph.context, 64), 2));
  CHECK(failed(extractHalves(graph.joint(), planTwoProducts(graph), {})));
  REQUIRE(graph.messages.size() >= 2);
  CHECK(graph.messages[0] ==
        "'gw1' is a result of the forward, but it needs the tangent 't'; give "
        "the number of forward outputs that the graph has "
        "(--num-forward-outputs)");
  CHECK(graph.messages[1] == "through 'g2'");
}

TEST_CASE("a name that is taken is refused", "[extract]") {
  Graph graph(std::string(kTwoProducts) + "func.func private @backward()");
  CHECK(failed(extractHalves(graph.joint(), planTwoProducts(graph), {})));
  REQUIRE(graph.messages.size() == 1);
  CHECK(graph.messages[0] ==
        "the module has a function named 'backward', which the partition is "
        "about to make; rename it");
}

// Symbols are last in the forward's results and first in the backward's
// arguments; constants go to whoever reads them, behind all else.
TEST_CASE("symbols and constants have their own places", "[extract]") {
  Graph graph(R"mlir(
    func.func @joint(
        %s0: index {titan.name = "s0", titan.role = #titan.role<input>},
        %x: tensor<?xf32> {titan.name = "x", titan.role = #titan.role<input>},
        %m: !titan.opaque<"DeviceMesh"> {titan.name = "mesh", titan.role = #titan.role<input>},
        %t: tensor<?xf32> {titan.name = "t", titan.role = #titan.role<tangent>},
        %seed: tensor<i64> {titan.name = "bwd_seed", titan.role = #titan.role<seed>},
        %c: tensor<f32> {titan.name = "c", titan.role = #titan.role<constant>},
        %d: tensor<f32> {titan.name = "d", titan.role = #titan.role<constant>})
        -> (tensor<?xf32> {titan.name = "y"}, tensor<?xf32> {titan.name = "g"})
        attributes {titan.joint = 1 : i64} {
      %y = titan.torch_op "lab.f"(%x, %c) {args = [#titan.arg<0>, #titan.arg<1>],
        titan.names = ["y"]} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      %g = titan.torch_op "lab.g"(%t, %y, %s0, %m, %seed)
        {args = [#titan.arg<0>, #titan.arg<1>, #titan.arg<2>, #titan.arg<3>, #titan.arg<4>],
         titan.names = ["g"]}
        : (tensor<?xf32>, tensor<?xf32>, index, !titan.opaque<"DeviceMesh">, tensor<i64>) -> tensor<?xf32>
      return %y, %g : tensor<?xf32>, tensor<?xf32>
    })mlir");
  Plan plan = graph.plan({"s0", "y", "mesh"}, {"y"}, {"g"});
  auto halves = extractHalves(graph.joint(), plan, {});
  REQUIRE(succeeded(halves));
  CHECK(arguments(halves->forward) ==
        Names{"s0:input", "x:input", "mesh:input", "c:constant"});
  CHECK(results(halves->forward) ==
        Names{"y:", "y:saved", "mesh:saved", "s0:saved"});
  CHECK(arguments(halves->backward) == Names{"s0:saved", "y:saved",
                                             "mesh:saved", "t:tangent",
                                             "bwd_seed:seed"});
}

// One element of a tuple is saved, the other recomputed: the saved one is read.
TEST_CASE("a saved element stands for the recomputed one", "[extract]") {
  Graph graph(R"mlir(
    func.func @joint(
        %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
        %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (tensor<4xf32> {titan.name = "b"}, tensor<4xf32> {titan.name = "g"})
        attributes {titan.joint = 1 : i64} {
      %two:2 = titan.torch_op "lab.two"(%x) {args = [#titan.arg<0>],
        titan.tuple_name = "two", titan.names = ["a", "b"]}
        : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %g = titan.torch_op "lab.g"(%t, %two#0, %two#1) {titan.names = ["g"],
        args = [#titan.arg<0>, #titan.arg<1>, #titan.arg<2>]}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %two#1, %g : tensor<4xf32>, tensor<4xf32>
    })mlir");
  auto halves = extractHalves(graph.joint(),
                              graph.plan({"x", "a"}, {"b"}, {"b", "g"}), {});
  REQUIRE(succeeded(halves));
  Operation *call = halves->backward.front().getTerminator()->getPrevNode();
  CHECK(call->getOperand(1) == halves->backward.getArgument(1));
  Operation *two = call->getOperand(2).getDefiningOp();
  REQUIRE(two);
  CHECK(getSourceName(two->getResult(0)).empty());
  CHECK(getSourceName(two->getResult(1)) == "b");
}
