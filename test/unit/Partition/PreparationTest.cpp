#include "PartitionTestSupport.h"

#include "titan/Partition/Preparation.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

static size_t countOps(StringRef text, StringRef name, CompatKind kind) {
  Graph graph(text);
  mergeEqualOps(graph.joint(), CompatRules::get(kind));
  return llvm::count_if(graph.joint().front(), [&](Operation &op) {
    return op.getName().getStringRef() == name;
  });
}

static std::string joint(StringRef body, StringRef results) {
  return (R"mlir(
    !m = tensor<4x4xf32>
    !v = tensor<4xf32>
    func.func @joint(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                     %v: !v {titan.name = "v", titan.role = #titan.role<input>},
                     %b: !m {titan.name = "b", titan.role = #titan.role<buffer>},
                     %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (!m, !m) attributes {titan.joint = 1 : i64} {)mlir" +
          body + "return " + results + " : !m, !m }")
      .str();
}

TEST_CASE("what only the forward needs stays apart from what gradients need",
          "[prepare]") {
  std::string text = joint(R"mlir(
    %c0 = aten.cos %x : (!m) -> !m
    %y = aten.exp %c0 : (!m) -> !m
    %c1 = aten.cos %x : (!m) -> !m
    %g = aten.mul.Tensor %t, %c1 : (!m, !m) -> !m
  )mlir",
                           "%y, %g");
  CHECK(countOps(text, "aten.cos", CompatKind::Pytorch) == 2);
  CHECK(countOps(text, "aten.cos", CompatKind::Pytorch22) == 1);
}

// In Python hash(-1) == hash(-2): the second key never gets a slot, so that its
// equals never meet.
TEST_CASE("a collision of Python hashes keeps values apart", "[prepare]") {
  std::string text = joint(R"mlir(
    %a = aten.unsqueeze %v, -2 : (!v) -> tensor<1x4xf32>
    %b0 = aten.unsqueeze %v, -1 : (!v) -> tensor<4x1xf32>
    %b1 = aten.unsqueeze %v, -1 : (!v) -> tensor<4x1xf32>
    %p = aten.mul.Tensor %a, %b0 : (tensor<1x4xf32>, tensor<4x1xf32>) -> !m
    %q = aten.mul.Tensor %p, %b1 : (!m, tensor<4x1xf32>) -> !m
    %y = aten.exp %q : (!m) -> !m
  )mlir",
                           "%y, %t");
  CHECK(countOps(text, "aten.unsqueeze", CompatKind::Pytorch) == 3);
  CHECK(countOps(text, "aten.unsqueeze", CompatKind::Titan) == 2);
}

TEST_CASE("a write between two equal ops keeps them apart", "[prepare]") {
  std::string text = joint(R"mlir(
    %c0 = aten.cos %b : (!m) -> !m
    %w = aten.copy_ %b, %x : (!m, !m) -> !m
    %c1 = aten.cos %b : (!m) -> !m
    %s = aten.mul.Tensor %c0, %c1 : (!m, !m) -> !m
    %y = aten.exp %s : (!m) -> !m
  )mlir",
                           "%y, %t");
  CHECK(countOps(text, "aten.cos", CompatKind::Titan) == 2);
}

TEST_CASE("random numbers are drawn as often as written", "[prepare]") {
  std::string text = joint(R"mlir(
    %r0 = aten.bernoulli.p %x, 0.5 : (!m) -> !m
    %r1 = aten.bernoulli.p %x, 0.5 : (!m) -> !m
    %s = aten.mul.Tensor %r0, %r1 : (!m, !m) -> !m
    %y = aten.exp %s : (!m) -> !m
  )mlir",
                           "%y, %t");
  for (CompatKind kind : {CompatKind::Titan, CompatKind::Pytorch})
    CHECK(countOps(text, "aten.bernoulli.p", kind) == 2);
}

TEST_CASE("merged chains merge to their ends, names of the first kept",
          "[prepare]") {
  Graph graph(joint(R"mlir(
    %a0 = aten.cos %x {titan.names = ["a"]} : (!m) -> !m
    %a1 = aten.sin %a0 {titan.names = ["b"]} : (!m) -> !m
    %b0 = aten.cos %x {titan.names = ["c"]} : (!m) -> !m
    %b1 = aten.sin %b0 {titan.names = ["d"]} : (!m) -> !m
    %s = aten.mul.Tensor %a1, %b1 {titan.names = ["s"]} : (!m, !m) -> !m
    %y = aten.exp %s {titan.names = ["y"]} : (!m) -> !m
  )mlir",
                    "%y, %t"));
  mergeEqualOps(graph.joint(), CompatRules::get(CompatKind::Titan));
  CHECK(body(graph.joint()) == Names{"a = aten.cos(x)", "b = aten.sin(a)",
                                     "s = aten.mul.Tensor(b, b)",
                                     "y = aten.exp(s)", "return(y, t)"});
}

TEST_CASE("dead ops go, dead writes and waits stay", "[prepare]") {
  Graph graph(joint(R"mlir(
    %d0 = aten.cos %x {titan.names = ["d0"]} : (!m) -> !m
    %d1 = aten.sin %d0 {titan.names = ["d1"]} : (!m) -> !m
    %w = aten.copy_ %b, %x {titan.names = ["w"]} : (!m, !m) -> !m
    %y = aten.exp %x {titan.names = ["y"]} : (!m) -> !m
  )mlir",
                    "%y, %t"));
  eraseDeadOps(graph.joint());
  CHECK(body(graph.joint()) ==
        Names{"w = aten.copy_(b, x)", "y = aten.exp(x)", "return(y, t)"});
}
