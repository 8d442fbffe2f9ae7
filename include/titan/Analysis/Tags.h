// The tags of a graph, by the names of its source.
#ifndef TITAN_ANALYSIS_TAGS_H
#define TITAN_ANALYSIS_TAGS_H

#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// The tag of one node of the source graph.
struct NodeTag {
  /// The node's name: a value's, a tuple's, a getitem's.
  std::string name;
  Policy policy;
  std::optional<int64_t> acGraphId;
};

/// What PyTorch calls \p policy: `MUST_SAVE`.
StringRef getTorchPolicyName(Policy policy);

/// The tags of the ops of \p function and of their results, in graph order,
/// untagged ones left out. An op whose value is a tuple is followed by its
/// tagged elements. An op without results can hold a region only (there is
/// nothing to save): it counts as PREFER_RECOMPUTE, which is what apply_sac
/// gives it. Values without a name in the source have their display name.
std::vector<NodeTag> collectTags(FunctionOpInterface function);

/// The same for one op. Names are made only if \p withNames is set.
void forEachTag(Operation *op, llvm::function_ref<void(NodeTag)> visit,
                bool withNames = false);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_TAGS_H
