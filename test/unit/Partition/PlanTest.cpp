#include "PartitionTestSupport.h"

#include "titan/Partition/PartitionProblem.h"
#include "titan/Partition/PlanSummary.h"
#include "titan/Partition/Preparation.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

static Names savedNames(const Plan &plan) {
  Names names;
  for (const SavedValue &saved : plan.saved)
    names.push_back(getDisplayName(saved.value));
  return names;
}

static Names planSaved(Graph &graph, const CompatRules &rules,
                       PartitionerKind kind = PartitionerKind::MinCut) {
  FailureOr<Plan> plan = makePlan(graph.joint(), kind, rules);
  REQUIRE(succeeded(plan));
  return savedNames(*plan);
}

static Names planSaved(StringRef text, CompatKind kind) {
  Graph graph(text);
  return planSaved(graph, CompatRules::get(kind));
}

/// A joint function of x and t (4x4 unless \p type says otherwise) with one
/// output y and one gradient g.
static std::string joint(StringRef body, StringRef type = "tensor<4x4xf32>") {
  return ("!m = " + type + R"mlir(
    func.func @joint(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                     %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (!m, !m) attributes {titan.joint = 1 : i64} {)mlir" +
          body + "return %y, %g : !m, !m }")
      .str();
}

//===----------------------------------------------------------------------===//
// Acceptance graphs
//===----------------------------------------------------------------------===//

static const std::string kCube = joint(R"mlir(
  %s = aten.mul.Tensor %x, %x {titan.names = ["square"]} : (!m, !m) -> !m
  %y = aten.mul.Tensor %s, %x {titan.names = ["cube"]} : (!m, !m) -> !m
  %a = aten.mul.Tensor %t, %x : (!m, !m) -> !m
  %b = aten.mul.Tensor %t, %s : (!m, !m) -> !m
  %c = aten.mul.Tensor %a, %x : (!m, !m) -> !m
  %d = aten.add.Tensor %c, %c : (!m, !m) -> !m
  %g = aten.add.Tensor %d, %b {titan.names = ["g"]} : (!m, !m) -> !m
)mlir");

TEST_CASE("A3: with an empty list nothing is recomputed", "[plan]") {
  Graph graph(kCube);
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  rules.recomputableOps.emplace();
  CHECK(planSaved(graph, rules) == Names{"x", "square"});
}

TEST_CASE("A4: with products on the list the square is recomputed", "[plan]") {
  Graph graph(kCube);
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  rules.recomputableOps = {"aten.mul"};
  FailureOr<Plan> plan =
      makePlan(graph.joint(), PartitionerKind::MinCut, rules);
  REQUIRE(succeeded(plan));
  CHECK(savedNames(*plan) == Names{"x"});
  PlanSummary summary = summarize(graph.joint(), *plan);
  REQUIRE(summary.recomputed.size() == 1);
  CHECK(summary.recomputed[0].name == "square");
}

// pytorch#145081: 32 sums of x and a number, added up and used twice. With
// duplicates in the heap this took minutes.
TEST_CASE("A12: parallel chains do not multiply", "[plan]") {
  std::string body;
  llvm::raw_string_ostream stream(body);
  for (int i = 0; i < 32; ++i)
    stream << "%a" << i << " = aten.add.Tensor %x, " << i << " : (!m) -> !m\n";
  stream << "%s0 = aten.add.Tensor %a0, %a1 : (!m, !m) -> !m\n";
  for (int i = 1; i < 31; ++i)
    stream << "%s" << i << " = aten.add.Tensor %s" << i - 1 << ", %a" << i + 1
           << " : (!m, !m) -> !m\n";
  stream << R"mlir(
    %y = aten.cos %s30 : (!m) -> !m
    %d = aten.sin %s30 : (!m) -> !m
    %g = aten.mul.Tensor %t, %d : (!m, !m) -> !m
  )mlir";
  CHECK(planSaved(joint(body), CompatKind::Pytorch) == Names{"x"});
}

//===----------------------------------------------------------------------===//
// Bans
//===----------------------------------------------------------------------===//

// e feeds a, before the product, and b, after it: one kernel cannot hold both.
static const std::string kFarApart = joint(R"mlir(
  %e = aten.exp %x {titan.names = ["e"]} : (!m) -> !m
  %a = aten.sin %e {titan.names = ["a"]} : (!m) -> !m
  %p = aten.mm %a, %a {titan.names = ["mm"]} : (!m, !m) -> !m
  %b = aten.cos %e {titan.names = ["b"]} : (!m) -> !m
  %y = aten.mul.Tensor %p, %b {titan.names = ["y"]} : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %b {titan.names = ["g"]} : (!m, !m) -> !m
)mlir");

