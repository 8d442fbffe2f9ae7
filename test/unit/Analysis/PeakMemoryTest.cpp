// Peaks worked out by hand. A tensor<1024xf32> is 4096 bytes, called K here.
#include "titan/Analysis/PeakMemory.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

static constexpr int64_t K = 4096;

namespace {
struct Measured {
  explicit Measured(const std::string &text, bool isJoint = false) {
    context.loadDialect<func::FuncDialect, TitanDialect, aten::AtenDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    auto find = [&](StringRef name) {
      return (*module).lookupSymbol<func::FuncOp>(name);
    };
    peak = isJoint ? computePeakMemory(find("joint"), {})
                   : computePeakMemory(find("forward"), find("backward"));
  }
  std::string opName() const {
    return peak.op ? getSourceName(peak.op->getResult(0)).str() : "";
  }
  std::vector<std::string> liveNames() const {
    std::vector<std::string> names;
    for (auto [value, bytes] : peak.live)
      names.push_back(getSourceName(value).str());
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  PeakMemory peak;
};
} // namespace

using Names = std::vector<std::string>;

// x -> a -> b -> c: while b is made, x, a and b are there; while c is made, x,
// b and c. The step's input and result stay.
TEST_CASE("a chain holds two of its links", "[peak]") {
  Measured measured(R"mlir(
    func.func @joint(%x: tensor<1024xf32> {titan.name = "x", titan.role = #titan.role<input>})
        -> tensor<1024xf32> {
      %a = aten.relu %x {titan.names = ["a"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      %b = aten.relu %a {titan.names = ["b"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      %c = aten.relu %b {titan.names = ["c"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      return %c : tensor<1024xf32>
    })mlir",
                    /*isJoint=*/true);
  CHECK(measured.peak.bytes == 3 * K);
  CHECK(measured.peak.residentBytes == K);
  CHECK(measured.peak.savedBytes == 0);
  CHECK(measured.opName() == "b");
  CHECK(measured.liveNames() == Names{"x", "a", "b"});
  CHECK_FALSE(measured.peak.inBackward);
}

// A view has no bytes of its own and keeps its base: a is there until the view
// is read, so a, b and c meet.
TEST_CASE("a view keeps its base alive", "[peak]") {
  Measured measured(R"mlir(
    func.func @joint(%x: tensor<1024xf32> {titan.name = "x"}) -> tensor<1024xf32> {
      %a = aten.relu %x {titan.names = ["a"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      %v = aten.view %a, [32, 32] {titan.names = ["v"]} : (tensor<1024xf32>) -> tensor<32x32xf32>
      %b = aten.relu %x {titan.names = ["b"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      %s = aten.sum %v {titan.names = ["s"]} : (tensor<32x32xf32>) -> tensor<f32>
      %c = aten.relu %b {titan.names = ["c"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      return %c : tensor<1024xf32>
    })mlir",
                    /*isJoint=*/true);
  // At s: x, a, b and s itself; at c: x, b, c.
  CHECK(measured.peak.bytes == 3 * K + 4);
  CHECK(measured.opName() == "s");
  CHECK(measured.liveNames() == Names{"x", "a", "b", "s"});
}

// The write goes to its destination's storage: no third buffer.
TEST_CASE("a write in place makes no storage", "[peak]") {
  Measured measured(R"mlir(
    func.func @joint(%buf: tensor<1024xf32> {titan.name = "buf", titan.role = #titan.role<buffer>})
        -> tensor<1024xf32> {
      %a = aten.relu %buf {titan.names = ["a"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      %w = aten.copy_ %buf, %a {titan.names = ["w"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
      return %w : tensor<1024xf32>
    })mlir",
                    /*isJoint=*/true);
  CHECK(measured.peak.bytes == 2 * K);
  CHECK(measured.peak.residentBytes == K);
}

// Each result of an op with several is a storage; one that nothing reads goes
// right after the op.
TEST_CASE("results have storage of their own", "[peak]") {
  Measured measured(R"mlir(
    func.func @joint(%x: tensor<1024xf32> {titan.name = "x"}) -> tensor<1024xf32> {
      %two:2 = titan.torch_op "lab.two"(%x) {args = [#titan.arg<0>], titan.names = ["p", "q"]}
        : (tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>)
      %y = aten.relu %two#0 {titan.names = ["y"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      return %y : tensor<1024xf32>
    })mlir",
                    /*isJoint=*/true);
  // x, p and q at the op; x, p and y at the next: the first of equals counts.
  CHECK(measured.peak.bytes == 3 * K);
  CHECK(measured.liveNames() == Names{"x", "p", "q"});
}

static const char *const kHalves = R"mlir(
  func.func @forward(%w: tensor<1024xf32> {titan.name = "w", titan.role = #titan.role<param>})
      -> (tensor<1024xf32> {titan.name = "y", titan.role = #titan.role<output>},
          tensor<1024xf32> {titan.name = "w", titan.role = #titan.role<saved>},
          tensor<32x32xf32> {titan.name = "v", titan.role = #titan.role<saved>},
          tensor<1024xf32> {titan.name = "a", titan.role = #titan.role<saved>}) {
    %a = aten.relu %w {titan.names = ["a"]} : (tensor<1024xf32>) -> tensor<1024xf32>
    %v = aten.view %a, [32, 32] {titan.names = ["v"]} : (tensor<1024xf32>) -> tensor<32x32xf32>
    %y = aten.relu %a {titan.names = ["y"]} : (tensor<1024xf32>) -> tensor<1024xf32>
    return %y, %w, %v, %a : tensor<1024xf32>, tensor<1024xf32>, tensor<32x32xf32>, tensor<1024xf32>
  }
  func.func @backward(%w: tensor<1024xf32> {titan.name = "w", titan.role = #titan.role<saved>},
                      %v: tensor<32x32xf32> {titan.name = "v", titan.role = #titan.role<saved>},
                      %a: tensor<1024xf32> {titan.name = "a", titan.role = #titan.role<saved>},
                      %t: tensor<1024xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
      -> (tensor<1024xf32> {titan.name = "g", titan.role = #titan.role<grad>}) {
    %b = aten.mul.Tensor %t, %a {titan.names = ["b"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    %c = aten.view %v, [1024] {titan.names = ["c"]} : (tensor<32x32xf32>) -> tensor<1024xf32>
    %d = aten.mul.Tensor %b, %c {titan.names = ["d"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    %e = aten.mul.Tensor %d, %w {titan.names = ["e"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
    %g = aten.relu %e {titan.names = ["g"]} : (tensor<1024xf32>) -> tensor<1024xf32>
    return %g : tensor<1024xf32>
  })mlir";

// Saved are w, a and a view of a: one storage, since w is a parameter. In the
// backward w and y are resident and t is there all along; at d come a (through
// its view), b and d: six in all. At e, a is gone.
TEST_CASE("a saved storage crosses the border once", "[peak]") {
  Measured measured(kHalves);
  CHECK(measured.peak.savedBytes == K);
  CHECK(measured.peak.residentBytes == K);
  CHECK(measured.peak.bytes == 6 * K);
  CHECK(measured.opName() == "d");
  CHECK(measured.peak.inBackward);
  CHECK(measured.liveNames() == Names{"w", "a", "y", "t", "b", "d"});
}

// What is saved and returned as well is not counted as saved: it would be there
// anyway.
TEST_CASE("a saved forward output is resident", "[peak]") {
  Measured measured(R"mlir(
    func.func @forward(%x: tensor<1024xf32> {titan.name = "x", titan.role = #titan.role<input>})
        -> (tensor<1024xf32> {titan.name = "y", titan.role = #titan.role<output>},
            tensor<1024xf32> {titan.name = "y", titan.role = #titan.role<saved>}) {
      %y = aten.relu %x {titan.names = ["y"]} : (tensor<1024xf32>) -> tensor<1024xf32>
      return %y, %y : tensor<1024xf32>, tensor<1024xf32>
    }
    func.func @backward(%y: tensor<1024xf32> {titan.name = "y", titan.role = #titan.role<saved>},
                        %t: tensor<1024xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
        -> (tensor<1024xf32> {titan.role = #titan.role<grad>}) {
      %g = aten.mul.Tensor %t, %y {titan.names = ["g"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
      return %g : tensor<1024xf32>
    })mlir");
  CHECK(measured.peak.savedBytes == 0);
  CHECK(measured.peak.bytes == 4 * K);
}

TEST_CASE("an empty step holds its inputs", "[peak]") {
  Measured measured(R"mlir(
    func.func @joint(%x: tensor<1024xf32> {titan.name = "x"},
                     %n: index {titan.name = "n"}) -> tensor<1024xf32> {
      return %x : tensor<1024xf32>
    })mlir",
                    /*isJoint=*/true);
  CHECK(measured.peak.bytes == K);
  CHECK(measured.peak.op == nullptr);
}
