// Finds the op that is to blame for a NaN or an infinity.
#ifndef TITAN_EXECUTION_FINITECHECK_H
#define TITAN_EXECUTION_FINITECHECK_H

#include "titan/Execution/Interpreter.h"

namespace mlir::titan {

/// The NaNs and infinities of a value.
struct SpecialNumbers {
  int64_t nans = 0, infinities = 0;
  /// In logical order.
  int64_t firstNan = 0, firstInfinity = 0;
};

/// Nothing in what is no tensor of floats or complex numbers.
SpecialNumbers findSpecialNumbers(const RuntimeValue &value);

/// Holds the results of an op against what its operands held before it ran.
class FiniteChecker {
public:
  FiniteChecker(FiniteCheck check, Operation *op,
                ArrayRef<RuntimeValue> operands);

  /// An error at the op if it is to blame for something in \p results.
  LogicalResult checkResults(ArrayRef<RuntimeValue> results) const;

private:
  LogicalResult blame(unsigned result, StringRef what, int64_t count,
                      int64_t first, const RuntimeValue &value) const;

  FiniteCheck check;
  Operation *op;
  bool hasNan = false, hasInfinity = false;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_FINITECHECK_H
