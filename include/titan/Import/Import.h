// Reading what PyTorch writes to disk.
#ifndef TITAN_IMPORT_IMPORT_H
#define TITAN_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// What an input is, by its content.
enum class InputFormat : uint8_t {
  /// MLIR text or bytecode.
  Mlir,
  Bytecode,
  /// `print_readable` text in any form, or a TORCH_LOGS capture of it.
  FxText,
  /// A raw TORCH_TRACE log.
  TorchTrace,
};

/// What `--graph-info` carries that the text does not (architecture.md 5).
/// Filled from JSON by parseGraphInfo.
struct GraphInfo;

struct ImportOptions {
  /// `--num-forward-outputs`; wins over everything else.
  std::optional<int64_t> numForwardOutputs;
  /// Text of the `--graph-info` file, empty for none, and its name for errors.
  std::string graphInfo;
  std::string graphInfoName;
  /// `--graph`: name or index of a graph in a trace log; empty: the last
  /// `aot_joint_graph`.
  std::string graph;
  bool allowUnknown = false;
};

/// The format of \p text; never fails: what looks like nothing else is FX text,
/// and its parser says what is wrong.
InputFormat detectFormat(llvm::StringRef text);

/// A graph in a trace log.
struct GraphEntry {
  std::string name;
  unsigned line;
  int64_t bytes;
  std::optional<int64_t> rank;
  std::string compileId;
};

/// The graphs of \p source, in order; one entry for plain FX text.
FailureOr<std::vector<GraphEntry>> listGraphs(llvm::SourceMgr &source,
                                              MLIRContext *context);

/// Imports the main buffer of \p source (FX text or a trace log) into a module
/// with one `titan.joint` function (or a forward-only one). Errors stand at the
/// file's line and column with the text quoted.
OwningOpRef<ModuleOp> importGraph(llvm::SourceMgr &source, MLIRContext *context,
                                  const ImportOptions &options);

/// Applies a graph-info text to a module that was read as MLIR.
LogicalResult applyGraphInfo(ModuleOp module, const ImportOptions &options);

/// Writes \p module as `print_readable` text with strides and devices, names as
/// in the source graph (`--emit=fx`).
LogicalResult writeFx(ModuleOp module, llvm::raw_ostream &output);

} // namespace mlir::titan

#endif // TITAN_IMPORT_IMPORT_H
