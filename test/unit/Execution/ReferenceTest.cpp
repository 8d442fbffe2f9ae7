// Kernels of the reference engine against values worked out by hand.
#include "titan/Dialect/Registration.h"
#include "titan/Execution/Interpreter.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;

namespace {

/// A module of one function, run with some arguments.
struct Run {
  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
  std::vector<RuntimeValue> results;

  Run(StringRef text, std::vector<RuntimeValue> arguments,
      RandomState random = {1, 0}) {
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
    Interpreter interpreter(random, {});
    auto function = *module->getOps<func::FuncOp>().begin();
    if (failed(interpreter.checkSupported(function)))
      return;
    auto values = interpreter.run(function, arguments);
    if (succeeded(values))
      results = *values;
  }
  Tensor tensor(size_t index = 0) {
    INFO(error);
    REQUIRE(index < results.size());
    REQUIRE(results[index].getIf<Tensor>());
    return *results[index].getIf<Tensor>();
  }
  Doubles doubles(size_t index = 0) {
    return tensor(index).getValues<double>();
  }
  Integers integers(size_t index = 0) {
    return tensor(index).getValues<int64_t>();
  }
};

} // namespace

static RuntimeValue f32(ArrayRef<int64_t> shape, const Doubles &values) {
  return Tensor::make(DType::F32, shape, values);
}

static RuntimeValue i64(ArrayRef<int64_t> shape, const Integers &values) {
  return Tensor::make(DType::I64, shape, values);
}

TEST_CASE("mm sums products along the inner dimension", "[reference]") {
  Run run(
      R"(func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>)
                 -> tensor<2x2xf32> {
    %0 = aten.mm %a, %b
        : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })",
      {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3, 2}, {7, 8, 9, 10, 11, 12})});
  CHECK(run.doubles() == Doubles{58, 64, 139, 154});
}

TEST_CASE("add scales by alpha and takes literals", "[reference]") {
  Run run(R"(func.func @f(%a: tensor<2xf32>, %b: tensor<1xf32>)
                 -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = aten.add.Tensor %a, %b, alpha = 2
        : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    %1 = aten.add.Tensor %0, 0.5 : (tensor<2xf32>) -> tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  })",
          {f32({2}, {1, 2}), f32({1}, {10})});
  CHECK(run.doubles(0) == Doubles{21, 22});
  CHECK(run.doubles(1) == Doubles{21.5, 22.5});
}

TEST_CASE("sums in bf16 round once, not at every step", "[reference]") {
  // Added one by one in bf16, 256 + 1 would stay 256.
  Doubles values(257, 1.0);
  values[0] = 256;
  Run run(R"(func.func @f(%a: tensor<257xbf16>) -> tensor<bf16> {
    %0 = aten.sum %a : (tensor<257xbf16>) -> tensor<bf16>
    return %0 : tensor<bf16>
  })",
          {Tensor::make(DType::BF16, {257}, values)});
  CHECK(run.doubles() == Doubles{512});
}

TEST_CASE("div(floor) agrees with the remainder", "[reference]") {
  Run run(R"(func.func @f(%a: tensor<2xf64>, %b: tensor<2xf64>)
                 -> (tensor<2xf64>, tensor<2xf64>) {
    %0 = aten.div.Tensor_mode %a, %b, rounding_mode = "floor"
        : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %1 = aten.remainder.Tensor %a, %b
        : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    return %0, %1 : tensor<2xf64>, tensor<2xf64>
  })",
          {Tensor::make(DType::F64, {2}, Doubles{1, -7}),
           Tensor::make(DType::F64, {2}, Doubles{0.1, 2})});
  CHECK(run.doubles(0) == Doubles{9, -4});
  CHECK(run.doubles(1)[1] == 1);
}

TEST_CASE("a slice of Python's kind cuts its ends", "[reference]") {
  Run run(R"(func.func @f(%a: tensor<5xi64>) -> (tensor<2xi64>, tensor<0xi64>) {
    %0 = aten.slice.Tensor %a, 0, -2, 9223372036854775807
        : (tensor<5xi64>) -> tensor<2xi64>
    %1 = aten.slice.Tensor %a, 0, 7, 9 : (tensor<5xi64>) -> tensor<0xi64>
    return %0, %1 : tensor<2xi64>, tensor<0xi64>
  })",
          {i64({5}, {0, 1, 2, 3, 4})});
  CHECK(run.integers(0) == Integers{3, 4});
  CHECK(run.tensor(1).getNumElements() == 0);
}