TEST_CASE("uses far apart are not recomputed by today's PyTorch", "[plan]") {
  CHECK(planSaved(kFarApart, CompatKind::Pytorch) == Names{"b"});
  CHECK(planSaved(kFarApart, CompatKind::Pytorch22) == Names{"x"});
  CHECK(planSaved(kFarApart, CompatKind::Titan) == Names{"x"});
}

// x is at 0 and no op. A walk from 1 bans the first link more than 100 further,
// 102; the next begins behind it, at 103, and bans 204.
TEST_CASE("a long chain of fusible ops is cut every hundred links", "[plan]") {
  std::string body;
  llvm::raw_string_ostream stream(body);
  for (int i = 0; i < 210; ++i)
    stream << (i == 209 ? "%y" : "%c" + std::to_string(i)) << " = aten.cos %"
           << (i ? "c" + std::to_string(i - 1) : "x") << " : (!m) -> !m\n";
  stream << "%g = aten.mul.Tensor %t, %x : (!m, !m) -> !m\n";
  Graph graph(joint(body));
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  PartitionProblem problem(view, rules);
  std::vector<uint32_t> banned;
  for (uint32_t node = 0; node < view.size(); ++node)
    if (problem.getBan(node) == BanReason::LongChain)
      banned.push_back(problem.getClasses().forwardOrder[node]);
  CHECK(banned == std::vector<uint32_t>{102, 204});
}

static BanReason banOfSum(StringRef type, StringRef result) {
  Graph graph((R"mlir(
    func.func @joint(%x: )mlir" +
               type + R"mlir( {titan.role = #titan.role<input>},
                     %t: )mlir" +
               result + R"mlir( {titan.role = #titan.role<tangent>})
        -> ()mlir" +
               result + ", " + result +
               R"mlir() attributes {titan.joint = 1 : i64} {
      %s = aten.sum.dim_IntList %x, [1] {titan.names = ["s"]} : ()mlir" +
               type + ") -> " + result + R"mlir(
      %y = aten.sin %s : ()mlir" +
               result + ") -> " + result + R"mlir(
      %g = aten.mul.Tensor %t, %s : ()mlir" +
               result + ", " + result + ") -> " + result + R"mlir(
      return %y, %g : )mlir" +
               result + ", " + result + "}")
                  .str());
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  PartitionProblem problem(view, rules);
  return problem.getBan(*view.lookup(graph.value("s")));
}

TEST_CASE("a result under a quarter of its inputs is saved", "[plan]") {
  CHECK(banOfSum("tensor<4x5xf32>", "tensor<4xf32>") == BanReason::Reduction);
  CHECK(banOfSum("tensor<4x4xf32>", "tensor<4xf32>") == BanReason::None);
}

