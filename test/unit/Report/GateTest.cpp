#include "titan/Report/Gate.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

// Holds, does not hold, or is wrong.
static std::string judge(const std::string &expression,
                         const std::string &json) {
  llvm::Expected<Gate> gate = parseGate(expression);
  if (!gate)
    return "wrong: " + toString(gate.takeError());
  auto verdict = evaluateGate(*gate, json);
  if (!verdict)
    return "wrong: " + toString(verdict.takeError());
  return verdict->value_or("no");
}

TEST_CASE("gates compare as written", "[report]") {
  const std::string json = R"({"peak": {"bytes": 2048, "share": 0.5}})";
  CHECK(judge("peak.bytes > 1KiB", json) ==
        "'peak.bytes' is 2048, which is > 1KiB");
  for (const char *fulfilled :
       {"peak.bytes>=2KiB", "peak.bytes == 2048", "peak.bytes<= 2048B",
        "peak.bytes < 1.5MiB", "peak.bytes != 1", "peak.share > 0.25"})
    CHECK(judge(fulfilled, json).find("' is ") != std::string::npos);
  for (const char *open : {"peak.bytes > 2KiB", "peak.bytes < 2KiB",
                           "peak.bytes != 2KiB", "peak.share == 1"})
    CHECK(judge(open, json) == "no");
}

TEST_CASE("a gate without a comparison, a number or a place is wrong",
          "[report]") {
  const std::string json = R"({"peak": {"bytes": 1, "name": "mm"}})";
  for (const char *wrong : {"peak.bytes", "peak.bytes > much", "peak.bytes >",
                            "peak.byte > 1", "peak.name > 1", "peak > 1"})
    CHECK(judge(wrong, json).substr(0, 6) == "wrong:");
}
