// Every option of titan-opt with its help and its page of the reference. The
// order here is the order there.
#include "OptionSet.h"

using namespace mlir::titan;

void OptionSet::declareInput() {
  const char *group = "Input";
  addText("--input-format", options.inputFormat, group, "KIND",
          "What the input is, where its content does not say it",
          "`auto` looks at the content: bytecode and MLIR text by their first "
          "bytes, a raw `TORCH_TRACE` log by its prefixed lines, everything "
          "else as the text that PyTorch's `print_readable` writes.")
      .choices = {
      {"auto", "by content", ""},
      {"mlir", "MLIR text or bytecode", ""},
      {"fx", "`print_readable` text, with or without log prefixes", ""},
      {"trace", "a raw `TORCH_TRACE` log", ""}};
  addText("--graph", options.graph, group, "NAME|INDEX",
          "Which graph of a trace log; the last joint graph by default",
          "`--list-graphs` prints names and indices.");
  addText("--graph-info", options.graphInfo, group, "FILE.json",
          "What the printed text of a graph does not carry",
          "Reads `num_forward_outputs`, `static_inputs`, `symbols` (hints), "
          "`tags`, `partitioner_tags`, `placeholder_desc` and "
          "`meta.NAME.fqn`; other keys are ignored.");
  add(app.add_option("--num-forward-outputs", options.numForwardOutputs,
                     "How many results are forward outputs"),
      group, "N",
      "Without it: `--graph-info`, else the graph's descriptors, else the "
      "position of the first result that a tangent reaches, minus the `None` "
      "entries directly before it. Doubtful cases warn.");
  addFlag("--allow-unknown", options.allowUnknown, group,
          "Skip what the importer does not understand",
          "What can be skipped becomes a warning with a count instead of an "
          "error.");
}

void OptionSet::declarePasses() {
  const char *group = "Passes";
  addList("--joint-passes,--compile.joint_passes", options.jointPasses, group,
          "NAME,...", "Passes on the joint graph, by registry name",
          "In the order given. Options stand in braces: "
          "`apply_sac{stop=none inherit=getitem,wait}`. `--list-passes` "
          "prints the registry.");
  addList("--passes,--compile.passes", options.passes, group, "NAME,...",
          "Passes on the forward and on the backward function",
          "Names are checked as torchtitan checks them; none can be run yet. "
          "Passes of MLIR run with their own options, after the partition.");
  addText("--memory-policy", options.memoryPolicy, group, "POLICY",
          "Sets the options of `apply_sac` as a memory policy does", "")
      .choices = {{"default", "save what is dear, recompute the rest", ""},
                  {"full", "recompute every layer", ""},
                  {"eager", "as eager activation checkpointing tags", ""},
                  {"sac_and_offload", "", "the memory planner"}};
  addList("--sac-save-ops", options.sacSaveOps, group, "OP,...",
          "Ops that `apply_sac` saves, instead of its own list",
          "Every spelling of an op works: `aten.mm`, `aten.mm.default`, "
          "`torch.ops.aten.mm.default`, `aten::mm`.");
  addList("--full-recompute-save-ops,--compile.full_recompute_save_ops",
          options.fullRecomputeSaveOps, group, "SELECTOR,...",
          "Ops that the policy `full` saves nevertheless", "");
  addText("--fsdp-reshard-after-forward,"
          "--parallelism.fsdp_reshard_after_forward",
          options.fsdpReshardAfterForward, group, "WHEN",
          "Runs `fsdp_reshard_after_fwd`, after all other joint passes",
          "Without it, and without a job configuration that sets it, the pass "
          "does not run.")
      .choices = {{"always", "gather parameters again in the backward", ""},
                  {"never", "keep gathered parameters", ""},
                  {"default", "as `always`, without pipeline parallelism", ""}};
  addText("--job-config", options.jobConfig, group, "FILE",
          "A training job's configuration, JSON or TOML",
          "Options on the command line win over the file. Unknown keys are "
          "warnings, wrong types errors with the path of the key.");
}

void OptionSet::declarePartition() {
  const char *group = "Partition";
  addText("--partitioner", options.partitioner, group, "KIND",
          "How to split the joint function; `none` by default",
          "A step graph is split by its phases; the seed goes to the backward.")
      .choices = {
      {"none", "leave the joint function whole", ""},
      {"default", "save what the tags say and what the backward reads", ""},
      {"min-cut", "save the fewest bytes, by a minimum cut", ""},
      {"peak", "", "the memory planner"},
      {"exact", "", "the memory planner"}};
  addText("--compat", options.compat, group, "RULES",
          "Whose rules decide; `titan` by default", "")
      .choices = {
      {"titan", "Titan's own: real storage, every tag honoured", ""},
      {"pytorch", "PyTorch 2.15's partitioners to the letter", ""},
      {"pt2.2", "PyTorch 2.2's", ""}};
  addFlag("--recompute-in-place", options.recomputeInPlace, group,
          "Keep one function and recompute before backward users",
          "With `--partitioner=none`: copies of the ops tagged for "
          "recomputation stand before their first use in the backward.");
}

