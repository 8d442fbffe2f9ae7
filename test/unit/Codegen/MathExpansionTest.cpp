// Functions that the code generator writes as arithmetic, held against libm, in
// vectors and one by one.
#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Dialect/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::titan;

// Numbers of all sizes and both signs, the special ones, and those around which
// results overflow, vanish or lose digits.
static std::vector<double> makeArguments() {
  double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> arguments = {
      0.0,    -0.0,   1.0,     -1.0,     infinity, -infinity, NAN,
      5e-324, 1e-310, -1e-310, 709.78,   709.79,   -708.4,    -745.1,
      -746,   1e308,  -1e308,  26.5,     27.3,     -27.3,     0.5,
      2.0,    1e-20,  -1e-20,  0x1p-1022};
  for (int exponent = -60; exponent < 12; ++exponent)
    for (double mantissa : {1.0, 1.1234567, 1.41421356, 1.9999})
      for (double sign : {1.0, -1.0})
        arguments.push_back(sign * std::ldexp(mantissa, exponent));
  return arguments;
}

// The values of the op called \p name at \p arguments, as compiled.
static std::vector<double> evaluate(StringRef name,
                                    std::vector<double> arguments) {
  DialectRegistry registry;
  registerTitanDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string type = "tensor<" + std::to_string(arguments.size()) + "xf64>";
  std::string text = "func.func @f(%x: " + type + ") -> " + type +
                     " {\n%0 = " + name.str() + " %x : (" + type + ") -> " +
                     type + "\nreturn %0 : " + type + "\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  auto loops = lowerKernels(*module);
  REQUIRE(succeeded(loops));
  auto code = CompiledKernels::compile(*module);
  REQUIRE(static_cast<bool>(code));
  std::vector<double> results(arguments.size());
  void *buffers[] = {arguments.data(), results.data()};
  for (const KernelPhase &phase : loops->lookup("f").phases)
    (*code)->lookup(phase.name)(buffers, 0, phase.trips);
  return results;
}

// Whether both are the same special value, or differ by at most \p limit units
// in the last place of f64.
static bool isNear(double actual, double expected, double limit) {
  if (std::isnan(expected) || std::isinf(expected) || expected == 0)
    return (std::isnan(actual) && std::isnan(expected)) || actual == expected ||
           std::fabs(actual - expected) <= 5e-324;
  int exponent = std::max(std::ilogb(expected), -1022);
  return std::fabs(actual - expected) <= limit * std::ldexp(1.0, exponent - 52);
}

static void check(StringRef name, double (*function)(double), double limit) {
  std::vector<double> arguments = makeArguments();
  // A size that is no multiple of the vector's leaves some for the end.
  arguments.resize(arguments.size() / 16 * 16 + 7, 0.75);
  std::vector<double> results = evaluate(name, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    INFO(name.str() << " of " << arguments[i] << " is " << results[i]
                    << ", expected " << function(arguments[i]));
    CHECK(isNear(results[i], function(arguments[i]), limit));
  }
  // The same numbers elsewhere have the same bits.
  std::vector<double> moved(arguments.begin() + 3, arguments.end());
  std::vector<double> again = evaluate(name, moved);
  for (size_t i = 0; i < moved.size(); ++i)
    CHECK((again[i] == results[i + 3] || std::isnan(again[i])));
}

TEST_CASE("functions as arithmetic agree with libm") {
  check("aten.exp", std::exp, 2);
  check("aten.expm1", std::expm1, 4);
  check("aten.log", std::log, 2);
  check("aten.log1p", std::log1p, 4);
  check("aten.tanh", std::tanh, 4);
  check("aten.erfc", std::erfc, 8);
}