TEST_CASE("indexed dimensions that stand apart go to the front",
          "[reference]") {
  // x[i, :, j] of a 2 x 2 x 3 tensor.
  Run run(R"(func.func @f(%a: tensor<2x2x3xi64>, %i: tensor<2xi64>,
                          %j: tensor<2xi64>) -> tensor<2x2xi64> {
    %0 = aten.index.Tensor %a, [%i, none, %j]
        : (tensor<2x2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi64>
    return %0 : tensor<2x2xi64>
  })",
          {i64({2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
           i64({2}, {1, 0}), i64({2}, {-1, 1})});
  CHECK(run.integers() == Integers{8, 11, 1, 4});
}

TEST_CASE("an index out of range is an error at the op", "[reference]") {
  Run run(R"(func.func @f(%a: tensor<2xf32>, %i: tensor<1xi64>)
                 -> tensor<1xf32> {
    %0 = aten.gather %a, 0, %i
        : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })",
          {f32({2}, {1, 2}), i64({1}, {2})});
  CHECK(run.results.empty());
  CHECK_THAT(run.error, Catch::Contains("cannot execute 'aten.gather'") &&
                            Catch::Contains("index 2 is out of range"));
}

TEST_CASE("a result of another shape than the graph says is an error",
          "[reference]") {
  Run run(R"(func.func @f(%a: tensor<?xf32>) -> tensor<3xf32> {
    %0 = aten.relu %a : (tensor<?xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
          {f32({2}, {1, 2})});
  CHECK(run.results.empty());
  CHECK_THAT(run.error, Catch::Contains("[2], the graph says [3]"));
}

TEST_CASE("writes in place are seen through every view", "[reference]") {
  Run run(R"(func.func @f(%a: tensor<2x2xf32>, %b: tensor<2xf32>)
                 -> tensor<2x2xf32> {
    %0 = aten.t %a : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = aten.select.int %a, 0, 1 : (tensor<2x2xf32>) -> tensor<2xf32>
    %2 = aten.copy_ %1, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2x2xf32>
  })",
          {f32({2, 2}, {1, 2, 3, 4}), f32({2}, {8, 9})});
  CHECK(run.doubles() == Doubles{1, 8, 2, 9});
}

TEST_CASE("softmax of a row of minus infinity is NaN, or zero if safe",
          "[reference]") {
  Run run(R"(func.func @f(%a: tensor<2x2xf32>)
                 -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = aten._softmax %a, -1, false : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = aten._safe_softmax %a, -1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  })",
          {f32({2, 2}, {0, 0, -HUGE_VAL, -HUGE_VAL})});
  CHECK(run.doubles(0)[0] == 0.5);
  CHECK(std::isnan(run.doubles(0)[2]));
  CHECK(run.doubles(1) == Doubles{0.5, 0.5, 0, 0});
}

TEST_CASE("convolution and its gradients agree with a sum by hand",
          "[reference]") {
  // One channel of width 3, a kernel of 2: y = [x0 w0 + x1 w1, x1 w0 + x2 w1].
  Run run(R"(func.func @f(%x: tensor<1x1x3xf32>, %w: tensor<1x1x2xf32>,
                          %g: tensor<1x1x2xf32>)
      -> (tensor<1x1x2xf32>, tensor<1x1x3xf32>, tensor<1x1x2xf32>,
          tensor<1xf32>) {
    %0 = aten.convolution %x, %w, none, [1], [0], [1], false, [0], 1
        : (tensor<1x1x3xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
    %1:3 = aten.convolution_backward %g, %x, %w, [1], [1], [0], [1], false, [0],
        1, [true, true, true]
        : (tensor<1x1x2xf32>, tensor<1x1x3xf32>, tensor<1x1x2xf32>)
        -> (tensor<1x1x3xf32>, tensor<1x1x2xf32>, tensor<1xf32>)
    return %0, %1#0, %1#1, %1#2 : tensor<1x1x2xf32>, tensor<1x1x3xf32>,
        tensor<1x1x2xf32>, tensor<1xf32>
  })",
          {f32({1, 1, 3}, {1, 2, 3}), f32({1, 1, 2}, {10, 100}),
           f32({1, 1, 2}, {1, 2})});
  CHECK(run.doubles(0) == Doubles{210, 320});
  CHECK(run.doubles(1) == Doubles{10, 120, 200});
  CHECK(run.doubles(2) == Doubles{5, 8});
  CHECK(run.doubles(3) == Doubles{3});
}

