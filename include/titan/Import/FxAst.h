// The text of a graph, taken apart: what the parser makes and the module
// builder reads. Everything borrows the text and lives in one arena.
#ifndef TITAN_IMPORT_FXAST_H
#define TITAN_IMPORT_FXAST_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <memory>
#include <vector>

namespace mlir::titan {

struct FxExpr;

/// An argument of a call (with its keyword), an element of a list, or a key or
/// a value of a dictionary.
struct FxArgument {
  llvm::StringRef keyword;
  const FxExpr *value;
};

/// A Python expression.
struct FxExpr {
  enum class Kind : uint8_t {
    None,
    True,
    False,
    Integer,
    Float,
    String,
    /// A name, perhaps with dots: `mul_1`, `torch.float32`, `self.graph`.
    Name,
    List,
    Tuple,
    /// Keys and values alternate.
    Dict,
    /// `name` is what is called.
    Call,
    /// Two arguments: what is read, and the index.
    Subscript,
    /// `name` is the operator; one argument or two.
    Unary,
    Binary,
  };

  Kind kind;
  /// The whole expression as written.
  llvm::StringRef text;
  llvm::StringRef name;
  llvm::ArrayRef<FxArgument> arguments;
};

/// `NAME[: ANNOTATION] = VALUE`, or an argument of the function (no value).
struct FxStatement {
  llvm::StringRef name;
  /// Without quotes; null data: none was given.
  llvm::StringRef annotation;
  const FxExpr *value = nullptr;
  /// The comment in force without its `#`: the last one seen, since a comment
  /// is printed only where it changes.
  llvm::StringRef comment;

  bool hasAnnotation() const { return annotation.data() != nullptr; }
};

/// An element of what is returned.
struct FxResult {
  const FxExpr *value;
  /// The descriptor, where the text gives one.
  llvm::StringRef descriptor;
};

/// How a function returns its results.
enum class ReturnForm : uint8_t { Tuple, List, Value, Pytree };

/// One `def forward`, with the class around it.
struct FxFunction {
  /// The class, empty if there is none.
  llvm::StringRef className;
  /// Where the function starts, for messages.
  const char *position = nullptr;
  std::vector<FxStatement> arguments;
  /// The descriptor of each argument, where the text gives one.
  std::vector<llvm::StringRef> descriptors;
  std::vector<FxStatement> statements;
  std::vector<FxResult> results;
  ReturnForm returnForm = ReturnForm::Tuple;
  /// `forward(self, primals, tangents)`: the arguments come out of a pytree.
  bool hasPytreeArguments = false;
  /// Classes inside this one: the bodies of higher-order ops.
  std::vector<std::unique_ptr<FxFunction>> children;
};

/// A graph: the function and the memory of its expressions.
struct FxGraph {
  llvm::BumpPtrAllocator arena;
  std::unique_ptr<FxFunction> main;
};

} // namespace mlir::titan

#endif // TITAN_IMPORT_FXAST_H
