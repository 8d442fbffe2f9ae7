// The walk of apply_sac over one joint function.
#ifndef TITAN_LIB_TRANSFORMS_SACTAGGER_H
#define TITAN_LIB_TRANSFORMS_SACTAGGER_H

#include "ModulePaths.h"
#include "SaveSelectors.h"
#include "SaveSets.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Transforms/Passes.h"

#include "llvm/ADT/DenseSet.h"
#include <map>
#include <set>

namespace mlir::titan {

/// What a run tagged, for the user.
struct SacCounts {
  int64_t productsFound = 0;
  int64_t productsSaved = 0;
  /// Nodes saved because a later layer reads them.
  int64_t forced = 0;
  /// Nodes of the source graph (ops and elements of tuples) by policy.
  std::map<Policy, int64_t> tagged;
  /// Saved and recomputed nodes by layer.
  std::map<int64_t, std::pair<int64_t, int64_t>> layers;
};

/// Gives each op of a joint function, in graph order, the tag that the options
/// of `titan-apply-sac` decide.
class SacTagger {
public:
  /// Borrows \p options.
  SacTagger(FunctionOpInterface joint, const ApplySacPassOptions &options);

  /// Fails with a diagnostic, before anything is tagged.
  LogicalResult run();
  const SacCounts &getCounts() const { return counts; }

private:
  LogicalResult findStop();
  LogicalResult readSaveOps();
  LogicalResult readSelectors();
  LogicalResult readGatheredParams();
  void readForcedShapes();
  std::optional<SmallVector<int64_t>> getWeightShape(Operation *op);

  bool mayTag(Operation *op) const;
  bool isSelected(Operation *op) const;
  bool isSaved(Operation *op);
  std::optional<bool> takeTurn(Operation *op);
  Policy choose(Operation *op);
  void enterLayer(Operation *op);
  void tag(Operation *op);
  void tagAsOperand(Operation *wait);
  void tagResults(Operation *op);
  void write(Operation *op, Policy policy);

  bool feedsLaterLayer(Value value, int64_t layer) const;
  void saveBoundaries();
  void count();

  FunctionOpInterface joint;
  const ApplySacPassOptions &options;
  bool inheritsGetitem;
  bool inheritsWait;
  OpNameSet saved;
  OpNameSet products;
  std::vector<SaveSelector> selectors;
  llvm::DenseSet<Operation *> gatheredParams;
  std::set<SmallVector<int64_t>> forcedShapes;
  llvm::DenseSet<Operation *> backward;
  /// The op after which tagging ends, or null.
  Operation *stop = nullptr;
  int64_t layer = kNoLayer;
  int64_t counter = 0;
  SacCounts counts;
};

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_SACTAGGER_H
