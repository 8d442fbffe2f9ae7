// The command line of titan-opt: one line, two parsers. Titan's options are
// parsed here; every other option belongs to MLIR's parser and is only told
// apart.
#ifndef TITAN_TOOLS_COMMANDLINE_COMMANDLINE_H
#define TITAN_TOOLS_COMMANDLINE_COMMANDLINE_H

#include "titan/Tools/CommandLine/Options.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// Exit codes of the program (docs/generated/options.md).
enum ExitCode : int {
  kExitDone = 0,
  /// The input is wrong or a pass failed.
  kExitInput = 1,
  /// The command line or a configuration is wrong.
  kExitUsage = 2,
  /// A `--fail-if` gate failed.
  kExitGate = 3,
  /// An internal error; a reproducer was written and named.
  kExitInternal = 4,
};

/// What the other parser knows, asked by name without dashes.
struct ForeignOptions {
  enum class Kind : uint8_t {
    Unknown,
    /// A flag, or an option whose value can only stand behind `=`.
    Alone,
    /// An option whose value may be the next argument.
    TakesNext,
  };
  std::function<Kind(const std::string &name)> classify;
  /// Every name, for suggestions.
  std::vector<std::string> names;
};

/// The outcome of parsing: options to run with, or text to print and a code to
/// exit with.
struct CommandLineResult {
  std::optional<ExitCode> exit;
  /// For the standard output (help, version, completion).
  std::string output;
  /// For the standard error stream, without a prefix.
  std::string error;
  Options options;
};

/// Parses \p arguments (without the program's name). \p version is what
/// `--version` prints.
CommandLineResult parseCommandLine(const std::vector<std::string> &arguments,
                                   const ForeignOptions &foreign,
                                   const std::string &version);

} // namespace mlir::titan

#endif // TITAN_TOOLS_COMMANDLINE_COMMANDLINE_H
