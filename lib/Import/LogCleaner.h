// Captures of what TORCH_LOGS prints: log prefixes and colours are removed, and
// one graph of the capture is chosen.
#ifndef TITAN_LIB_IMPORT_LOGCLEANER_H
#define TITAN_LIB_IMPORT_LOGCLEANER_H

#include "titan/Import/Import.h"
#include "titan/Import/SourceText.h"

namespace mlir::titan {

/// The length of the log prefix that \p line starts with (`[rank0]:I0101 ...]
/// [0/0] [__aot_joint_graph] `), 0 if it starts with none.
size_t getLogPrefixLength(llvm::StringRef line);

/// Whether \p line starts as glog's lines do (`V0101 00:00:00.000000 4242 `).
bool startsAsGlog(llvm::StringRef line);

/// The graphs of a capture; none if \p file has no mark of one.
std::vector<GraphEntry> listLogGraphs(SourceText &source);

/// Makes \p source the clean text of the graph called \p graph (empty: the last
/// joint graph, else the last one). Does nothing where there is nothing to
/// remove.
LogicalResult cleanLog(SourceText &source, llvm::StringRef graph);

/// The entry that \p graph names: an index, a name (the last one of several),
/// or a name and its number (`aot_joint_graph_0`). Otherwise an error that
/// lists what there is. \p preferred is the name taken where \p graph is empty.
FailureOr<unsigned> chooseGraph(const std::vector<GraphEntry> &entries,
                                llvm::StringRef graph,
                                llvm::StringRef preferred, Location location);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_LOGCLEANER_H
