// What --explain says that flipping a decision costs, by hand arithmetic:
// values of 4x4 floats have 64 bytes, a product of them costs 2 x 4 x 4 x 4 =
// 128.
#include "titan/Report/Explain.h"

#include "../Partition/PartitionTestSupport.h"

#include "titan/Partition/PlanSummary.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

static const char *const kGraph = R"mlir(
  !m = tensor<4x4xf32>
  func.func @joint(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                   %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (!m {titan.role = #titan.role<output>}, !m {titan.role = #titan.role<grad>})
      attributes {titan.joint = 1 : i64} {
    %p = aten.mm %x, %x {titan.names = ["p"]} : (!m, !m) -> !m
    %v = aten.permute %p, [1, 0] {titan.names = ["v"]} : (!m) -> !m
    %e = aten.exp %v {titan.names = ["e"]} : (!m) -> !m
    %d = aten.bernoulli.p %x, 0.5 {titan.names = ["d"]} : (!m) -> !m
    %s = aten.mul.Tensor %e, %d {titan.names = ["s"]} : (!m, !m) -> !m
    %y = aten.sin %s {titan.names = ["y"]} : (!m) -> !m
    %h = aten.mul.Tensor %t, %e {titan.names = ["h"]} : (!m, !m) -> !m
    %g = aten.mul.Tensor %h, %d {titan.names = ["g"]} : (!m, !m) -> !m
    return %y, %g : !m, !m
  })mlir";

static std::string explain(const Names &saved, const Names &backward,
                           StringRef name) {
  Graph graph(kGraph);
  Plan plan = graph.plan(saved, {"p", "v", "e", "d", "s", "y"}, backward);
  PlanSummary summary = summarize(graph.joint(), plan);
  REQUIRE(succeeded(extractHalves(graph.joint(), plan, {})));
  auto text = explainValue(*graph.module, summary, name);
  REQUIRE(bool(text));
  return *text;
}

static void contains(const std::string &text, const std::string &part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("a saved value: what recomputing it would free and cost",
          "[explain]") {
  contains(explain({"p", "d"}, {"v", "e", "h", "g"}, "p"),
           "if recomputed   64 B less to keep, 128 FLOP more to run: 'p'");
}

// The view and what it views are one storage.
TEST_CASE("storage that another value keeps is not freed", "[explain]") {
  contains(explain({"p", "v", "d"}, {"e", "h", "g"}, "p"),
           "if recomputed   0 B less to keep");
}

TEST_CASE("what may run once only cannot be recomputed", "[explain]") {
  contains(explain({"p", "d"}, {"v", "e", "h", "g"}, "d"),
           "if recomputed   not possible: 'd' (aten.bernoulli.p, -:10) draws "
           "random numbers");
}

// With e at hand nobody reads v, nor p, which need not be kept then.
TEST_CASE("saving a value frees what was kept for it alone", "[explain]") {
  contains(explain({"p", "d"}, {"v", "e", "h", "g"}, "e"),
           "if saved        0 B more to keep, 16 FLOP less to run: 'v'");
}

TEST_CASE("saving a value that is made of inputs costs its storage",
          "[explain]") {
  contains(explain({"x", "d"}, {"p", "v", "e", "h", "g"}, "p"),
           "if saved        64 B more to keep, 128 FLOP less to run: 'p'");
}
