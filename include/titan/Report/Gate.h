// Gates on a report: `--fail-if`.
#ifndef TITAN_REPORT_GATE_H
#define TITAN_REPORT_GATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::titan {

/// A comparison of a number in a report with a constant:
/// `partition.saved_bytes >= 1.5GiB`.
struct Gate {
  enum class Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater
  };
  /// Keys from the root of the report.
  std::string path;
  Comparison comparison = Comparison::Equal;
  double limit = 0;
  /// The limit as the user wrote it.
  std::string limitText;
};

/// Parses \p expression; sizes take B, KiB, MiB, GiB and TiB.
llvm::Expected<Gate> parseGate(llvm::StringRef expression);

/// A sentence on how the report \p json fulfils \p gate, none if it does not.
/// Fails if the report has no number at the path.
llvm::Expected<std::optional<std::string>> evaluateGate(const Gate &gate,
                                                        llvm::StringRef json);

} // namespace mlir::titan

#endif // TITAN_REPORT_GATE_H
