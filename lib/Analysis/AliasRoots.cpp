#include "titan/Analysis/AliasRoots.h"

#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::titan;

AliasRoots::AliasRoots(Block &block) {
  for (Operation &op : block) {
    auto alias = dyn_cast<AliasOpInterface>(op);
    if (!alias)
      continue;
    for (OpResult result : op.getResults())
      if (std::optional<unsigned> operand =
              alias.getAliasedOperand(result.getResultNumber());
          operand && *operand < op.getNumOperands())
        roots[result] = getRoot(op.getOperand(*operand));
  }
}

Value AliasRoots::getRoot(Value value) const {
  auto it = roots.find(value);
  return it == roots.end() ? value : it->second;
}
