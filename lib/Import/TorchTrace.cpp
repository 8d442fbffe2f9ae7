#include "TorchTrace.h"

#include "LogCleaner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MD5.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::titan;
using Json = nlohmann::json;

static StringRef consumeLine(StringRef &text) {
  StringRef line = text.take_until([](char c) { return c == '\n'; });
  text = text.drop_front(std::min(line.size() + 1, text.size()));
  return line;
}

// The JSON of a record's line, empty if the line is none.
static StringRef getRecord(StringRef line) {
  if (!startsAsGlog(line))
    return {};
  size_t open = line.find("] {");
  return open == StringRef::npos ? StringRef() : line.drop_front(open + 2);
}

bool titan::isTorchTrace(StringRef text) {
  while (!text.empty()) {
    StringRef line = consumeLine(text);
    if (!line.trim().empty())
      return !getRecord(line).empty();
  }
  return false;
}

// The name of a record: its kind, or for dumps and artifacts their own.
static std::string getName(const Json &record) {
  for (const auto &[key, value] : record.items()) {
    if (key == "has_payload" || key == "stack" || !value.is_object())
      continue;
    bool isNamed = key == "graph_dump" || key == "artifact";
    auto name = value.find("name");
    if (isNamed && name != value.end() && name->is_string())
      return name->get<std::string>();
    return key;
  }
  return {};
}

static std::optional<int64_t> getInteger(const Json &record, const char *key) {
  auto entry = record.find(key);
  if (entry == record.end() || !entry->is_number_integer())
    return std::nullopt;
  return entry->get<int64_t>();
}

// `frame/compile`, with `_attempt` after the first.
static std::string getCompileId(const Json &record) {
  std::optional<int64_t> frame = getInteger(record, "frame_id");
  std::optional<int64_t> compile = getInteger(record, "frame_compile_id");
  if (!frame || !compile)
    return {};
  std::string id = std::to_string(*frame) + "/" + std::to_string(*compile);
  int64_t attempt = getInteger(record, "attempt").value_or(0);
  return attempt ? id + "_" + std::to_string(attempt) : id;
}

FailureOr<std::vector<TraceGraph>> titan::readTrace(const SourceText &source) {
  std::vector<TraceGraph> graphs;
  StringRef rest = source.getFile();
  unsigned lineNumber = 0;
  while (!rest.empty()) {
    StringRef line = consumeLine(rest);
    unsigned recordLine = ++lineNumber;
    StringRef text = getRecord(line);
    if (text.empty())
      continue;
    const char *begin = rest.begin();
    size_t length = 0;
    while (rest.starts_with("\t")) {
      consumeLine(rest);
      ++lineNumber;
    }
    length = rest.begin() - begin;
    StringRef payload(begin, length);
    if (!payload.contains("def forward("))
      continue;
    Json record = Json::parse(text.begin(), text.end(), nullptr,
                              /*allow_exceptions=*/false);
    if (!record.is_object()) {
      source.emitError(text.begin())
          << "expected a record in JSON, found '" << getExcerpt(text) << "'";
      return failure();
    }
    TraceGraph graph;
    graph.entry = {getName(record), recordLine, static_cast<int64_t>(length),
                   getInteger(record, "rank"), getCompileId(record)};
    graph.payload = payload;
    auto digest = record.find("has_payload");
    if (digest != record.end() && digest->is_string())
      graph.digest = digest->get<std::string>();
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

static std::string getDigest(StringRef text) {
  llvm::MD5::MD5Result result =
      llvm::MD5::hash(llvm::arrayRefFromStringRef(text));
  return std::string(result.digest());
}

LogicalResult titan::selectTraceGraph(SourceText &source, StringRef name,
                                      bool allowUnknown) {
  FailureOr<std::vector<TraceGraph>> graphs = readTrace(source);
  if (failed(graphs))
    return failure();
  const char *start = source.getFile().begin();
  if (graphs->empty()) {
    source.emitError(start) << "this trace log holds no graph";
    return failure();
  }
  std::vector<GraphEntry> entries;
  for (const TraceGraph &graph : *graphs)
    entries.push_back(graph.entry);
  FailureOr<unsigned> chosen =
      chooseGraph(entries, name, "aot_joint_graph", source.getLocation(start));
  if (failed(chosen))
    return failure();
  const TraceGraph &graph = (*graphs)[*chosen];
  std::string text;
  std::vector<const char *> origins;
  for (StringRef rest = graph.payload; !rest.empty();) {
    StringRef line = consumeLine(rest).drop_front();
    origins.push_back(line.begin());
    text += line;
    text += '\n';
  }
  StringRef digested = StringRef(text).drop_back(text.empty() ? 0 : 1);
  if (!graph.digest.empty() && getDigest(digested) != graph.digest) {
    auto report = [&] {
      return allowUnknown ? source.emitWarning(graph.payload.begin())
                          : source.emitError(graph.payload.begin());
    };
    report() << "the graph '" << graph.entry.name
             << "' does not fit its md5: expected " << graph.digest
             << ", found " << getDigest(digested)
             << "; the log is cut or damaged";
    if (!allowUnknown)
      return failure();
  }
  source.setLines(std::move(text), std::move(origins));
  return success();
}
