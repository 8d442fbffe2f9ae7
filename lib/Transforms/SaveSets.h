// Sets of ops by the names that people give them.
#ifndef TITAN_LIB_TRANSFORMS_SAVESETS_H
#define TITAN_LIB_TRANSFORMS_SAVESETS_H

#include "titan/Transforms/ApplySac.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace mlir::titan {

/// A set of ops, asked often: an op's name is looked up once a kind of op.
class OpNameSet {
public:
  /// \p name in any spelling that normalizeOpName reads.
  void insert(llvm::StringRef name);
  bool contains(Operation *op);

private:
  llvm::StringSet<> names;
  /// By what tells kinds of ops apart: the registered name, for the escape op
  /// the attribute that holds the name.
  llvm::DenseMap<const void *, bool> known;
};

/// The names in \p set.
llvm::ArrayRef<llvm::StringLiteral> getSaveSetNames(SaveSet set);

/// The products that take turns: `aten.mm`, and where \p withLinear is set
/// `aten.linear`.
OpNameSet getCountedProducts(bool withLinear);

/// Whether \p op is `aten.mm`, not `aten.linear`.
bool isMatrixProduct(Operation *op);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_SAVESETS_H