// 2.2 bans whatever is more than three steps from the backward.
TEST_CASE("distance bans in 2.2 only", "[plan]") {
  std::string text = joint(R"mlir(
    %a = aten.sin %x {titan.names = ["a"]} : (!m) -> !m
    %b = aten.cos %a {titan.names = ["b"]} : (!m) -> !m
    %c = aten.exp %b {titan.names = ["c"]} : (!m) -> !m
    %d = aten.neg %c {titan.names = ["d"]} : (!m) -> !m
    %y = aten.exp %d {titan.names = ["e"]} : (!m) -> !m
    %g = aten.mul.Tensor %t, %d {titan.names = ["g"]} : (!m, !m) -> !m
  )mlir");
  for (CompatKind kind : {CompatKind::Pytorch22, CompatKind::Pytorch}) {
    Graph graph(text);
    CompatRules rules = CompatRules::get(kind);
    JointGraph view(graph.joint(), TensorSizes(*graph.module));
    PartitionProblem problem(view, rules);
    auto ban = [&](StringRef name) {
      return problem.getBan(*view.lookup(graph.value(name)));
    };
    BanReason far =
        kind == CompatKind::Pytorch22 ? BanReason::TooFar : BanReason::None;
    CHECK(ban("a") == far);
    CHECK(ban("b") == BanReason::None);
    CHECK(ban("d") == BanReason::None);
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

// 64 bytes: x is three steps from g, s two and is fused with all its users.
TEST_CASE("PyTorch's weights grow with distance and double when fused",
          "[plan]") {
  Graph graph(joint(R"mlir(
    %s = aten.sin %x {titan.names = ["s"]} : (!m) -> !m
    %c = aten.cos %s {titan.names = ["c"]} : (!m) -> !m
    %y = aten.exp %c {titan.names = ["y"]} : (!m) -> !m
    %g = aten.mul.Tensor %t, %c {titan.names = ["g"]} : (!m, !m) -> !m
  )mlir"));
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  PartitionProblem problem(view, rules);
  auto weight = [&](StringRef name) {
    return problem.getCapacity(*view.lookup(graph.value(name)));
  };
  CHECK(weight("x") == 85);     // floor(64 * 1.331)
  CHECK(weight("s") == 2 * 77); // 2 * floor(64 * 1.21)
  CHECK(weight("c") == 2 * 70); // 2 * floor(64 * 1.1)
}

TEST_CASE("A23: a symbolic float may be saved for 4 and is never banned",
          "[plan]") {
  Graph graph(joint(R"mlir(
    %n = aten.sym_size.int %x, 0 {titan.names = ["n"]} : (!m) -> index
    %f = titan.sym "0.5*s0" = "@0 * 0.5"(%n) {titan.names = ["f"]} : (index) -> f64
    %y = aten.mul.Tensor %x, %f {titan.names = ["y"]} : (!m, f64) -> !m
    %g = titan.torch_op "lab.scale"(%t, %f) {args = [#titan.arg<0>, #titan.arg<1>]} : (!m, f64) -> !m
  )mlir",
                    "tensor<?x4xf32>"));
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  PartitionProblem problem(view, rules);
  JointGraph::Node number = *view.lookup(graph.value("f"));
  CHECK(problem.getCapacity(number) == 4);
  CHECK_FALSE(problem.isBanned(number));
  CHECK(problem.getCapacity(*view.lookup(graph.value("n"))) == 1);
}

TEST_CASE("Titan's weights are storage, nothing where it is resident",
          "[plan]") {
  Graph graph(joint(R"mlir(
    %s = aten.sin %x {titan.names = ["s"]} : (!m) -> !m
    %v = aten.permute %s, [1, 0] {titan.names = ["v"]} : (!m) -> !m
    %y = aten.exp %v {titan.names = ["y"]} : (!m) -> !m
    %g = aten.mul.Tensor %t, %v {titan.names = ["g"]} : (!m, !m) -> !m
  )mlir"));
  CompatRules rules = CompatRules::get(CompatKind::Titan);
  JointGraph view(graph.joint(), TensorSizes(*graph.module));
  PartitionProblem problem(view, rules);
  auto node = [&](StringRef name) { return *view.lookup(graph.value(name)); };
  CHECK(problem.getCapacity(node("x")) == 0);
  CHECK(problem.getCapacity(node("y")) == 0);
  CHECK(problem.getCapacity(node("s")) == 64);
  CHECK(problem.getUnsavableReason(node("v")) == UnsavableReason::View);
}

//===----------------------------------------------------------------------===//
// The default partitioner
//===----------------------------------------------------------------------===//

// a has no user after the forward but the recomputed b. PyTorch's all([]) does
// not offer it; where that leaves b without its input, it is offered after all.
TEST_CASE("a plan that would lack a value is mended", "[plan]") {
  std::string text = joint(R"mlir(
    %a = aten.mm %x, %x {titan.names = ["a"], titan.ac_graph_id = 1 : i64, titan.recompute = #titan.policy<must_cpu_offload>, titan.phase = #titan.phase<forward>} : (!m, !m) -> !m
    %b = aten.sin %a {titan.names = ["b"], titan.ac_graph_id = 1 : i64, titan.recompute = #titan.policy<prefer_recompute>, titan.phase = #titan.phase<forward>} : (!m) -> !m
    %y = aten.mm %b, %b {titan.names = ["y"], titan.phase = #titan.phase<forward>} : (!m, !m) -> !m
    %g = aten.mm %t, %b {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  )mlir");
  for (CompatKind kind : {CompatKind::Pytorch, CompatKind::Titan}) {
    Graph graph(text);
    CHECK(planSaved(graph, CompatRules::get(kind), PartitionerKind::Default) ==
          Names{"a"});
  }
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

TEST_CASE("each saved value says why", "[plan]") {
  Graph graph(joint(R"mlir(
    %p = aten.mm %x, %x {titan.names = ["mm"]} : (!m, !m) -> !m
    %s = aten.sin %p {titan.names = ["s"]} : (!m) -> !m
    %y = aten.exp %s {titan.names = ["y"]} : (!m) -> !m
    %d = aten.mul.Tensor %t, %s : (!m, !m) -> !m
    %g = aten.mm %d, %x {titan.names = ["g"]} : (!m, !m) -> !m
  )mlir"));
  FailureOr<Plan> plan =
      makePlan(graph.joint(), {PartitionerKind::MinCut, CompatKind::Titan});
  REQUIRE(succeeded(plan));
  REQUIRE(savedNames(*plan) == Names{"x", "s"});
  CHECK(plan->saved[0].reason == "primal input");
  CHECK(plan->saved[0].kind == SavedKind::Argument);
  CHECK(plan->saved[1].reason == "closest to the sink on the minimum cut");
  CHECK(plan->saved[1].bytes == 64);
}
