// Kernels that the compiled engine takes from libraries, against the reference
// engine's, over shapes that fall on and beside block borders, layouts, and
// numbers of threads.
#include "titan/Dialect/Registration.h"
#include "titan/Execution/CompiledEngine.h"
#include "titan/Execution/EnginePaths.h"
#include "titan/Execution/Interpreter.h"
#include "titan/Execution/Kernel.h"
#include "titan/Execution/Threads.h"

#include "mlir/Parser/Parser.h"
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A module of one function that both engines run.
class Graph {
public:
  explicit Graph(const std::string &text) {
    DialectRegistry registry;
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
  }

  std::vector<Tensor> run(ArrayRef<RuntimeValue> arguments, bool isCompiled) {
    Interpreter interpreter({1, 0}, {});
    auto function = *module->getOps<func::FuncOp>().begin();
    CompiledEngine engine(interpreter);
    if (isCompiled) {
      REQUIRE(succeeded(engine.compile(*module, {function.getSymName()})));
      function = engine.getFunction(function.getSymName());
    } else {
      return runWith(reference, function, arguments);
    }
    return runWith(interpreter, function, arguments);
  }

private:
  static std::vector<Tensor> runWith(Interpreter &interpreter,
                                     func::FuncOp function,
                                     ArrayRef<RuntimeValue> arguments) {
    auto values = interpreter.run(function, arguments);
    REQUIRE(succeeded(values));
    std::vector<Tensor> tensors;
    for (const RuntimeValue &value : *values) {
      REQUIRE(value.getIf<Tensor>());
      tensors.push_back(*value.getIf<Tensor>());
    }
    return tensors;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Interpreter reference{{1, 0}, {}};
};

} // namespace

// Numbers between -1 and 1 without a pattern that a kernel's blocks share.
static Tensor makeNumbers(ArrayRef<int64_t> shape, uint32_t seed) {
  std::vector<double> values(countElements(shape));
  for (double &value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<double>(seed >> 8) / (1 << 23) - 1;
  }
  return Tensor::make(DType::F32, shape, values);
}

