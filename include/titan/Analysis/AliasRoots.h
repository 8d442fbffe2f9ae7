// Which values share storage.
#ifndef TITAN_ANALYSIS_ALIASROOTS_H
#define TITAN_ANALYSIS_ALIASROOTS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::titan {

/// The storage of every value of one block: its root, the value that the
/// storage was made for (an argument or the result of an op that is no view).
/// Storage is what memory holds; `AliasOpInterface` says who shares it.
class AliasRoots {
public:
  explicit AliasRoots(Block &block);

  /// The root of \p value, itself if it shares nobody's storage.
  Value getRoot(Value value) const;

private:
  llvm::DenseMap<Value, Value> roots;
};

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_ALIASROOTS_H
