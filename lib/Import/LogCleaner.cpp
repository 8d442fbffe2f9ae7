#include "LogCleaner.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr llvm::StringLiteral kGraphMark = "TRACED GRAPH";

//===----------------------------------------------------------------------===//
// Prefixes
//===----------------------------------------------------------------------===//

static bool consumeDigits(StringRef &text, size_t count) {
  if (text.size() < count ||
      !llvm::all_of(text.take_front(count), llvm::isDigit))
    return false;
  text = text.drop_front(count);
  return true;
}

// `[rank0]:`, which torchrun puts before the process's own.
static StringRef consumeRank(StringRef &line) {
  StringRef rest = line, rank;
  while (rest.starts_with("[") && rest.contains("]:")) {
    StringRef inside = rest.drop_front().take_until(
        [](char c) { return c == ']' || c == ' '; });
    StringRef number = inside;
    bool isRank =
        number.consume_front("rank") || number.consume_front("default");
    if (!isRank || !llvm::all_of(number, llvm::isDigit) ||
        !rest.drop_front(1 + inside.size()).starts_with("]:"))
      break;
    rank = inside;
    rest = rest.drop_front(inside.size() + 3);
    if (startsAsGlog(rest.ltrim(' ')) || rest.ltrim(' ').starts_with("["))
      rest = rest.ltrim(' ');
  }
  line = rest;
  return rank;
}

bool titan::startsAsGlog(StringRef line) {
  if (line.empty() || !StringRef("VIWEC").contains(line.front()))
    return false;
  line = line.drop_front();
  return consumeDigits(line, 4) && line.consume_front(" ") &&
         consumeDigits(line, 2) && line.consume_front(":") &&
         consumeDigits(line, 2) && line.consume_front(":");
}

// `[0/0] [__aot_joint_graph] `: groups in brackets, each with a space.
static void consumeGroups(StringRef &line) {
  while (line.starts_with("[")) {
    size_t close = line.find(']');
    if (close == StringRef::npos)
      return;
    StringRef rest = line.drop_front(close + 1);
    if (!rest.empty() && !rest.consume_front(" "))
      return;
    line = rest;
  }
}

// `[2023-11-20 15:52:38,797] [0/0] torch._functorch.x.__aot_joint_graph: [INFO]
// `
static bool consumeOldPrefix(StringRef &line) {
  StringRef rest = line;
  if (!rest.consume_front("[") || !consumeDigits(rest, 4) ||
      !rest.consume_front("-"))
    return false;
  size_t close = rest.find(']');
  if (close == StringRef::npos)
    return false;
  rest = rest.drop_front(close + 1).ltrim(' ');
  consumeGroups(rest);
  size_t colon = rest.find(": [");
  if (colon == StringRef::npos || rest.take_front(colon).contains(' '))
    return false;
  rest = rest.drop_front(colon + 2);
  close = rest.find(']');
  if (close == StringRef::npos)
    return false;
  rest = rest.drop_front(close + 1);
  rest.consume_front(" ");
  line = rest;
  return true;
}

size_t titan::getLogPrefixLength(StringRef line) {
  StringRef rest = line;
  consumeRank(rest);
  if (startsAsGlog(rest)) {
    size_t close = rest.find("] ");
    if (close == StringRef::npos) {
      size_t end = rest.find(']');
      return end == StringRef::npos ? 0 : line.size() - rest.size() + end + 1;
    }
    rest = rest.drop_front(close + 2);
    consumeGroups(rest);
    return line.size() - rest.size();
  }
  (void)consumeOldPrefix(rest);
  return line.size() - rest.size();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

/// A line that says that a graph follows.
struct GraphMark {
  /// Its number among the clean lines, from 0, and its offset in the text.
  size_t line;
  size_t offset;
  /// Its number in the file, from 1.
  unsigned fileLine;
};

/// A clean copy of a log, and where its lines come from.
struct CleanLog {
  std::string text;
  std::vector<const char *> origins;
  std::vector<GraphMark> marks;
};

} // namespace

static void appendWithoutColours(std::string &text, StringRef line) {
  while (true) {
    size_t escape = line.find('\x1b');
    text += line.take_front(escape);
    if (escape == StringRef::npos)
      return;
    line = line.drop_front(escape);
    line = line.drop_front(std::max<size_t>(getEscapeLength(line), 1));
  }
}

