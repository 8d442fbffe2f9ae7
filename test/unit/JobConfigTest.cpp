#include "titan/Config/JobConfig.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

using Strings = std::vector<std::string>;

static JobConfig parse(llvm::StringRef text, Strings *warnings = nullptr) {
  Strings ignored;
  auto config = parseJobConfig(text, "job", warnings ? *warnings : ignored);
  INFO(text.str());
  if (!config)
    FAIL(llvm::toString(config.takeError()));
  return *config;
}

static std::string parseError(llvm::StringRef text) {
  Strings warnings;
  auto config = parseJobConfig(text, "job", warnings);
  REQUIRE_FALSE(bool(config));
  return llvm::toString(config.takeError());
}

static void checkWhole(const JobConfig &config) {
  CHECK(config.compile.jointPasses ==
        Strings{"inductor_decomposition", "apply_sac{stop=none}"});
  CHECK(config.compile.passes == Strings{"full_inductor_compilation"});
  CHECK(config.compile.memoryPolicy == "full");
  CHECK(config.compile.fullRecomputeSaveOps == "layers.*::aten.mm.default");
  CHECK(config.activationCheckpoint.mode == "selective");
  CHECK(config.parallelism.fsdpReshardAfterForward == "never");
  CHECK(config.parallelism.pipelineParallelDegree == 4);
}

TEST_CASE("JSON and TOML say the same", "[config]") {
  checkWhole(parse(R"({
    "compile": {
      "joint_passes": ["inductor_decomposition", "apply_sac{stop=none}"],
      "passes": ["full_inductor_compilation"],
      "memory_policy": "full",
      "full_recompute_save_ops": "layers.*::aten.mm.default"},
    "activation_checkpoint": {"mode": "selective"},
    "parallelism": {"fsdp_reshard_after_forward": "never",
                    "pipeline_parallel_degree": 4}})"));
  checkWhole(parse(R"(
    [compile]
    joint_passes = ["inductor_decomposition", "apply_sac{stop=none}"]
    passes = ["full_inductor_compilation"]
    memory_policy = "full"
    full_recompute_save_ops = "layers.*::aten.mm.default"
    [activation_checkpoint]
    mode = "selective"
    [parallelism]
    fsdp_reshard_after_forward = "never"
    pipeline_parallel_degree = 4
  )"));
}

TEST_CASE("absent keys stay none, an empty list does not", "[config]") {
  for (llvm::StringRef text : {"", "{}", "[compile]\nenable = true",
                               "{\"compile\": {\"joint_passes\": null}}"}) {
    JobConfig config = parse(text);
    CHECK_FALSE(config.compile.jointPasses.has_value());
    CHECK_FALSE(config.activationCheckpoint.mode.has_value());
    CHECK_FALSE(config.parallelism.fsdpReshardAfterForward.has_value());
  }
  CHECK(parse("[compile]\njoint_passes = []").compile.jointPasses == Strings{});
}

TEST_CASE("unknown keys are warnings with the nearest known key", "[config]") {
  Strings warnings;
  parse(R"({"compiel": {}, "training": {"anything": 1},
            "compile": {"joint_pases": ["apply_sac"], "enable": true,
                        "zebra": 0}})",
        &warnings);
  CHECK(warnings ==
        Strings{"job: unknown key 'compiel' ignored; did you mean 'compile'?",
                "job: unknown key 'compile.joint_pases' ignored; did you mean "
                "'joint_passes'?",
                "job: unknown key 'compile.zebra' ignored"});
}

TEST_CASE("a wrong type is an error with the key's path", "[config]") {
  CHECK(parseError("[compile]\njoint_passes = \"apply_sac\"") ==
        "job: expected a list of strings at 'compile.joint_passes', found a "
        "string");
  CHECK(parseError("{\"compile\": {\"passes\": [\"cudagraph\", 3]}}") ==
        "job: expected a string at 'compile.passes[1]', found an integer");
  CHECK(parseError("compile = 1") ==
        "job: expected a table at 'compile', found an integer");
  CHECK(parseError("[activation_checkpoint]\nmode = false") ==
        "job: expected a string at 'activation_checkpoint.mode', found a bool");
  CHECK(parseError("{\"parallelism\": {\"pipeline_parallel_degree\": 1.5}}") ==
        "job: expected an integer at 'parallelism.pipeline_parallel_degree', "
        "found a float");
}

TEST_CASE("broken text is an error at its line", "[config]") {
  CHECK(parseError("{\"compile\": {\n  \"passes\": ]}}") ==
        "job:2:13: expected JSON, found ']'");
  CHECK(parseError("{\"compile\": ") ==
        "job:1:13: expected JSON, found the end of the file");
  CHECK_THAT(parseError("[compile]\npasses = [\n"),
             Catch::StartsWith("job:") && Catch::Contains("expected TOML: "));
}
