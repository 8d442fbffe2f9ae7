// The options of titan-opt with what CLI11 does not hold: the values each may
// take, what is still to come, and the text of the reference.
#ifndef TITAN_LIB_TOOLS_COMMANDLINE_OPTIONSET_H
#define TITAN_LIB_TOOLS_COMMANDLINE_OPTIONSET_H

#include "titan/Tools/CommandLine/Options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace mlir::titan {

/// One value that an option may take.
struct Choice {
  std::string value;
  std::string help;
  /// The stage that brings the value, for values that are recognised and
  /// refused; empty for values that work.
  std::string comesWith;
};

/// One option: CLI11's part and ours.
struct Declared {
  CLI::Option *option = nullptr;
  /// A few sentences for the reference, beyond the line of the short help.
  std::string details;
  std::vector<Choice> choices;
  /// As in Choice, for the whole option.
  std::string comesWith;
  /// Kept out of help, reference and completion.
  bool internal = false;

  /// `--partitioner`.
  std::string getName() const;
  bool takesValue() const;
};

/// Requests that end the program before anything is read.
struct Requests {
  bool help = false;
  bool version = false;
  std::string completion;
  bool markdown = false;
};

/// All options, bound to the fields of `options` and `requests`; owns both and
/// the CLI11 application, so it neither moves nor copies.
class OptionSet {
public:
  OptionSet();
  OptionSet(const OptionSet &) = delete;
  OptionSet &operator=(const OptionSet &) = delete;

  CLI::App app;
  Options options;
  Requests requests;
  /// In the order of help and reference.
  std::vector<Declared> declared;

  /// The option with the name \p name (no dashes), or null.
  const Declared *find(const std::string &name) const;

private:
  void declareInput();
  void declarePasses();
  void declarePartition();
  void declareOutput();
  void declareInformation();
  void declareLater();

  Declared &add(CLI::Option *option, const std::string &group,
                const std::string &value, std::string details);
  Declared &addFlag(const std::string &names, bool &field,
                    const std::string &group, const std::string &help,
                    std::string details);
  Declared &addText(const std::string &names, std::string &field,
                    const std::string &group, const std::string &value,
                    const std::string &help, std::string details);
  Declared &addList(const std::string &names, std::string &field,
                    const std::string &group, const std::string &value,
                    const std::string &help, std::string details);
  Declared &addListing(const std::string &names, Listing listing,
                       const std::string &help, std::string details);
  Declared &addLater(const std::string &names, const std::string &value,
                     const std::string &help, std::string comesWith);

  /// Values of options that are recognised but not there yet.
  std::string ignored;
};

/// The page docs/generated/options.md.
std::string makeReference(const OptionSet &set);

/// The text of `--help`.
std::string makeHelp(const OptionSet &set);

/// A completion script for \p shell (`bash`, `zsh` or `fish`); \p foreign are
/// the names of MLIR's options.
std::string makeCompletion(const OptionSet &set, const std::string &shell,
                           const std::vector<std::string> &foreign);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_COMMANDLINE_OPTIONSET_H
