// The comment above an op: its place in the user's program, its policy, its
// annotations.
#ifndef TITAN_IMPORT_COMMENT_H
#define TITAN_IMPORT_COMMENT_H

#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/Location.h"
#include <optional>

namespace mlir::titan {

/// A comment, taken apart.
struct FxComment {
  std::optional<Policy> policy;
  std::optional<int64_t> acGraphId;
  std::optional<Phase> phase;
  /// `Backward of forward node:`, or `autograd_backward: True`.
  bool isBackward = false;
  /// The module path, as cut by the printer; null if none.
  StringAttr module;
  /// All other annotations, as written; null if none.
  DictionaryAttr custom;
  /// The line of the user's program; unknown if there is none.
  LocationAttr location;
  /// The first part that should say something and cannot be read, within the
  /// text of the comment, and what was expected in its place; empty if none.
  StringRef unknown;
  StringLiteral expected = "";
};

/// Parses a comment without its `#`. Never fails: a tag or annotation that is
/// not understood is named in the result, other words say nothing.
FxComment parseComment(MLIRContext *context, StringRef text);

/// The comment of an op, as `print_readable` writes it, without `#`. The
/// inverse of parseComment up to what that leaves out.
std::string getCommentText(Operation *op, std::optional<Policy> policy,
                           std::optional<int64_t> acGraphId);

/// The policy that PyTorch calls \p name (`MUST_SAVE`).
std::optional<Policy> parsePolicyName(StringRef name);
/// PyTorch's name of a policy.
StringRef getPolicyName(Policy policy);

/// The phase that a partitioner tag of PyTorch stands for (`is_forward`).
std::optional<Phase> parsePhaseTag(StringRef tag);
/// PyTorch's partitioner tag of a phase.
StringRef getPhaseTag(Phase phase);

} // namespace mlir::titan

#endif // TITAN_IMPORT_COMMENT_H
