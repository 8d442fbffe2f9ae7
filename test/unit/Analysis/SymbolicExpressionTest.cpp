#include "titan/Analysis/SymbolicExpression.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace mlir::titan;

static std::optional<int64_t> evaluate(llvm::StringRef text) {
  return evaluateExpression(text, [](llvm::StringRef symbol) -> int64_t {
    return symbol == "s0" ? 7 : symbol == "s1" ? 10 : 4096;
  });
}

TEST_CASE("sizes are evaluated as Python would", "[symbols]") {
  CHECK(evaluate("12") == 12);
  CHECK(evaluate("2*s0") == 14);
  CHECK(evaluate("s0*s1 + 1") == 71);
  CHECK(evaluate("s0 - s1 - 1") == -4);
  CHECK(evaluate("(s0//2)") == 3);
  CHECK(evaluate("-s0//2") == -4);
  CHECK(evaluate("s1 % 4") == 2);
  CHECK(evaluate("-s0 % 4") == 1);
  CHECK(evaluate("s0**2") == 49);
  CHECK(evaluate("Max(1, u0)") == 4096);
  CHECK(evaluate("Min(s0, s1, 8)") == 7);
  CHECK(evaluate("FloorDiv(s1, 3)") == 3);
  CHECK(evaluate("CeilDiv(s1, 3)") == 4);
  CHECK(evaluate("ModularIndexing(s1, 2, 3)") == 2);
}

TEST_CASE("what is no size is not guessed", "[symbols]") {
  CHECK_FALSE(evaluate(""));
  CHECK_FALSE(evaluate("s0 +"));
  CHECK_FALSE(evaluate("(s0"));
  CHECK_FALSE(evaluate("s0//0"));
  CHECK_FALSE(evaluate("0.5*s0"));
  CHECK_FALSE(evaluate("Piecewise(s0)"));
  CHECK_FALSE(evaluate("s0 s1"));
}

TEST_CASE("sizes beyond 64 bits saturate", "[symbols]") {
  CHECK(evaluate("4096**63") == INT64_MAX);
  CHECK(evaluate(std::string(100000, '(')) == std::nullopt);
  CHECK(evaluate(std::string(100000, '-') + "1") == std::nullopt);
}

TEST_CASE("the symbols of an expression are found", "[symbols]") {
  std::vector<std::string> found;
  visitSymbols("Max(1, u12)*s0 + size",
               [&](llvm::StringRef symbol) { found.push_back(symbol.str()); });
  CHECK(found == std::vector<std::string>{"u12", "s0"});
}
