// The text of single values and calls, for the writer of FX text.
#ifndef TITAN_LIB_IMPORT_FXTEXT_H
#define TITAN_LIB_IMPORT_FXTEXT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace mlir::titan {

/// How values and the bodies of higher-order ops are called in the text.
struct FxNames {
  llvm::function_ref<std::string(Value)> value;
  llvm::function_ref<std::string(StringRef)> symbol;
};

/// What the types in a text say beside dtype and shape.
struct FxTypeForm {
  bool hasStrides = true;
  /// The device of values that name none.
  StringRef device;
};

/// `: "f32[4, 8][8, 1]cuda:0"`, empty for values without an annotation.
std::string getAnnotationText(Value value, const FxTypeForm &form);

/// The class around a graph of the function's kind.
StringRef getUsualClassName(func::FuncOp function);

/// The right-hand side of an op's statement.
std::string getCallText(Operation *op, const FxNames &names);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_FXTEXT_H