static CleanLog clean(StringRef file) {
  CleanLog log;
  std::optional<StringRef> chosenRank;
  std::string plain;
  unsigned fileLine = 0;
  for (StringRef rest = file; !rest.empty();) {
    ++fileLine;
    StringRef line = rest.take_until([](char c) { return c == '\n'; });
    rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
    // Several ranks may write to one stream; the first one's graph is read.
    StringRef withoutRank = line;
    StringRef rank = consumeRank(withoutRank);
    if (!rank.empty() && rank != chosenRank.value_or(rank))
      continue;
    if (!rank.empty())
      chosenRank = rank;
    StringRef content = line.drop_front(getLogPrefixLength(line));
    plain.clear();
    appendWithoutColours(plain, content);
    if (StringRef(plain).contains(kGraphMark))
      log.marks.push_back({log.origins.size(), log.text.size(), fileLine});
    log.origins.push_back(content.begin());
    log.text += plain;
    log.text += '\n';
  }
  return log;
}

// `===== Joint graph 0 =====` after the mark.
static std::string getTitle(StringRef section) {
  for (StringRef line : llvm::split(section.take_front(1024), "\n")) {
    line = line.trim();
    if (line.starts_with("===") && line.ends_with("==="))
      return line.trim("= ").str();
  }
  return "graph";
}

static StringRef getSection(const CleanLog &log, size_t mark) {
  size_t end = mark + 1 < log.marks.size() ? log.marks[mark + 1].offset
                                           : log.text.size();
  return StringRef(log.text).slice(log.marks[mark].offset, end);
}

static std::vector<GraphEntry> collectEntries(const CleanLog &log) {
  std::vector<GraphEntry> entries;
  for (size_t mark = 0; mark < log.marks.size(); ++mark) {
    StringRef section = getSection(log, mark);
    entries.push_back({getTitle(section),
                       log.marks[mark].fileLine,
                       static_cast<int64_t>(section.size()),
                       std::nullopt,
                       {}});
  }
  return entries;
}

std::vector<GraphEntry> titan::listLogGraphs(SourceText &source) {
  return collectEntries(clean(source.getFile()));
}

// Without a number, the last of the names that agree.
FailureOr<unsigned> titan::chooseGraph(const std::vector<GraphEntry> &entries,
                                       StringRef graph, StringRef preferred,
                                       Location location) {
  auto last = [&](auto &&matches) -> std::optional<unsigned> {
    for (unsigned index = entries.size(); index-- > 0;)
      if (matches(StringRef(entries[index].name)))
        return index;
    return std::nullopt;
  };
  if (graph.empty()) {
    if (auto index = last([&](StringRef name) {
          return name.starts_with_insensitive(preferred);
        }))
      return *index;
    if (entries.size() == 1)
      return 0u;
  } else {
    if (auto index = last([&](StringRef name) { return name == graph; }))
      return *index;
    unsigned number;
    if (!graph.getAsInteger(10, number) && number < entries.size())
      return number;
    auto [name, text] = graph.rsplit('_');
    if (!text.empty() && !text.getAsInteger(10, number))
      for (auto [index, entry] : llvm::enumerate(entries))
        if (entry.name == name && number-- == 0)
          return static_cast<unsigned>(index);
  }
  InFlightDiagnostic diagnostic = mlir::emitError(location);
  if (graph.empty())
    diagnostic << "no '" << preferred << "' here; choose one with --graph";
  else
    diagnostic << "no graph '" << graph << "' here";
  diagnostic << "; there are ";
  constexpr size_t kMostShown = 12;
  for (auto [index, entry] :
       llvm::enumerate(ArrayRef(entries).take_front(kMostShown)))
    diagnostic << (index ? ", " : "") << index << ": " << entry.name;
  if (entries.size() > kMostShown)
    diagnostic << " and " << entries.size() - kMostShown << " more";
  return diagnostic;
}

LogicalResult titan::cleanLog(SourceText &source, StringRef graph) {
  StringRef file = source.getFile();
  StringRef head = file.take_front(1 << 16);
  bool isLog = head.contains(kGraphMark) ||
               llvm::any_of(llvm::split(head, "\n"), [](StringRef line) {
                 return getLogPrefixLength(line) != 0;
               });
  if (!isLog && !file.contains('\x1b'))
    return success();
  CleanLog log = clean(file);
  if (isLog)
    source.setFromLog();
  if (!log.marks.empty()) {
    std::vector<GraphEntry> entries = collectEntries(log);
    FailureOr<unsigned> chosen = chooseGraph(entries, graph, "Joint graph",
                                             source.getLocation(file.begin()));
    if (failed(chosen))
      return failure();
    StringRef section = getSection(log, *chosen);
    size_t firstLine = log.marks[*chosen].line;
    log.origins.erase(log.origins.begin(), log.origins.begin() + firstLine);
    log.origins.resize(section.count('\n'));
    log.text = section.str();
  }
  source.setLines(std::move(log.text), std::move(log.origins));
  return success();
}
