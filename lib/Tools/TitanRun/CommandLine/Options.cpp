#include "titan/Tools/TitanRun/TitanRun.h"

#include <CLI/CLI.hpp>

using namespace mlir::titan;

std::optional<int> mlir::titan::parseRunOptions(int argc, char **argv,
                                                RunOptions &options) {
  CLI::App app("Executes a training graph, whole or split, and compares what "
               "it computes.",
               "titan-run");
  app.set_version_flag("--version", "titan-run " TITAN_VERSION);
  app.add_option("graph", options.graph,
                 "MLIR, bytecode or FX text; '-' for the standard input")
      ->required()
      ->type_name("GRAPH");
  app.add_option("--function", options.functions,
                 "'joint', or functions that run one after the other "
                 "('forward,backward': saved values are passed inside)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  app.add_option("--engine", options.engine,
                 "'cpu' (compiled), 'emulator' (kernels for a GPU, run on the "
                 "CPU) or 'reference'")
      ->type_name("ENGINE");
  app.add_option("--target", options.target,
                 "the GPU whose kernels the emulator runs; default: sm_80")
      ->type_name("ARCH");
  app.add_option("--cuda-path", options.cudaPath,
                 "where the CUDA toolkit is; its libdevice is linked into "
                 "kernels")
      ->type_name("DIR");
  app.add_option("--inputs", options.inputs,
                 "values of the inputs by name: a safetensors file, a folder "
                 "of NAME.npy, NAME=FILE.npy, or random:SEED, which draws what "
                 "no other place has; may be repeated")
      ->allow_extra_args(false)
      ->type_name("PLACE");
  app.add_option("--outputs", options.outputs,
                 "writes results by position, and 'input:NAME' for inputs "
                 "that the graph writes to: a safetensors file, a folder "
                 "('FOLDER/') of .npy files, or NAME=FILE.npy; may be repeated")
      ->allow_extra_args(false)
      ->type_name("PLACE");
  app.add_option("--compare", options.compare,
                 "compares with the tensors of a file or a folder, bit for bit")
      ->type_name("PLACE");
  app.add_option("--tolerance", options.tolerance,
                 "with --compare: the part of the largest number that a "
                 "difference may be")
      ->type_name("PART")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--graph-info", options.graphInfo,
                 "what the graph's text does not carry")
      ->type_name("FILE.json");
  app.add_option("--num-forward-outputs", options.numForwardOutputs,
                 "results of the joint function that are forward outputs")
      ->type_name("N");
  app.add_option("--ranks", options.numRanks,
                 "ranks that run in lockstep, each on data of its own; one "
                 "stands for all. '{rank}' in a file's name is the rank's "
                 "number")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.numThreads,
                 "of the compiled engine; default: OMP_NUM_THREADS or the "
                 "number of cores")
      ->type_name("N")
      ->check(CLI::Range(1, 65536));
  app.add_option("--memory-limit", options.memoryLimit,
                 "of all tensors together; what needs more is an error")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  app.add_option("--seed", options.seed, "of the random number generator")
      ->type_name("N");
  const std::map<std::string, FiniteCheck> checks = {{"nan", FiniteCheck::Nan},
                                                     {"all", FiniteCheck::All}};
  app.add_option("--check-finite", options.finiteCheck,
                 "stops at the first op that makes a NaN of operands without "
                 "one ('nan'), or an infinity of finite operands ('all', the "
                 "default); infinite literals are meant")
      ->expected(0, 1)
      ->default_str("all")
      ->type_name("all|nan")
      ->transform(CLI::Transformer(checks));
  app.add_flag("--profile", options.profile,
               "prints a table of times by op and kernel, and the peak of "
               "memory");
  app.add_option("--trace", options.trace,
                 "writes what ran when, for chrome://tracing and Perfetto")
      ->type_name("FILE.json");
  app.add_flag("--progress", options.progress,
               "says how far the run is, also where stderr is no terminal");
  app.add_option("--dump-intermediates", options.dump,
                 "keeps the values that have such names in the source graph, "
                 "as 'value:NAME' among the outputs; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  app.add_option("--dump-to", options.dumpTo,
                 "where they go instead: a safetensors file, or a folder "
                 "('FOLDER/') that gets one for each while the graph runs")
      ->type_name("PLACE");
  app.add_option("--repeat", options.repeat,
                 "runs N times more and prints the least and the median time")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    constexpr int kUsage = 2;
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return std::nullopt;
}