TEST_CASE("dropout keeps what its mask says, by the layout of the generator",
          "[reference]") {
  Run run(R"(func.func @f(%x: tensor<1000xf32>)
                 -> (tensor<1000xf32>, tensor<1000xi1>) {
    %0:2 = aten.native_dropout %x, 2.5e-01, true
        : (tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xi1>)
    return %0#0, %0#1 : tensor<1000xf32>, tensor<1000xi1>
  })",
          {f32({1000}, Doubles(1000, 3.0))}, {42, 5});
  Integers mask = run.integers(1);
  Doubles output = run.doubles(0);
  int64_t kept = 0;
  RandomStream stream({42, 5});
  for (size_t i = 0; i < mask.size(); ++i) {
    REQUIRE(mask[i] == (stream.getUniform(i) >= 0.25));
    REQUIRE(output[i] == (mask[i] ? 4.0 : 0.0));
    kept += mask[i];
  }
  // Five deviations of a binomial: 750 +- 5 * sqrt(1000 * 0.75 * 0.25).
  CHECK(std::abs(kept - 750) < 69);
}

TEST_CASE("a saved state draws the same mask again", "[reference]") {
  StringRef text = R"(func.func @f(%x: tensor<64xf32>)
      -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
    %0:3 = titan.torch_op "higher_order.run_and_save_rng_state"(%x)
        {args = [#titan.python<"torch.ops.aten.native_dropout.default">,
                 #titan.arg<0>, 5.0e-01, true]}
        : (tensor<64xf32>)
        -> (!titan.opaque<"rng_state">, tensor<64xf32>, tensor<64xi1>)
    %1:2 = aten.native_dropout %x, 5.0e-01, true
        : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>)
    %2:2 = titan.torch_op "higher_order.run_with_rng_state"(%0#0, %x)
        {args = [#titan.arg<0>,
                 #titan.python<"torch.ops.aten.native_dropout.default">,
                 #titan.arg<1>, 5.0e-01, true]}
        : (!titan.opaque<"rng_state">, tensor<64xf32>)
        -> (tensor<64xf32>, tensor<64xi1>)
    return %0#2, %1#1, %2#1 : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
  })";
  Run run(text, {f32({64}, Doubles(64, 1.0))});
  CHECK(run.integers(2) == run.integers(0));
  CHECK(run.integers(1) != run.integers(0));
}

TEST_CASE("symbolic arithmetic follows Python", "[reference]") {
  Run run(R"mlir(func.func @f(%s: index) -> (index, index, i1) {
    %0 = titan.sym "((s0 - 10)//4)" = "(@0 - 10) // 4"(%s) : (index) -> index
    %1 = titan.sym "s0 % 4" = "-@0 % 4"(%s) : (index) -> index
    %2 = titan.sym "s0 >= 7" = "@0 >= 7"(%s) : (index) -> i1
    return %0, %1, %2 : index, index, i1
  })mlir",
          {RuntimeValue(int64_t(7))});
  REQUIRE(run.results.size() == 3);
  CHECK(*run.results[0].getIf<int64_t>() == -1);
  CHECK(*run.results[1].getIf<int64_t>() == 1);
  CHECK(*run.results[2].getIf<bool>());
}

TEST_CASE("ops without a kernel are reported together", "[reference]") {
  Run run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = titan.torch_op "lab.one.default"(%x) {args = [#titan.arg<0>]}
        : (tensor<2xf32>) -> tensor<2xf32>
    %1 = titan.torch_op "lab.one.default"(%0) {args = [#titan.arg<0>]}
        : (tensor<2xf32>) -> tensor<2xf32>
    %2 = titan.torch_op "lab.two.default"(%1) {args = [#titan.arg<0>]}
        : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  })",
          {f32({2}, {1, 2})});
  CHECK_THAT(run.error, Catch::Contains("'lab.one' (2 times)") &&
                            Catch::Contains("'lab.two' (1 time)"));
}

TEST_CASE("every op of the dialects has a kernel", "[reference]") {
  DialectRegistry registry;
  registerTitanDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Interpreter interpreter({}, {});
  std::string missing;
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.hasInterface<TorchOpInterface>() &&
        !interpreter.hasKernel(op.getStringRef()))
      missing += (op.getStringRef() + " ").str();
  CHECK(missing == "");
}

TEST_CASE("collectives of a group whose ranks hold equal data", "[reference]") {
  Run run(R"(func.func @f(%x: tensor<4xf32>)
                 -> (tensor<8xf32>, tensor<2xf32>) {
    %0 = c10d.all_gather_into_tensor %x, 2, "0"
        : (tensor<4xf32>) -> tensor<8xf32>
    %1 = c10d.wait_tensor %0 : (tensor<8xf32>) -> tensor<8xf32>
    %2 = c10d.reduce_scatter_tensor %x, "sum", 2, "0"
        : (tensor<4xf32>) -> tensor<2xf32>
    return %1, %2 : tensor<8xf32>, tensor<2xf32>
  })",
          {f32({4}, {1, 2, 3, 4})});
  CHECK(run.doubles(0) == Doubles{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(run.doubles(1) == Doubles{2, 4});
}
