// A NaN that an op makes of infinities is its own (a softmax of a row that is
// masked from end to end); an infinity beside an infinite operand is not.
#include "titan/Execution/FiniteCheck.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/SymbolTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

static void count(double number, int64_t index, SpecialNumbers &found) {
  if (std::isfinite(number))
    return;
  bool isNan = std::isnan(number);
  int64_t &times = isNan ? found.nans : found.infinities;
  if (times++ == 0)
    (isNan ? found.firstNan : found.firstInfinity) = index;
}

SpecialNumbers titan::findSpecialNumbers(const RuntimeValue &value) {
  SpecialNumbers found;
  if (const auto *number = value.getIf<double>())
    count(*number, 0, found);
  const auto *tensor = value.getIf<Tensor>();
  if (!tensor || isInteger(tensor->getDType()))
    return found;
  int64_t size = tensor->getNumElements();
  // Most are f32 and in order: no copy is worth it.
  if (tensor->getDType() == DType::F32 && tensor->isContiguous()) {
    const auto *data = reinterpret_cast<const float *>(tensor->getData());
    for (int64_t i = 0; i < size; ++i)
      count(data[i], i, found);
    return found;
  }
  if (!isComplex(tensor->getDType())) {
    for (auto [index, number] : llvm::enumerate(tensor->getValues<double>()))
      count(number, static_cast<int64_t>(index), found);
    return found;
  }
  for (auto [index, number] :
       llvm::enumerate(tensor->getValues<std::complex<double>>())) {
    // One number, however many of its parts are special.
    double part = std::isnan(number.imag()) || std::isfinite(number.real())
                      ? number.imag()
                      : number.real();
    count(std::isnan(number.real()) ? number.real() : part,
          static_cast<int64_t>(index), found);
  }
  return found;
}

// Adds the literals of \p op, and of the ops of a kernel that it calls.
static void findLiterals(Operation *op, bool &hasNan, bool &hasInfinity) {
  auto note = [&](double number) {
    hasNan |= std::isnan(number);
    hasInfinity |= std::isinf(number);
  };
  op->getAttrDictionary().walk([&](Attribute literal) {
    if (auto number = dyn_cast<FloatAttr>(literal))
      note(number.getValueAsDouble());
    else if (auto numbers = dyn_cast<DenseF64ArrayAttr>(literal))
      llvm::for_each(numbers.asArrayRef(), note);
  });
  auto call = dyn_cast<func::CallOp>(op);
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           op, call.getCalleeAttr())
                     : func::FuncOp();
  if (callee && !callee.isExternal())
    for (Operation &inner : callee.front())
      if (!isa<func::CallOp>(inner))
        findLiterals(&inner, hasNan, hasInfinity);
}

FiniteChecker::FiniteChecker(FiniteCheck check, Operation *op,
                             ArrayRef<RuntimeValue> operands)
    : check(check), op(op) {
  if (check == FiniteCheck::None)
    return;
  for (const RuntimeValue &operand : operands) {
    SpecialNumbers found = findSpecialNumbers(operand);
    hasNan |= found.nans > 0;
    hasInfinity |= found.infinities > 0;
  }
  findLiterals(op, hasNan, hasInfinity);
}

LogicalResult FiniteChecker::blame(unsigned result, StringRef what,
                                   int64_t count, int64_t first,
                                   const RuntimeValue &value) const {
  const auto *tensor = value.getIf<Tensor>();
  return emitError(op->getLoc())
         << "'" << describeOp(op) << "' is the first op that makes " << what
         << (what == "a NaN" ? " of operands without one"
                             : " of finite operands")
         << ", in '" << getDisplayName(op->getResult(result)) << "': " << count
         << " of " << (tensor ? tensor->getNumElements() : 1)
         << " elements, the first at index " << first;
}

LogicalResult
FiniteChecker::checkResults(ArrayRef<RuntimeValue> results) const {
  if (check == FiniteCheck::None)
    return success();
  for (auto [index, value] : llvm::enumerate(results)) {
    SpecialNumbers found = findSpecialNumbers(value);
    if (found.nans && !hasNan)
      return blame(index, "a NaN", found.nans, found.firstNan, value);
    if (check == FiniteCheck::All && found.infinities && !hasNan &&
        !hasInfinity)
      return blame(index, "an infinity", found.infinities, found.firstInfinity,
                   value);
  }
  return success();
}
