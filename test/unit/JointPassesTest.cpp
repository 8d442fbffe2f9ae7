#include "titan/Transforms/JointPasses.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

using Strings = std::vector<std::string>;

namespace {
struct Messages : PassObserver {
  void info(llvm::StringRef message) override {
    infos.push_back(message.str());
  }
  Strings infos;
};

struct Build {
  explicit Build(const JointPassOptions &options)
      : context(makeRegistry()), manager(&context, "builtin.module") {
    llvm::Error failure =
        buildJointPassPipeline(manager, &context, options, &messages);
    error = llvm::toString(std::move(failure));
    llvm::raw_string_ostream stream(pipeline);
    manager.printAsTextualPipeline(stream);
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registry.insert<TitanDialect, aten::AtenDialect>();
    return registry;
  }

  /// The names of the passes, in order.
  Strings getPasses() {
    Strings names;
    for (Pass &pass : manager)
      names.push_back(pass.getArgument().str());
    return names;
  }

  MLIRContext context;
  PassManager manager;
  Messages messages;
  std::string error;
  std::string pipeline;
};
} // namespace

static JointPassOptions list(Strings passes) {
  JointPassOptions options;
  options.jointPasses = std::move(passes);
  return options;
}

static std::string buildError(const JointPassOptions &options) {
  return Build(options).error;
}

TEST_CASE("commas in braces do not split a pass list", "[joint-passes]") {
  CHECK(splitPassList("")->empty());
  CHECK(*splitPassList("apply_sac") == Strings{"apply_sac"});
  CHECK(*splitPassList("apply_sac{stop=none inherit=getitem,wait},b") ==
        Strings{"apply_sac{stop=none inherit=getitem,wait}", "b"});
  CHECK(*splitPassList("a,,b") == Strings{"a", "", "b"});
  CHECK(llvm::toString(splitPassList("a{b,c").takeError()) ==
        "expected '}' at the end of pass list 'a{b,c'");
  CHECK(llvm::toString(splitPassList("a},c").takeError()) ==
        "unexpected '}' in pass list 'a},c'");
}

TEST_CASE("the user's order holds, the gathers come last", "[joint-passes]") {
  JointPassOptions options =
      list({"apply_sac", "validate_flex_attn_annotation"});
  options.reshardAfterForward = "never";
  Build build(options);
  CHECK(build.error.empty());
  CHECK(build.getPasses() == Strings{"titan-override-eager-ac",
                                     "titan-apply-sac",
                                     "titan-validate-flex-attn-annotation",
                                     "titan-fsdp-reshard-after-fwd"});
  CHECK_THAT(build.pipeline,
             Catch::Contains("titan-fsdp-reshard-after-fwd{reshard=false}"));
  CHECK(build.messages.infos ==
        Strings{"Using joint passes from config: ['apply_sac', "
                "'validate_flex_attn_annotation']"});
}

TEST_CASE("decompositions come first, once", "[joint-passes]") {
  Build build(
      list({"apply_sac", "inductor_decomposition",
            "validate_flex_attn_annotation", "inductor_decomposition"}));
  CHECK(build.error.empty());
  CHECK(build.getPasses() ==
        Strings{"titan-inductor-decomposition", "titan-override-eager-ac",
                "titan-apply-sac", "titan-validate-flex-attn-annotation"});
}

TEST_CASE("nothing chosen is nothing run", "[joint-passes]") {
  Build build(JointPassOptions{});
  CHECK(build.error.empty());
  CHECK(build.getPasses().empty());
  CHECK(build.messages.infos.empty());
}

TEST_CASE("gathers are freed by default unless there is a pipeline",
          "[joint-passes]") {
  JointPassOptions options;
  options.reshardAfterForward = "default";
  CHECK_THAT(Build(options).pipeline, Catch::Contains("reshard=true"));
  options.hasPipeline = true;
  CHECK_THAT(Build(options).pipeline, Catch::Contains("reshard=false"));
  options.reshardAfterForward = "always";
  CHECK_THAT(Build(options).pipeline, Catch::Contains("reshard=true"));
  options.reshardAfterForward = "sometimes";
  CHECK(buildError(options) ==
        "Invalid fsdp_reshard_after_forward_policy: sometimes.");
}

