// What users name to be saved: ops, and ops of certain modules.
#ifndef TITAN_LIB_TRANSFORMS_SAVESELECTORS_H
#define TITAN_LIB_TRANSFORMS_SAVESELECTORS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// An op of the modules that match a pattern.
struct SaveSelector {
  std::string modulePattern;
  /// As normalizeOpName gives it.
  std::string opName;
  /// As the user spells it, without spaces.
  std::string text;
};

/// Reads selectors `MODULE_PATTERN::OP` with bars between, spaces around each
/// part allowed. OP names an overload (`aten.mm.default`, perhaps after
/// `torch.ops.`) or a higher-order op. In the namespaces that Titan models the
/// op must exist. Errors have torchtitan's texts.
llvm::Expected<std::vector<SaveSelector>>
parseSaveSelectors(llvm::StringRef text, MLIRContext *context);

/// Checks an op name of a save list, in any spelling: in the namespaces that
/// Titan models it must be one overload. The dialects must be loaded.
llvm::Error checkOpName(llvm::StringRef name, MLIRContext *context);

/// Whether \p name (normalized) is in a namespace whose ops Titan models.
bool isModelledNamespace(llvm::StringRef name, MLIRContext *context);

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_SAVESELECTORS_H
