// What stands after the colon of a value: dtype, shape, strides and device of a
// tensor, or the expression of a symbolic number.
#ifndef TITAN_IMPORT_ANNOTATION_H
#define TITAN_IMPORT_ANNOTATION_H

#include "titan/Dialect/Titan/IR/Titan.h"

#include <optional>
#include <string>

namespace mlir::titan {

/// An annotation, taken apart. Text fields borrow the annotation.
struct FxAnnotation {
  enum class Kind : uint8_t {
    /// `f32[4, s0][s0, 1]cuda:0`
    Tensor,
    /// `Sym(s0 + 1)`
    Symbol,
    /// A Python type (`torch.Tensor`, `int`): says nothing that Titan reads.
    Other,
  };

  Kind kind = Kind::Other;
  /// Null for `Other`.
  Type type;
  /// Dimensions as written.
  SmallVector<StringRef, 4> shape;
  /// Strides as written; only with `hasStrides`.
  SmallVector<StringRef, 4> strides;
  bool hasStrides = false;
  /// Empty if not given.
  StringRef device;
  /// The expression of a symbol.
  StringRef expression;
  /// The tensor subclass around the annotation, with `@` in its place.
  std::string wrapper;
};

/// What is wrong with an annotation, and where in its text.
struct FxAnnotationError {
  const char *position;
  std::string message;
};

/// Parses an annotation without its quotes.
std::optional<FxAnnotation>
parseAnnotation(MLIRContext *context, StringRef text, FxAnnotationError &error);

/// The layout of \p annotation: what its type cannot say, where strides are not
/// those of a contiguous tensor, a dimension is symbolic or the device is not
/// \p moduleDevice. Null if there is nothing to say.
LayoutAttr getLayout(const FxAnnotation &annotation, StringRef moduleDevice,
                     MLIRContext *context);

/// The type of a symbolic number: index, f64 or i1, by its expression.
Type getSymbolType(MLIRContext *context, StringRef expression);

/// The strides of a contiguous tensor of static \p shape.
SmallVector<int64_t> getContiguousStrides(ArrayRef<int64_t> shape);

} // namespace mlir::titan

#endif // TITAN_IMPORT_ANNOTATION_H
