// What a user asks of titan-opt, as plain data. Knows neither MLIR nor the
// parser of the command line, so that every stage can be driven without one.
#ifndef TITAN_TOOLS_COMMANDLINE_OPTIONS_H
#define TITAN_TOOLS_COMMANDLINE_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// A request that ends the program without reading a graph.
enum class Listing : uint8_t {
  None,
  Passes,
  Ops,
  /// The page docs/generated/ops.md.
  OpsMarkdown,
  Graphs,
  /// MLIR's own options (`--help-mlir`).
  MlirHelp,
};

/// Titan's options after parsing. Choices are checked: `emit` holds one of the
/// documented values. Empty strings and lists mean "not given" unless a default
/// is named.
struct Options {
  /// \name Input
  /// @{
  /// A file, or `-` for the standard input; empty only for a listing that needs
  /// none.
  std::string input;
  /// `auto`, `mlir`, `fx` or `trace`.
  std::string inputFormat = "auto";
  std::string graph;
  std::string graphInfo;
  std::optional<int64_t> numForwardOutputs;
  bool allowUnknown = false;
  /// @}

  /// \name Passes
  /// @{
  std::string jointPasses;
  std::string passes;
  std::string memoryPolicy;
  std::string sacSaveOps;
  std::string fullRecomputeSaveOps;
  std::string fsdpReshardAfterForward;
  std::string jobConfig;
  /// @}

  /// \name Partition
  /// @{
  /// `none`, `default` or `min-cut`; empty: not given.
  std::string partitioner;
  /// `titan`, `pt2.2` or `pytorch`.
  std::string compat = "titan";
  bool recomputeInPlace = false;
  /// @}

  /// \name Output
  /// @{
  /// Where the artefact goes; empty: the standard output.
  std::string output;
  /// `mlir`, `bytecode`, `fx`, `plan`, `linalg`, `ptx` or `cubin`; empty: not
  /// given, which means `mlir`.
  std::string emit;
  /// The GPU to make code for; empty: not given.
  std::string target;
  /// The folder of the CUDA toolkit; empty: wherever it is found.
  std::string cudaPath;
  /// A file ending in `.json` or `.txt`, or `-`.
  std::string report;
  std::string explain;
  std::vector<std::string> failIf;
  bool timing = false;
  bool quiet = false;
  /// @}

  /// Whether `output` names a folder, for code.
  bool emitsDeviceCode() const { return emit == "ptx" || emit == "cubin"; }

  Listing listing = Listing::None;

  /// What belongs to MLIR's own parser, in the order given, each option as one
  /// entry or as two (`--pass-pipeline`, its value).
  std::vector<std::string> mlirArguments;
};

} // namespace mlir::titan

#endif // TITAN_TOOLS_COMMANDLINE_OPTIONS_H