void OptionSet::declareOutput() {
  const char *group = "Output";
  addText("-o,--output", options.output, group, "FILE",
          "Where the result goes; the standard output by default",
          "Written under a temporary name and renamed when complete; a target "
          "that exists and is no regular file is written directly.");
  addText("--emit", options.emit, group, "KIND",
          "What leaves; `mlir` by default", "")
      .choices = {
      {"mlir", "MLIR text", ""},
      {"bytecode", "MLIR bytecode", ""},
      {"fx", "readable PyTorch text with the same names", ""},
      {"plan", "the plan as JSON, for `titan_plan.py`", ""},
      {"linalg", "aten and prims lowered to linalg", ""},
      {"llvm", "", "the GPU code generation stage"},
      {"ptx", "kernels for `--target` as PTX, into the folder `-o`", ""},
      {"cubin", "the same, assembled by ptxas", ""},
      {"object", "", "the GPU code generation stage"},
      {"shared", "", "the GPU code generation stage"}};
  addText("--target", options.target, group, "ARCH",
          "The GPU to generate code for: `sm_80`, `sm_90a`, `sm_100a`",
          "Needed by `--emit=ptx` and `--emit=cubin`.");
  addText("--cuda-path", options.cudaPath, group, "DIR",
          "Where the CUDA toolkit is",
          "Without it: the folder that CUDA_HOME names, /usr/local/cuda, that "
          "of the ptxas in PATH. Kernels need its libdevice, `--emit=cubin` "
          "its ptxas too.");
  addText("--report", options.report, group, "FILE",
          "Writes the report: FILE.json, FILE.txt, or `-`",
          "`-` is JSON on the standard output, in place of the result. "
          "docs/Report.md describes the schema.");
  addText("--explain", options.explain, group, "NAME",
          "Why one value is saved or recomputed, and what if not",
          "NAME is the value's name in the source graph. Needs a partition.");
  add(app.add_option("--fail-if", options.failIf,
                     "Exit with 3 when the report fulfils EXPR")
          ->allow_extra_args(false),
      group, "EXPR",
      "A comparison of a number in the report, given by its path, with a "
      "number or a size: `peak.bytes>72GiB`, "
      "`partition.saved_bytes >= 512MiB`. May be given several times.")
      .option->take_all();
  addFlag("--timing", options.timing, group,
          "Times of each stage on the standard error stream", "");
  addFlag("--quiet", options.quiet, group,
          "No messages of passes and no screen", "");
}

void OptionSet::declareInformation() {
  const char *group = "Information";
  addFlag("-h,--help", requests.help, group, "This text", "");
  addListing("--help-mlir", Listing::MlirHelp,
             "Options of MLIR, all of which work too", "");
  addFlag("--version", requests.version, group, "The version", "");
  addListing("--list-passes", Listing::Passes, "Passes and their options", "");
  addListing("--list-ops", Listing::Ops, "Ops and what is known of them", "");
  addListing("--list-ops-markdown", Listing::OpsMarkdown, "", "").internal =
      true;
  addListing("--list-graphs", Listing::Graphs, "The graphs of the input", "");
  add(app.set_config("--config", "",
                     "Options from a TOML file; the command line wins"),
      group, "FILE", "One `name = value` a line, names without dashes.");
  addText("--completion", requests.completion, group, "SHELL",
          "A completion script for a shell",
          "For instance `source <(titan-opt --completion=bash)`.")
      .choices = {{"bash", "", ""}, {"zsh", "", ""}, {"fish", "", ""}};
  addFlag("--help-markdown", requests.markdown, "", "", "").internal = true;
}

void OptionSet::declareLater() {
  const std::string planner = "the memory planner";
  const std::string gpu = "the GPU code generation stage";
  const std::string report = "the reporting stage";
  addLater("--memory-budget", "RATIO",
           "Fraction of the bytes that saving everything would keep", planner);
  addLater("--peak-budget", "SIZE", "A hard limit on the predicted peak",
           planner);
  addLater("--pareto", "FILE", "Saved bytes against recomputed work", planner);
  addLater("--baseline", "FILE.json", "A report to compare with", report);
  addLater("--trace", "FILE", "The predicted timeline", report);
  addLater("--memory-snapshot", "FILE", "The predicted memory timeline",
           report);
  addLater("--device", "NAME", "The device to plan for", gpu);
  addLater("--matmul", "KIND", "How matrix products are compiled", gpu);
  addLater("--attention", "KIND", "How attention is compiled", gpu);
}
