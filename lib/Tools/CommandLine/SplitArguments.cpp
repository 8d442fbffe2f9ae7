// MLIR's parser (llvm::cl) and CLI11 both insist on the whole line. Instead of
// letting one guess at the other's options, every argument is given to its
// owner before either parser runs.
#include "SplitArguments.h"

#include "titan/Interfaces/DidYouMean.h"

using namespace mlir::titan;

using Kind = ForeignOptions::Kind;

namespace {
/// `--name=value` in parts.
struct Argument {
  std::string name;
  std::string value;
  bool hasValue = false;
};
} // namespace

static Argument parse(const std::string &text) {
  size_t start = text.compare(0, 2, "--") == 0 ? 2 : 1;
  size_t equals = text.find('=', start);
  Argument result;
  result.name = text.substr(start, equals - start);
  if (equals != std::string::npos) {
    result.value = text.substr(equals + 1);
    result.hasValue = true;
  }
  return result;
}

static void addOwn(SplitArguments &split, const Argument &argument) {
  if (argument.name.size() == 1) {
    // CLI11 would take the `=` of `-o=file` into the name of the file.
    split.own.push_back("-" + argument.name);
    if (argument.hasValue)
      split.own.push_back(argument.value);
    return;
  }
  split.own.push_back("--" + argument.name +
                      (argument.hasValue ? "=" + argument.value : ""));
}

/// The nearest of both parsers' options, as a question.
static std::string suggestOption(const std::string &name,
                                 const std::vector<std::string> &ownNames,
                                 const std::vector<std::string> &foreignNames) {
  std::vector<std::string> known;
  for (const auto *names : {&ownNames, &foreignNames})
    for (const std::string &candidate : *names)
      known.push_back("--" + candidate);
  std::vector<llvm::StringRef> references(known.begin(), known.end());
  return didYouMean("--" + name, references);
}

SplitArguments mlir::titan::splitArguments(
    const std::vector<std::string> &arguments,
    const std::function<Kind(const std::string &)> &classifyOwn,
    const std::vector<std::string> &ownNames, const ForeignOptions &foreign) {
  SplitArguments split;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &text = arguments[i];
    if (text.size() < 2 || text.front() != '-') {
      split.positionals.push_back(text);
      continue;
    }
    if (text == "--") {
      split.positionals.insert(split.positionals.end(),
                               arguments.begin() + i + 1, arguments.end());
      break;
    }
    Argument argument = parse(text);
    Kind kind = classifyOwn(argument.name);
    bool isOwn = kind != Kind::Unknown;
    if (!isOwn && text[1] != '-' &&
        classifyOwn(text.substr(1, 1)) == Kind::TakesNext &&
        foreign.classify(argument.name) == Kind::Unknown) {
      // `-ofile`.
      argument = {text.substr(1, 1), text.substr(2), true};
      kind = Kind::TakesNext;
      isOwn = true;
    }
    if (!isOwn)
      kind = foreign.classify(argument.name);
    if (kind == Kind::Unknown) {
      split.error = "unknown option '" + text + "'" +
                    suggestOption(argument.name, ownNames, foreign.names);
      return split;
    }
    bool takesNext = kind == Kind::TakesNext && !argument.hasValue;
    if (takesNext && i + 1 == arguments.size()) {
      split.error = "option '" + text + "' expects a value";
      return split;
    }
    if (isOwn && takesNext) {
      argument.value = arguments[++i];
      argument.hasValue = true;
    }
    if (isOwn) {
      addOwn(split, argument);
      continue;
    }
    split.foreign.push_back(text);
    if (takesNext)
      split.foreign.push_back(arguments[++i]);
  }
  return split;
}
