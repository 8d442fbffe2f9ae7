// What a graph is, independent of paths and machines: a line of text a node,
// and a digest of the lines.
#ifndef TITAN_REPORT_GRAPHSIGNATURE_H
#define TITAN_REPORT_GRAPHSIGNATURE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// Names, ops, arguments and types of a graph, as PyTorch sees them too, so
/// that a plan can be held against a running program's graph:
///
///     primals_1: f32[4, 8]
///     mm: f32[4, 2] = aten.mm.default(primals_1, primals_2)
///     native_dropout: (0 getitem: f32[4, 2]) = aten.native_dropout.default(mm)
///     return (mm, None, getitem)
///
/// A symbolic dimension is `?`, a symbolic number `Sym`, anything else `other`;
/// of a tuple the elements that have a name stand with their positions.
/// Literals and tensor constants are left out. docs/Report.md has the grammar.
struct GraphSignature {
  std::vector<std::string> nodes;
  /// `sha256:` and the digest of the lines, each with its end of line.
  std::string fingerprint;
};

GraphSignature describeGraph(FunctionOpInterface function);

/// The fingerprint in two steps, of which only the first reads the IR: the
/// lines one after the other, and their digest.
/// @{
std::string writeGraphLines(FunctionOpInterface function);
std::string fingerprintLines(StringRef lines);
/// @}

} // namespace mlir::titan

#endif // TITAN_REPORT_GRAPHSIGNATURE_H
