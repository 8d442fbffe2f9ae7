#include "titan/Report/Report.h"

#include "titan/Report/PlanFile.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

static Report makeReport() {
  Report report;
  report.input.file = "a \"b\".txt";
  report.input.format = "fx";
  report.input.ops = 3;
  report.input.forwardOutputs = 1;
  Report::Partition &partition = report.partition.emplace();
  partition.partitioner = "min-cut";
  partition.compat = "titan";
  partition.plan.saved.push_back(
      {"mm", "value", "tensor<4x4xf32>", 64, "why", "aten.mm", "layer", "a:1"});
  partition.plan.savedBytes = 64;
  partition.plan.merged.push_back({"mm_9", "mm"});
  return report;
}

TEST_CASE("sizes and work have units", "[report]") {
  CHECK(formatBytes(0) == "0 B");
  CHECK(formatBytes(1023) == "1023 B");
  CHECK(formatBytes(1024) == "1.00 KiB");
  CHECK(formatBytes(8 << 20) == "8.00 MiB");
  CHECK(formatFlops(1) == "1 FLOP");
  CHECK(formatFlops(12350000000) == "12.35 GFLOP");
}

TEST_CASE("the report is JSON in the order of its contract", "[report]") {
  std::string json = toJson(makeReport());
  size_t last = 0;
  for (const char *key : {"\"schema\": \"titan.report/1\"", "\"input\"",
                          "a \\\"b\\\".txt", "\"passes\"", "\"partition\"",
                          "\"saved\"", "\"saved_bytes\": 64", "\"tags\""}) {
    size_t place = json.find(key, last);
    INFO(key);
    REQUIRE(place != std::string::npos);
    last = place;
  }
}

TEST_CASE("a report without a partition says so", "[report]") {
  Report report = makeReport();
  report.partition.reset();
  CHECK(toJson(report).find("saved_bytes") == std::string::npos);
}

TEST_CASE("the screen has what is saved", "[report]") {
  std::string screen = toScreen(makeReport());
  CHECK(screen.find("64 B in 1 value") != std::string::npos);
}

TEST_CASE("a plan names fates and merges", "[report]") {
  GraphSignature signature;
  signature.fingerprint = "sha256:0";
  signature.nodes = {"x: f32[4]"};
  std::string json =
      toPlanJson(signature, makeReport(), {{"mm", true}, {"relu", false}});
  CHECK(json.find("\"mm\": \"save\"") != std::string::npos);
  CHECK(json.find("\"relu\": \"recompute\"") != std::string::npos);
  CHECK(json.find("\"mm_9\": \"mm\"") != std::string::npos);
}
