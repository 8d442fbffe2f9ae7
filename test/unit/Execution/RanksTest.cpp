// Collectives among ranks that hold data of their own, against values worked
// out by hand.
#include "titan/Dialect/Registration.h"
#include "titan/Execution/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

using Doubles = std::vector<double>;

namespace {

/// A function of one tensor, run on ranks that hold \p inputs.
struct RankRun {
  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
  std::vector<RankValues> results;

  RankRun(StringRef text, const std::vector<Doubles> &inputs) {
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str() + "\n";
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    INFO(error);
    REQUIRE(module);
    InterpreterOptions options;
    options.numRanks = inputs.size();
    Interpreter interpreter({1, 0}, options);
    std::vector<RankValues> arguments;
    for (const Doubles &own : inputs)
      arguments.push_back(
          {Tensor::make(DType::F32, {static_cast<int64_t>(own.size())}, own)});
    auto function = *module->getOps<func::FuncOp>().begin();
    auto values = interpreter.runLockstep(function, std::move(arguments));
    if (succeeded(values))
      results = *values;
  }
  Doubles get(size_t rank, size_t index = 0) {
    INFO(error);
    REQUIRE(rank < results.size());
    return results[rank][index].getIf<Tensor>()->getValues<double>();
  }
};

} // namespace

// A function of one tensor of two elements with \p op in it.
static std::string makeGraph(StringRef op, StringRef type) {
  return ("func.func @f(%x: tensor<2xf32>) -> " + type + " {\n  %0 = " + op +
          " : (tensor<2xf32>) -> " + type + "\n  %1 = c10d.wait_tensor %0 : (" +
          type + ") -> " + type + "\n  return %1 : " + type + "\n}")
      .str();
}

TEST_CASE("all_reduce folds what the ranks of a group hold", "[ranks]") {
  auto reduce = [](StringRef how) {
    RankRun run(makeGraph(("c10d.all_reduce %x, \"" + how + "\", \"0\"").str(),
                          "tensor<2xf32>"),
                {{1, 8}, {2, 5}, {6, -1}});
    Doubles first = run.get(0);
    CHECK(run.get(1) == first);
    CHECK(run.get(2) == first);
    return first;
  };
  CHECK(reduce("sum") == Doubles{9, 12});
  CHECK(reduce("avg") == Doubles{3, 4});
  CHECK(reduce("max") == Doubles{6, 8});
  CHECK(reduce("min") == Doubles{1, -1});
  CHECK(reduce("product") == Doubles{12, -40});
}

TEST_CASE("all_gather joins the ranks of each group of neighbours", "[ranks]") {
  RankRun run(
      makeGraph("c10d.all_gather_into_tensor %x, 2, \"0\"", "tensor<4xf32>"),
      {{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  CHECK(run.get(0) == Doubles{1, 2, 3, 4});
  CHECK(run.get(1) == Doubles{1, 2, 3, 4});
  CHECK(run.get(2) == Doubles{5, 6, 7, 8});
  CHECK(run.get(3) == Doubles{5, 6, 7, 8});
}

TEST_CASE("reduce_scatter gives each rank its part", "[ranks]") {
  RankRun run(makeGraph("c10d.reduce_scatter_tensor %x, \"sum\", 2, \"0\"",
                        "tensor<1xf32>"),
              {{1, 20}, {3, 40}});
  CHECK(run.get(0) == Doubles{4});
  CHECK(run.get(1) == Doubles{60});
}

TEST_CASE("all_to_all transposes parts", "[ranks]") {
  RankRun run(makeGraph("c10d.all_to_all_single %x, [1, 1], [1, 1], \"0\"",
                        "tensor<2xf32>"),
              {{1, 2}, {3, 4}});
  CHECK(run.get(0) == Doubles{1, 3});
  CHECK(run.get(1) == Doubles{2, 4});
}

TEST_CASE("broadcast hands on what its source holds", "[ranks]") {
  RankRun run(makeGraph("c10d.broadcast %x, 1, \"0\"", "tensor<2xf32>"),
              {{1, 2}, {3, 4}});
  CHECK(run.get(0) == Doubles{3, 4});
  CHECK(run.get(1) == Doubles{3, 4});
}

TEST_CASE("groups have to fit the ranks", "[ranks]") {
  RankRun run(
      makeGraph("c10d.all_gather_into_tensor %x, 2, \"0\"", "tensor<4xf32>"),
      {{1, 2}, {3, 4}, {5, 6}});
  CHECK(run.results.empty());
  CHECK(run.error.find("its groups have 2 ranks, of which '--ranks' has to be "
                       "a multiple, not 3") != std::string::npos);
}

TEST_CASE("a called function runs on all ranks", "[ranks]") {
  RankRun run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = func.call @sum(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @sum(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = c10d.all_reduce %x, "sum", "0" : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
              {{1, 2}, {3, 4}});
  CHECK(run.get(0) == Doubles{4, 6});
  CHECK(run.get(1) == Doubles{4, 6});
}

TEST_CASE("ranks draw random numbers of their own", "[ranks]") {
  RankRun run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = aten.rand_like %x : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
              {{1, 2}, {1, 2}});
  CHECK(run.get(0) != run.get(1));
}
