// The program titan-run as a library: executes a training graph, whole or
// split, and compares what it computes.
#ifndef TITAN_TOOLS_TITANRUN_TITANRUN_H
#define TITAN_TOOLS_TITANRUN_TITANRUN_H

#include "titan/Execution/Interpreter.h"

#include "mlir/IR/DialectRegistry.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// The command line of titan-run.
struct RunOptions {
  std::string graph;
  /// `joint`, or names of functions that run one after the other; empty: the
  /// halves of a partition, else the joint function, else the only one.
  std::vector<std::string> functions;
  std::string engine = "cpu";
  /// What the emulated engine makes code for.
  std::string target = "sm_80";
  /// The folder of the CUDA toolkit; empty: wherever it is found.
  std::string cudaPath;
  /// Places of tensors (readTensorFiles), and `random:SEED`: what is in no
  /// place is drawn.
  std::vector<std::string> inputs = {"random:0"};
  /// Places of tensors (writeTensorFiles).
  std::vector<std::string> outputs;
  std::string compare;
  /// How much of the largest expected number a difference may be.
  double tolerance = 0;
  std::string graphInfo;
  std::optional<int64_t> numForwardOutputs;
  int64_t numRanks = 1;
  /// The seed of the program's random number generator.
  uint64_t seed = 0;
  /// Bytes that tensors may take.
  std::optional<int64_t> memoryLimit;
  FiniteCheck finiteCheck = FiniteCheck::None;
  bool profile = false;
  /// A file for events in Chrome's format.
  std::string trace;
  bool progress = false;
  /// Patterns of names of values to keep.
  std::vector<std::string> dump;
  /// Where they go: a safetensors file, or a folder with one for each. Empty:
  /// into the outputs.
  std::string dumpTo;
  /// Of the compiled engine; none: OMP_NUM_THREADS or the number of cores.
  std::optional<int64_t> numThreads;
  /// How often to run again, to time it.
  int64_t repeat = 0;
};

/// Reads the command line. Returns the exit code where nothing is left to do.
std::optional<int> parseRunOptions(int argc, char **argv, RunOptions &options);

/// Runs titan-run; returns the exit code: 0 done and equal, 1 the input is
/// wrong or the comparison failed, 2 the command line is wrong, 130
/// interrupted.
int runGraph(const RunOptions &options, DialectRegistry &registry);

} // namespace mlir::titan

#endif // TITAN_TOOLS_TITANRUN_TITANRUN_H
