#include "titan/Import/Import.h"

#include "LogCleaner.h"
#include "ModuleBuilder.h"
#include "TorchTrace.h"

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Import/FxParser.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

// More than the list of arguments of any real graph takes.
static constexpr size_t kLongestLine = size_t(256) << 20;

static StringRef getBufferName(const llvm::SourceMgr &source) {
  return source.getMemoryBuffer(source.getMainFileID())->getBufferIdentifier();
}

static StringRef getBuffer(const llvm::SourceMgr &source) {
  return source.getMemoryBuffer(source.getMainFileID())->getBuffer();
}

// Refuses what is no text before anything is made of it.
static LogicalResult checkText(const SourceText &source) {
  StringRef file = source.getFile();
  if (file.trim().empty()) {
    source.emitError(file.begin())
        << "the input is empty; expected a graph as 'gm.print_readable()' "
           "writes it";
    return failure();
  }
  if (size_t zero = file.find('\0'); zero != StringRef::npos) {
    mlir::emitError(UnknownLoc::get(source.getContext()))
        << source.getName() << ": expected text, found a zero byte at offset "
        << zero;
    return failure();
  }
  for (StringRef rest = file; rest.size() > kLongestLine;) {
    size_t length = rest.take_front(kLongestLine).rfind('\n');
    if (length == StringRef::npos) {
      source.emitError(rest.begin())
          << "the line has more than " << (kLongestLine >> 20)
          << " MiB; this is no text of a graph";
      return failure();
    }
    rest = rest.drop_front(length + 1);
  }
  return success();
}

// What --list-graphs shows of a text that is one graph and no log.
static std::vector<GraphEntry> listOnlyGraph(const SourceText &text) {
  return {{"graph",
           1,
           static_cast<int64_t>(text.getFile().size()),
           std::nullopt,
           {}}};
}

// Takes the graph that the user chose, or the usual one, out of a trace or log.
static LogicalResult selectGraph(SourceText &text,
                                 const ImportOptions &options) {
  if (isTorchTrace(text.getFile()))
    return selectTraceGraph(text, options.graph, options.allowUnknown);
  if (!options.graph.empty() && listLogGraphs(text).empty())
    return chooseGraph(listOnlyGraph(text), options.graph, "graph",
                       text.getLocation(text.getFile().begin()));
  return cleanLog(text, options.graph);
}

OwningOpRef<ModuleOp> titan::importGraph(llvm::SourceMgr &source,
                                         MLIRContext *context,
                                         const ImportOptions &options) {
  context->loadDialect<func::FuncDialect, TitanDialect>();
  for (StringRef dialect : {"aten", "prims", "c10d"})
    context->getOrLoadDialect(dialect);
  SourceText text(context, getBuffer(source), getBufferName(source));
  if (failed(checkText(text)) || failed(selectGraph(text, options)))
    return {};
  std::unique_ptr<FxGraph> graph = parseFx(text, options.allowUnknown);
  if (!graph)
    return {};
  return buildModule(text, *graph, options);
}

FailureOr<std::vector<GraphEntry>> titan::listGraphs(llvm::SourceMgr &source,
                                                     MLIRContext *context) {
  SourceText text(context, getBuffer(source), getBufferName(source));
  if (failed(checkText(text)))
    return failure();
  std::vector<GraphEntry> entries;
  if (isTorchTrace(text.getFile())) {
    FailureOr<std::vector<TraceGraph>> graphs = readTrace(text);
    if (failed(graphs))
      return failure();
    for (TraceGraph &graph : *graphs)
      entries.push_back(std::move(graph.entry));
    return entries;
  }
  entries = listLogGraphs(text);
  if (entries.empty())
    return listOnlyGraph(text);
  return entries;
}

// Text that is MLIR starts with an operation, an alias or a comment.
static bool startsAsMlir(StringRef line) {
  for (StringRef start :
       {"module", "func.", "builtin.", "%", "#", "!", "\"", "{-#"})
    if (line.starts_with(start))
      return true;
  return false;
}

InputFormat titan::detectFormat(StringRef text) {
  if (isBytecode(llvm::MemoryBufferRef(text, "input")))
    return InputFormat::Bytecode;
  if (isTorchTrace(text))
    return InputFormat::TorchTrace;
  StringRef head = text.take_front(1 << 16);
  for (StringRef line : llvm::split(head, "\n")) {
    line = line.trim();
    if (line.empty() || line.starts_with("//"))
      continue;
    // A comment of Python and an attribute alias begin alike.
    bool isComment = line.starts_with("# ") || line.starts_with("#!");
    return startsAsMlir(line) && !isComment ? InputFormat::Mlir
                                            : InputFormat::FxText;
  }
  // Nothing but comments of MLIR is an empty module.
  return text.contains("//") ? InputFormat::Mlir : InputFormat::FxText;
}