TEST_CASE("options stand in braces", "[joint-passes]") {
  Build build(list({"apply_sac{stop=none inherit=getitem,wait}"}));
  CHECK(build.error.empty());
  CHECK_THAT(build.pipeline, Catch::Contains("stop=none") &&
                                 Catch::Contains("inherit={getitem,wait}"));
  CHECK(buildError(list({"apply_sac{stoop=none}"})) ==
        "joint pass 'apply_sac' cannot read its options 'stoop=none': no such "
        "option stoop; see --titan-apply-sac in --help-mlir");
  CHECK(buildError(list({"apply_sac{stop=never}"})) ==
        "joint pass 'apply_sac' cannot read its options 'stop=never'; see "
        "--titan-apply-sac in --help-mlir");
  CHECK_THAT(buildError(list({"apply_sac{inherit=getitem,waits}"})),
             Catch::Contains("expected 'getitem' or 'wait' in inherit, found "
                             "'waits'; did you mean 'wait'?"));
  CHECK_THAT(buildError(list({"validate_flex_attn_annotation{stop=none}"})),
             Catch::Contains("'validate_flex_attn_annotation'"));
}

TEST_CASE("an unknown joint pass is named with what there is",
          "[joint-passes]") {
  const std::string known =
      "['inductor_decomposition', 'fsdp_reshard_after_fwd', "
      "'validate_flex_attn_annotation', 'apply_sac']";
  CHECK(buildError(list({"zebra"})) ==
        "Unknown joint pass: zebra. Available joint passes: " + known);
  CHECK(buildError(list({"aply_sac"})) ==
        "Unknown joint pass: aply_sac. Available joint passes: " + known +
            "; did you mean 'apply_sac'?");
  // Names are matched as they are.
  CHECK_THAT(buildError(list({" apply_sac"})),
             Catch::StartsWith("Unknown joint pass:  apply_sac."));
  CHECK_THAT(buildError(list({"Apply_sac"})),
             Catch::StartsWith("Unknown joint pass: Apply_sac."));
}

TEST_CASE("the decision on gathers cannot be listed", "[joint-passes]") {
  CHECK(buildError(list({"fsdp_reshard_after_fwd"})) ==
        "joint pass 'fsdp_reshard_after_fwd' needs a decision and always runs "
        "last; instead of listing it, use "
        "--fsdp-reshard-after-forward=always|never|default");
}

TEST_CASE("compiler passes are checked in torchtitan's order",
          "[joint-passes]") {
  auto error = [](Strings passes, Strings joint = {}) {
    JointPassOptions options = list(std::move(joint));
    options.compilerPasses = std::move(passes);
    return buildError(options);
  };
  CHECK(error({"foo", "cudagraph", "bar"}) ==
        "cudagraph has to be the last pass to apply");
  CHECK(error({"autobucketing_reordering", "transformer_block_bucketing"}) ==
        "Cannot apply autobucketing_reordering and transformer_block_bucketing "
        "at the same time!");
  CHECK(error({"full_inductor_compilation"}) ==
        "full_inductor_compilation pass requires inductor_decomposition to be "
        "specified in joint_passes. Please add --compile.joint_passes "
        "inductor_decomposition");
  CHECK(error({"cudagraf"}) ==
        "Unknown compiler pass: cudagraf. Available compiler passes: "
        "['autobucketing_reordering', 'transformer_block_bucketing', "
        "'regional_inductor', 'cudagraph', 'full_inductor_compilation']; did "
        "you mean 'cudagraph'?");
  CHECK(error({"cudagraph"}) == "compiler pass 'cudagraph' is not supported "
                                "yet; leave --passes out");
  // An unknown joint pass is reported first.
  CHECK_THAT(error({"cudagraf"}, {"zebra"}),
             Catch::StartsWith("Unknown joint pass: zebra."));
}

TEST_CASE("a memory policy is apply_sac with its options", "[joint-passes]") {
  JointPassOptions options;
  options.memoryPolicy = "default";
  Build build(options);
  CHECK(build.error.empty());
  CHECK(build.getPasses() ==
        Strings{"titan-override-eager-ac", "titan-apply-sac"});
  for (const char *text :
       {"stop=none", "inherit={getitem,wait}", "region=none",
        "mm-alternate=off", "save-set=head", "boundary-save=true",
        "recompute=prefer", "forward-only=true", "save-symbols=true",
        "save-gathered-params=false"})
    CHECK_THAT(build.pipeline, Catch::Contains(text));

  options.jointPasses = {"apply_sac{save-set=seed}",
                         "validate_flex_attn_annotation"};
  options.reshardAfterForward = "never";
  Build listed(options);
  CHECK(listed.getPasses() == Strings{"titan-override-eager-ac",
                                      "titan-apply-sac",
                                      "titan-validate-flex-attn-annotation"});
  CHECK_THAT(listed.pipeline, Catch::Contains("save-set=seed") &&
                                  Catch::Contains("mm-alternate=off") &&
                                  Catch::Contains("save-gathered-params=true"));

  options = {};
  options.memoryPolicy = "eager";
  CHECK_THAT(Build(options).pipeline,
             Catch::Contains("mm-alternate=per-layer"));
}

