// Bytes of values. Symbolic dimensions count with their hints.
#ifndef TITAN_ANALYSIS_TENSORSIZE_H
#define TITAN_ANALYSIS_TENSORSIZE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <optional>

namespace mlir::titan {

/// The hint of a symbol without one (torch/_functorch/partitioners.py).
inline constexpr int64_t kDefaultSymbolHint = 4096;

/// Evaluates sizes in one module. Owns a copy of the module's symbol table.
class TensorSizes {
public:
  /// Reads `titan.dynamic` of \p module; null means no symbols.
  explicit TensorSizes(ModuleOp module);

  /// The value of a symbolic expression as PyTorch prints it (`2*s0`,
  /// `(s0//2)`, `Max(1, u0)`), unknown symbols taken as kDefaultSymbolHint;
  /// none if the text is no such expression.
  std::optional<int64_t> evaluate(StringRef expression) const;

  /// Elements of a tensor value: the static shape, else the layout's
  /// expressions, else kDefaultSymbolHint a `?`.
  int64_t getNumElements(Value value) const;

  /// Bytes of the value alone, as PyTorch's partitioner counts them: elements
  /// times item size (a bool is one byte), 1 for a symbolic number, 0 for
  /// opaque and unknown values. A view counts its own elements, not its
  /// storage.
  int64_t getBytes(Value value) const;

private:
  llvm::StringMap<int64_t> hints;
};

/// Bytes of one element of \p type; i1 is one byte, complex<f32> eight.
int64_t getItemSize(Type type);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_TENSORSIZE_H