static std::string getType(ArrayRef<int64_t> shape, const char *element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

// The largest difference, of numbers that are finite on both sides or the same.
static double getDifference(const Tensor &a, const Tensor &b) {
  REQUIRE(a.getShape() == b.getShape());
  std::vector<double> left = a.getValues<double>();
  std::vector<double> right = b.getValues<double>();
  double largest = 0;
  for (size_t i = 0; i < left.size(); ++i)
    if (left[i] != right[i])
      largest = std::max(largest, std::isfinite(left[i] - right[i])
                                      ? std::abs(left[i] - right[i])
                                      : HUGE_VAL);
  return largest;
}

static std::vector<char> getAllBytes(ArrayRef<Tensor> tensors) {
  std::vector<char> bytes;
  for (const Tensor &tensor : tensors)
    llvm::append_range(bytes, tensor.getBytes());
  return bytes;
}

static std::string getAttentionGraph(ArrayRef<int64_t> query,
                                     ArrayRef<int64_t> key, bool isCausal) {
  std::string q = getType(query, "f32"), k = getType(key, "f32");
  std::string sums = getType(query.drop_back(), "f32");
  std::string causal = isCausal ? "true" : "false";
  return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k + ", %g: " + q +
         ") -> (" + q + ", " + q + ", " + k + ", " + k +
         ") {\n  %o, %l = aten._scaled_dot_product_flash_attention_for_cpu "
         "%q, %k, %v, 0.0, " +
         causal + " : (" + q + ", " + k + ", " + k + ") -> (" + q + ", " +
         sums +
         ")\n  %dq, %dk, %dv = "
         "aten._scaled_dot_product_flash_attention_for_cpu_backward %g, %q, "
         "%k, %v, %o, %l, 0.0, " +
         causal + " : (" + q + ", " + q + ", " + k + ", " + k + ", " + q +
         ", " + sums + ") -> (" + q + ", " + k + ", " + k +
         ")\n  return %o, %dq, %dk, %dv : " + q + ", " + q + ", " + k + ", " +
         k + "\n}";
}

TEST_CASE("attention in blocks computes what the formula says", "[library]") {
  bool isCausal = GENERATE(false, true);
  auto [queries, keys] = GENERATE(
      std::pair<int64_t, int64_t>{1, 1}, std::pair<int64_t, int64_t>{64, 64},
      std::pair<int64_t, int64_t>{65, 65}, std::pair<int64_t, int64_t>{130, 7},
      std::pair<int64_t, int64_t>{3, 129});
  int64_t query[] = {2, 3, queries, 8}, key[] = {2, 3, keys, 8};
  INFO(queries << " queries, " << keys << " keys, causal " << isCausal);
  Graph graph(getAttentionGraph(query, key, isCausal));
  // The query and the gradient lie as [batch, sequence, heads, width].
  int64_t laid[] = {2, queries, 3, 8};
  RuntimeValue arguments[] = {makeNumbers(laid, 1).transpose(1, 2),
                              makeNumbers(key, 2), makeNumbers(key, 3),
                              makeNumbers(laid, 4).transpose(1, 2)};
  std::vector<Tensor> expected = graph.run(arguments, /*isCompiled=*/false);
  std::vector<Tensor> actual = graph.run(arguments, /*isCompiled=*/true);
  REQUIRE(actual.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    INFO("result " << i);
    CHECK(getDifference(expected[i], actual[i]) < 4e-6);
  }
  CHECK(getAllBytes(graph.run(arguments, true)) == getAllBytes(actual));
}

TEST_CASE("attention of equal scores is the mean of the values", "[library]") {
  int64_t shape[] = {1, 1, 2, 2};
  Graph graph(getAttentionGraph(shape, shape, /*isCausal=*/false));
  Tensor zeros(DType::F32, shape);
  Tensor values =
      Tensor::make(DType::F32, shape, std::vector<double>{1, 2, 3, 6});
  std::vector<Tensor> results =
      graph.run({zeros, makeNumbers(shape, 1), values, zeros}, true);
  CHECK(results[0].getValues<double>() == std::vector<double>{2, 4, 2, 4});
}

static std::string getPoolGraph(ArrayRef<int64_t> in, ArrayRef<int64_t> out,
                                const std::string &window) {
  std::string x = getType(in, "f32"), y = getType(out, "f32");
  std::string places = getType(out, "i64");
  return "func.func @f(%x: " + x + ", %g: " + y + ") -> (" + y + ", " + places +
         ", " + x + ") {\n  %0, %1 = aten.max_pool2d_with_indices %x, " +
         window + " : (" + x + ") -> (" + y + ", " + places +
         ")\n  %2 = aten.max_pool2d_with_indices_backward %g, %x, " + window +
         ", false, %1 : (" + y + ", " + x + ", " + places + ") -> " + x +
         "\n  return %0, %1, %2 : " + y + ", " + places + ", " + x + "\n}";
}

TEST_CASE("pools of maxima have the reference's bits", "[library]") {
  struct Case {
    std::vector<int64_t> in, out;
    std::string window;
  };
  Case test = GENERATE(
      Case{{2, 3, 8, 8}, {2, 3, 4, 4}, "[3, 3], [2, 2], [1, 1], [1, 1]"},
      Case{{1, 7, 9}, {1, 3, 4}, "[3, 2], [2, 2], [0, 0], [1, 1]"},
      Case{{1, 2, 9, 9}, {1, 2, 4, 4}, "[3, 3], [2, 2], [1, 1], [2, 2]"});
  Graph graph(getPoolGraph(test.in, test.out, test.window));
  std::vector<double> values = makeNumbers(test.in, 5).getValues<double>();
  // Ties, and NaNs, of which the last of a window counts.
  for (size_t i = 0; i < values.size(); i += 3)
    values[i] = 0.5;
  values[10] = values[20] = std::nan("");
  Tensor input = Tensor::make(DType::F32, test.in, values);
  RuntimeValue arguments[] = {input, makeNumbers(test.out, 6)};
  CHECK(getAllBytes(graph.run(arguments, true)) ==
        getAllBytes(graph.run(arguments, false)));
}

TEST_CASE("parts cover a range once and begin at grains", "[threads]") {
  int64_t before = getNumThreads();
  int64_t threads = GENERATE(1, 2, 3);
  auto [count, grain] = GENERATE(
      std::pair<int64_t, int64_t>{0, 4}, std::pair<int64_t, int64_t>{1, 4},
      std::pair<int64_t, int64_t>{9, 4}, std::pair<int64_t, int64_t>{64, 1});
  setNumThreads(threads);
  std::vector<std::atomic<int>> visits(count);
  std::atomic<int64_t> parts = 0, misplaced = 0;
  parallelFor(count, grain, [&, grain = grain](int64_t begin, int64_t end) {
    ++parts;
    misplaced += begin % grain != 0 || begin >= end;
    for (int64_t i = begin; i < end; ++i)
      ++visits[i];
    // Inside of a part nothing is divided.
    int64_t inner = 0;
    parallelFor(8, 1, [&](int64_t, int64_t) { ++inner; });
    misplaced += threads > 1 && end - begin < count && inner != 1;
  });
  CHECK(misplaced == 0);
  CHECK(parts <= threads);
  for (const std::atomic<int> &visit : visits)
    CHECK(visit == 1);
  setNumThreads(before);
}

TEST_CASE("the list of library ops is that of the kernels", "[library]") {
  Interpreter interpreter({1, 0}, {});
  CompiledEngine engine(interpreter);
  std::set<std::string> listed;
  for (StringRef name : getLibraryOps())
    listed.insert(name.str());
  // A new kernel needs a line in EnginePaths.cpp.
  CHECK(interpreter.getKernels().getFaster() == listed);
}