TEST_CASE("unknown memory policies are refused", "[joint-passes]") {
  JointPassOptions options;
  options.memoryPolicy = "ful";
  CHECK(buildError(options) ==
        "Unknown memory_policy: 'ful'. Available: ['default', 'full', 'eager', "
        "'sac_and_offload']; did you mean 'full'?");
  options.memoryPolicy = "sac_and_offload";
  CHECK_THAT(buildError(options), Catch::Contains("not supported yet"));
}

TEST_CASE("selectors of the full policy", "[joint-passes]") {
  auto error = [](llvm::StringRef selectors, llvm::StringRef policy = "full") {
    JointPassOptions options;
    options.memoryPolicy = policy.str();
    options.fullRecomputeSaveOps = selectors.str();
    return buildError(options);
  };
  CHECK(error("layers.*.moe.router.gate :: aten.mm.default | "
              "layers.*.attention :: higher_order.flex_attention")
            .empty());
  CHECK(error("layers.7.attention.wo :: torch.ops.aten.mm.default").empty());
  CHECK(error("   ").empty());

  CHECK(error("layers.*") ==
        "Invalid --compile.full_recompute_save_ops selector 'layers.*'; "
        "expected 'MODULE_FQN_PATTERN::OP'");
  CHECK(error(":: aten.mm.default") ==
        "Invalid --compile.full_recompute_save_ops selector ':: "
        "aten.mm.default'; expected 'MODULE_FQN_PATTERN::OP'");
  CHECK(error("layers.* ::  ") ==
        "Invalid --compile.full_recompute_save_ops selector 'layers.* ::'; "
        "expected 'MODULE_FQN_PATTERN::OP'");
  CHECK(error("layers.*::aten.topkk.default") ==
        "Unknown op in --compile.full_recompute_save_ops: "
        "'aten.topkk.default'; did you mean 'aten.topk'?");
  CHECK(error("layers.*::aten.mm") ==
        "Ops in --compile.full_recompute_save_ops must name a specific "
        "overload or higher-order op, got 'aten.mm'");

  for (llvm::StringRef policy : {"default", "eager", ""})
    CHECK(error("layers.*::aten.mm.default", policy) ==
          "--compile.full_recompute_save_ops requires --compile.memory_policy "
          "full");
}

TEST_CASE("save lists are checked where Titan knows the ops",
          "[joint-passes]") {
  auto error = [](Strings ops) {
    JointPassOptions options = list({"apply_sac"});
    options.saveOps = std::move(ops);
    return buildError(options);
  };
  CHECK(error({"torch.ops.aten.mm.default", "aten::mm", "lab.fused_norm"})
            .empty());
  CHECK(error({"aten.nm"}) == "unknown op 'aten.nm'; did you mean 'aten.mm'?");
  CHECK_THAT(error({"aten.add"}),
             Catch::StartsWith("expected one overload, found 'aten.add', which "
                               "stands for several; name one of '") &&
                 Catch::Contains("'aten.add.Tensor'"));
}

TEST_CASE("flags win over the job configuration", "[joint-passes]") {
  JobConfig config;
  config.compile.jointPasses = Strings{"apply_sac"};
  config.compile.memoryPolicy = "eager";
  config.activationCheckpoint.mode = "selective";
  config.parallelism.fsdpReshardAfterForward = "default";
  config.parallelism.pipelineParallelDegree = 2;

  JointPassOptions options;
  options.memoryPolicy = "full";
  applyJobConfig(options, config);
  CHECK(options.jointPasses == Strings{"apply_sac"});
  CHECK(options.memoryPolicy == "full");
  CHECK(options.acMode == "selective");
  CHECK(options.reshardAfterForward == "default");
  CHECK(options.hasPipeline);
}
