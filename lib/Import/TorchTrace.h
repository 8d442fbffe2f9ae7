// Raw TORCH_TRACE logs: lines of JSON behind a glog prefix, each with a payload
// of lines that begin with a tab.
#ifndef TITAN_LIB_IMPORT_TORCHTRACE_H
#define TITAN_LIB_IMPORT_TORCHTRACE_H

#include "titan/Import/Import.h"
#include "titan/Import/SourceText.h"

namespace mlir::titan {

/// A graph of a trace log.
struct TraceGraph {
  GraphEntry entry;
  /// The lines of the payload, with their tabs.
  llvm::StringRef payload;
  /// The digest that the record gives, empty if none.
  std::string digest;
};

/// Whether \p text starts with a record of a trace log.
bool isTorchTrace(llvm::StringRef text);

/// The graphs of the log in \p source, in order. Fails after a diagnostic.
FailureOr<std::vector<TraceGraph>> readTrace(const SourceText &source);

/// Makes \p source the text of the graph called \p graph, empty for the last
/// joint graph. A payload that its digest does not fit is an error, or a
/// warning with \p allowUnknown.
LogicalResult selectTraceGraph(SourceText &source, llvm::StringRef graph,
                               bool allowUnknown);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_TORCHTRACE_H
