// Shorthands for ops that work element by element.
#ifndef TITAN_LIB_CONVERSION_ATENTOLINALG_ELEMENTWISE_H
#define TITAN_LIB_CONVERSION_ATENTOLINALG_ELEMENTWISE_H

#include "Lowering.h"

namespace mlir::titan {

/// The type in which a formula on floats is evaluated. Integers are always
/// computed in their own type, bool in i64.
enum class Width {
  /// f32 for results of 32 bits and fewer: right for formulas of one rounding.
  Narrow,
  /// f64: for formulas of several steps, which are then rounded once.
  Wide,
};

/// The kinds of result that a lowering knows.
enum class NumberKinds { All, Floats, Integers };

/// Whether result 0 is of \p kinds.
std::function<bool(Operation *)> hasResultOf(NumberKinds kinds);

/// Result 0 as \p body of the arguments called \p names. Literals are rounded
/// to f32 unless the result is f64.
FailureOr<SmallVector<Value>>
mapNamed(Lowering &l, ArrayRef<StringRef> names, Width width,
         function_ref<Value(Formula &, ValueRange)> body);

/// The number \p name, rounded to f32 unless the result is f64, as kernels see
/// it; \p otherwise if it is absent.
double getParameter(Lowering &l, StringRef name, double otherwise);

/// The number of a literal argument.
std::optional<double> getLiteral(Operand operand);

/// The arguments called \p names, into \p operands; false if one is absent.
bool getOperands(Operation *op, ArrayRef<StringRef> names,
                 MutableArrayRef<Operand> operands);

/// The type that operands are converted to before they are compared
/// (torch.result_type); null where they are not known to have one.
Type getCommonType(ArrayRef<Operand> operands);

} // namespace mlir::titan

#endif // TITAN_LIB_CONVERSION_ATENTOLINALG_ELEMENTWISE_H
