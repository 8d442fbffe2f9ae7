// What the text of a graph does not carry, as JSON (`--graph-info`): the number
// of forward outputs, which inputs are static, hints of symbols, tags.
#ifndef TITAN_IMPORT_GRAPHINFO_H
#define TITAN_IMPORT_GRAPHINFO_H

#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// What the file says of one value, by its name in the source graph.
struct ValueInfo {
  std::optional<Policy> policy;
  std::optional<int64_t> acGraphId;
  std::optional<Phase> phase;
  bool hasBackwardHook = false;
  bool noVersionCheck = false;
  bool epilogueMutation = false;
  /// The module path, uncut.
  std::optional<std::string> module;
  /// Other annotations; null if none are given.
  DictionaryAttr custom;
  /// The descriptor of an argument.
  std::optional<std::string> descriptor;
};

/// A run of consecutive values of the graph on one side of it.
struct PhaseRun {
  Phase phase;
  std::string first;
  std::string last;
};

/// A graph-info file.
struct GraphInfo {
  std::optional<int64_t> numForwardOutputs;
  /// Positions of parameters and buffers among the arguments.
  std::vector<int64_t> staticInputs;
  /// Symbols in the order of the file; no hint: unbacked.
  std::vector<std::pair<std::string, std::optional<int64_t>>> symbols;
  std::map<std::string, ValueInfo> values;
  std::vector<PhaseRun> runs;
};

/// Reads \p text; an error names the path of the key at fault. \p name is the
/// file's name for messages. An empty text gives an empty info.
FailureOr<GraphInfo> parseGraphInfo(MLIRContext *context, StringRef text,
                                    StringRef name);

/// Puts \p info, but for the number of forward outputs, onto \p function and
/// its module.
void applyGraphInfo(func::FuncOp function, const GraphInfo &info,
                    StringRef name);

} // namespace mlir::titan

#endif // TITAN_IMPORT_GRAPHINFO_H
