// The many spellings of an op's name that people type and PyTorch prints, and
// the one that Titan's IR uses.
#ifndef TITAN_INTERFACES_OPNAMES_H
#define TITAN_INTERFACES_OPNAMES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::titan {

/// The name in Titan's IR of an op that a user names: `aten.mm` for `aten.mm`,
/// `aten.mm.default`, `torch.ops.aten.mm.default`, `aten::mm`; `c10d.x` for
/// `_c10d_functional.x`. Other namespaces keep theirs (`lab.fused_norm`). Only
/// spelling is changed: whether such an op exists is not asked.
std::string normalizeOpName(llvm::StringRef spelling);

/// The name of \p op as normalizeOpName gives it, `titan.torch_op` answered
/// with the name it carries (`higher_order.flex_attention`).
std::string getOpName(Operation *op);

/// The overload as PyTorch prints it, without `torch.ops.`: `aten.mm.default`,
/// `_c10d_functional.wait_tensor.default`, `higher_order.cond`.
std::string getTorchName(Operation *op);

} // namespace mlir::titan

#endif // TITAN_INTERFACES_OPNAMES_H
