// Completion scripts. They complete names of options, the values that an option
// may take, and otherwise files.
#include "OptionSet.h"

#include <sstream>

using namespace mlir::titan;

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

static std::vector<std::string> getValues(const Declared &entry) {
  std::vector<std::string> values;
  for (const Choice &choice : entry.choices)
    if (choice.comesWith.empty())
      values.push_back(choice.value);
  return values;
}

static bool isOffered(const Declared &entry) {
  return !entry.internal && entry.comesWith.empty();
}

static std::string makeBash(const OptionSet &set,
                            const std::vector<std::string> &foreign) {
  std::vector<std::string> names;
  std::ostringstream cases;
  for (const Declared &entry : set.declared) {
    if (!isOffered(entry))
      continue;
    for (const std::string &name : entry.option->get_lnames()) {
      names.push_back("--" + name + (entry.takesValue() ? "=" : ""));
      if (!entry.choices.empty())
        cases << "    --" << name << ") values=\"" << join(getValues(entry))
              << "\" ;;\n";
    }
  }
  for (const std::string &name : foreign)
    names.push_back("--" + name);
  std::ostringstream text;
  text << "# Completion of titan-opt for bash.\n"
          "_titan_opt() {\n"
          "  local word=\"${COMP_LINE:0:COMP_POINT}\" option values=\"\"\n"
          "  word=\"${word##* }\"\n"
          "  COMPREPLY=()\n"
          "  if [[ \"$word\" != -* ]]; then\n"
          "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    return\n"
          "  fi\n"
          "  if [[ \"$word\" != *=* ]]; then\n"
          "    COMPREPLY=($(compgen -W \""
       << join(names)
       << "\" -- \"$word\"))\n"
          "    [[ \"${COMPREPLY[0]}\" == *= ]] && compopt -o nospace\n"
          "    return\n"
          "  fi\n"
          "  option=\"${word%%=*}\"\n"
          "  word=\"${word#*=}\"\n"
          "  case \"$option\" in\n"
       << cases.str()
       << "  esac\n"
          "  if [[ -n \"$values\" ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
          "  else\n"
          "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "  fi\n"
          "}\n"
          "complete -o filenames -F _titan_opt titan-opt\n";
  return text.str();
}

/// Quotes a description for a single-quoted word of zsh and fish.
static std::string quote(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

static std::string makeZsh(const OptionSet &set) {
  std::ostringstream text;
  text << "#compdef titan-opt\n# Completion of titan-opt for zsh.\n"
          "_titan_opt() {\n  _arguments \\\n";
  for (const Declared &entry : set.declared) {
    if (!isOffered(entry))
      continue;
    for (const std::string &name : entry.option->get_lnames()) {
      text << "    '--" << name << (entry.takesValue() ? "=" : "") << "["
           << quote(entry.option->get_description()) << "]";
      if (!entry.choices.empty())
        text << ":value:(" << join(getValues(entry)) << ")";
      else if (entry.takesValue())
        text << ":value:_files";
      text << "' \\\n";
    }
  }
  text << "    '*:input:_files'\n}\n"
          "if [ \"$funcstack[1]\" = \"_titan_opt\" ]; then\n"
          "  _titan_opt \"$@\"\nelse\n  compdef _titan_opt titan-opt\nfi\n";
  return text.str();
}

static std::string makeFish(const OptionSet &set) {
  std::ostringstream text;
  text << "# Completion of titan-opt for fish.\n";
  for (const Declared &entry : set.declared) {
    if (!isOffered(entry))
      continue;
    for (const std::string &name : entry.option->get_lnames()) {
      text << "complete -c titan-opt -l " << name;
      if (!entry.choices.empty())
        text << " -x -a '" << join(getValues(entry)) << "'";
      else if (entry.takesValue())
        text << " -r";
      std::string help;
      for (char c : entry.option->get_description())
        help += c == '\'' ? std::string("\\'") : std::string(1, c);
      text << " -d '" << help << "'\n";
    }
  }
  return text.str();
}

std::string
mlir::titan::makeCompletion(const OptionSet &set, const std::string &shell,
                            const std::vector<std::string> &foreign) {
  if (shell == "zsh")
    return makeZsh(set);
  if (shell == "fish")
    return makeFish(set);
  return makeBash(set, foreign);
}
