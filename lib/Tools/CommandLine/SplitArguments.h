// Tells the arguments of one command line apart: Titan's options, MLIR's
// options, the input.
#ifndef TITAN_LIB_TOOLS_COMMANDLINE_SPLITARGUMENTS_H
#define TITAN_LIB_TOOLS_COMMANDLINE_SPLITARGUMENTS_H

#include "titan/Tools/CommandLine/CommandLine.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::titan {

struct SplitArguments {
  /// Options as `--name`, `--name=value` or `-o` and a value apart.
  std::vector<std::string> own;
  std::vector<std::string> foreign;
  std::vector<std::string> positionals;
  /// What is wrong, empty if nothing.
  std::string error;
};

/// Splits \p arguments. \p classifyOwn answers for Titan's names, which win
/// over MLIR's; \p ownNames are for suggestions. One dash or two make no
/// difference before names of more than one letter; `-` alone is an input; `--`
/// ends the options.
SplitArguments splitArguments(
    const std::vector<std::string> &arguments,
    const std::function<ForeignOptions::Kind(const std::string &)> &classifyOwn,
    const std::vector<std::string> &ownNames, const ForeignOptions &foreign);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_COMMANDLINE_SPLITARGUMENTS_H
