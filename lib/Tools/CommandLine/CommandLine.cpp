// Parses the command line. CLI11 reports by exceptions; this is the one library
// that lets it, and none leaves this file.
#include "titan/Tools/CommandLine/CommandLine.h"

#include "titan/Interfaces/DidYouMean.h"

#include "OptionSet.h"
#include "SplitArguments.h"

using namespace mlir::titan;

static std::vector<std::string> getOwnNames(const OptionSet &set) {
  std::vector<std::string> names;
  for (const Declared &entry : set.declared)
    if (!entry.internal)
      for (const std::string &name : entry.option->get_lnames())
        names.push_back(name);
  return names;
}

static std::string suggestName(const std::string &word,
                               const std::vector<std::string> &known) {
  std::vector<llvm::StringRef> references(known.begin(), known.end());
  return didYouMean(word, references);
}

/// `'none', 'default' or 'min-cut'`.
static std::string listChoices(const Declared &entry) {
  std::vector<std::string> values;
  for (const Choice &choice : entry.choices)
    if (choice.comesWith.empty())
      values.push_back("'" + choice.value + "'");
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0)
      text += i + 1 == values.size() ? " or " : ", ";
    text += values[i];
  }
  return text;
}

/// What is wrong with the value \p value of \p entry, empty if nothing.
static std::string checkChoice(const Declared &entry,
                               const std::string &value) {
  std::vector<std::string> known;
  for (const Choice &choice : entry.choices) {
    if (choice.comesWith.empty())
      known.push_back(choice.value);
    if (choice.value != value)
      continue;
    if (choice.comesWith.empty())
      return "";
    return "'" + entry.getName() + "=" + value +
           "' is not there yet: it comes with " + choice.comesWith + "; use " +
           listChoices(entry);
  }
  return "unknown value '" + value + "' of '" + entry.getName() +
         "': expected " + listChoices(entry) + suggestName(value, known);
}

static std::string check(const OptionSet &set) {
  for (const Declared &entry : set.declared) {
    if (entry.option->count() == 0)
      continue;
    if (!entry.comesWith.empty())
      return "'" + entry.getName() + "' is not there yet: it comes with " +
             entry.comesWith;
    if (entry.choices.empty())
      continue;
    std::string error = checkChoice(entry, entry.option->as<std::string>());
    if (!error.empty())
      return error;
  }
  return "";
}

/// Whether \p text ends in \p end.
static bool endsIn(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Combinations that contradict themselves.
static std::string checkTogether(const Options &options) {
  const std::string &report = options.report;
  if (endsIn(report, ".html"))
    return "'--report=" + report +
           "' is not there yet: HTML comes with the reporting stage; use "
           "'.json' or '.txt'";
  if (!report.empty() && report != "-" && !endsIn(report, ".json") &&
      !endsIn(report, ".txt"))
    return "cannot tell the format of '--report=" + report +
           "': expected a name ending in '.json' or '.txt', or '-'";
  bool splits = !options.partitioner.empty() && options.partitioner != "none";
  if (report == "-" && !options.emit.empty() &&
      (options.output.empty() || options.output == "-"))
    return "both '--report=-' and '--emit' want the standard output; give the "
           "result a file with '-o'";
  if (options.recomputeInPlace && splits)
    return "'--recompute-in-place' keeps one function, but '--partitioner=" +
           options.partitioner + "' splits it; use '--partitioner=none'";
  if (options.emitsDeviceCode() &&
      (options.output.empty() || options.output == "-"))
    return "'--emit=" + options.emit +
           "' writes a folder; name it with '-o DIR'";
  if (options.emitsDeviceCode() && options.target.empty())
    return "'--emit=" + options.emit +
           "' needs the GPU to generate code for; give '--target=sm_80'";
  if (options.emit == "plan" && !splits)
    return "'--emit=plan' needs a partition; give '--partitioner=min-cut'";
  if (!options.explain.empty() && !splits)
    return "'--explain' needs a partition; give '--partitioner=min-cut'";
  return "";
}

static std::string takeInput(const std::vector<std::string> &positionals,
                             Options &options) {
  if (positionals.size() > 1)
    return "expected one input, found '" + positionals[0] + "' and '" +
           positionals[1] + "'";
  if (!positionals.empty())
    options.input = positionals.front();
  bool needsInput =
      options.listing == Listing::None || options.listing == Listing::Graphs;
  for (const std::string &argument : options.mlirArguments)
    needsInput &= argument.find("show-dialects") == std::string::npos;
  if (options.input.empty() && needsInput)
    return "no input: expected a file, or '-' for the standard input";
  return "";
}

/// CLI11's complaint in our words.
static std::string translate(const CLI::Error &error, const OptionSet &set) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ConfigError *>(&error)) {
    std::string key = text.substr(text.find_last_of(' ') + 1);
    return "unknown option '" + key + "' in the configuration file" +
           suggestName(key, getOwnNames(set));
  }
  if (dynamic_cast<const CLI::FileError *>(&error))
    return "cannot read the configuration file '" +
           text.substr(0, text.find(' ')) + "'";
  if (dynamic_cast<const CLI::ConversionError *>(&error)) {
    // "Could not convert: --name = value".
    size_t colon = text.find(": "), equals = text.find(" = ");
    if (colon != std::string::npos && equals != std::string::npos)
      return "expected a number for '" +
             text.substr(colon + 2, equals - colon - 2) + "', found '" +
             text.substr(equals + 3) + "'";
  }
  return text;
}

static CommandLineResult fail(std::string message) {
  CommandLineResult result;
  result.exit = kExitUsage;
  result.error = std::move(message);
  return result;
}

static CommandLineResult print(std::string text) {
  CommandLineResult result;
  result.exit = kExitDone;
  result.output = std::move(text);
  return result;
}

CommandLineResult
mlir::titan::parseCommandLine(const std::vector<std::string> &arguments,
                              const ForeignOptions &foreign,
                              const std::string &version) {
  OptionSet set;
  auto classifyOwn = [&](const std::string &name) {
    const Declared *entry = set.find(name);
    if (!entry)
      return ForeignOptions::Kind::Unknown;
    return entry->takesValue() ? ForeignOptions::Kind::TakesNext
                               : ForeignOptions::Kind::Alone;
  };
  SplitArguments split =
      splitArguments(arguments, classifyOwn, getOwnNames(set), foreign);
  if (!split.error.empty())
    return fail(split.error);

  // CLI11 takes its arguments from the back.
  std::vector<std::string> own(split.own.rbegin(), split.own.rend());
  try {
    set.app.parse(std::move(own));
  } catch (const CLI::Error &error) {
    return fail(translate(error, set));
  }
  if (set.requests.help)
    return print(makeHelp(set));
  if (set.requests.version)
    return print(version + "\n");
  if (set.requests.markdown)
    return print(makeReference(set));
  if (std::string error = check(set); !error.empty())
    return fail(error);
  if (!set.requests.completion.empty())
    return print(makeCompletion(set, set.requests.completion, foreign.names));

  set.options.mlirArguments = std::move(split.foreign);
  if (std::string error = takeInput(split.positionals, set.options);
      !error.empty())
    return fail(error);
  if (std::string error = checkTogether(set.options); !error.empty())
    return fail(error);
  CommandLineResult result;
  result.options = std::move(set.options);
  return result;
}
