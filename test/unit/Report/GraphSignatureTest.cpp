#include "titan/Report/GraphSignature.h"

#include "../Partition/PartitionTestSupport.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

static std::vector<std::string> describe(StringRef body) {
  Graph graph(("func.func @joint(%x: tensor<4x?xbf16> {titan.name = \"x\"}, "
               "%s: index {titan.name = \"s\"}) {\n" +
               body + "\nreturn }")
                  .str());
  return describeGraph(graph.joint()).nodes;
}

TEST_CASE("types have PyTorch's short names", "[report]") {
  CHECK(describe("") ==
        std::vector<std::string>{"x: bf16[4, ?]", "s: Sym", "return ()"});
}

// Positional arguments in order, then keywords by name, nested ones too, as
// torch.fx tells them.
TEST_CASE("keywords of an escape op are arguments", "[report]") {
  CHECK(describe(R"mlir(
    %y = titan.torch_op "lab.f"(%x, %s, %x) {args = [[#titan.arg<1>]],
      kwargs = #titan.dict<["z", #titan.arg<0>, "a",
                            #titan.dict<["k", #titan.arg<2>]>]>,
      titan.names = ["y"]}
      : (tensor<4x?xbf16>, index, tensor<4x?xbf16>) -> index
  )mlir")[2] == "y: Sym = lab.f(s, x, x)");
}

TEST_CASE("the fingerprint is that of the lines", "[report]") {
  Graph graph("func.func @joint(%x: tensor<1xf32> {titan.name = \"x\"}) {"
              "return }");
  GraphSignature signature = describeGraph(graph.joint());
  CHECK(signature.fingerprint == fingerprintLines("x: f32[1]\nreturn ()\n"));
  // printf 'x: f32[1]\nreturn ()\n' | sha256sum
  CHECK(signature.fingerprint ==
        "sha256:"
        "88cb568e2874374fad9ff5675aa85e3d9c907f4a124e3b6b5de362f70f86cfcf");
}
