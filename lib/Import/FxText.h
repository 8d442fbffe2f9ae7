// The text of single values and calls, for the writer of FX text.
#ifndef TITAN_LIB_IMPORT_FXTEXT_H
#define TITAN_LIB_IMPORT_FXTEXT_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace mlir::titan {

/// How values and the bodies of higher-order ops are called in the text.
struct FxNames {
  llvm::function_ref<std::string(Value)> value;
  llvm::function_ref<std::string(StringRef)> symbol;
};

/// `: "f32[4, 8][8, 1]cuda:0"`, empty for values without an annotation.
/// \p moduleDevice is the device of values that name none.
std::string getAnnotationText(Value value, StringRef moduleDevice);

/// The right-hand side of an op's statement.
std::string getCallText(Operation *op, const FxNames &names);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_FXTEXT_H
