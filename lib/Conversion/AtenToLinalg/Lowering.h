// What the lowering of one op sees: the op's arguments by their schema names,
// and a builder that knows how PyTorch broadcasts and converts.
#ifndef TITAN_LIB_CONVERSION_ATENTOLINALG_LOWERING_H
#define TITAN_LIB_CONVERSION_ATENTOLINALG_LOWERING_H

#include "Formula.h"

#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::titan {

/// An argument of a computation element by element: a tensor, a symbolic number
/// or a literal.
using Operand = OpFoldResult;

/// One op that is being lowered.
class Lowering {
public:
  Lowering(Operation *op, OpBuilder &builder);

  ImplicitLocOpBuilder &builder() { return b; }
  const CallView &call() const { return view; }
  Operation *operation() const { return op; }

  /// The type of result \p index, which is a ranked tensor.
  RankedTensorType resultType(unsigned index = 0) const;
  Type resultElementType(unsigned index = 0) const {
    return resultType(index).getElementType();
  }

  /// The argument \p name; null if it is absent.
  Operand operand(StringRef name) const;
  /// The tensor \p name; null if it is absent or no tensor.
  TypedValue<RankedTensorType> tensor(StringRef name) const;

  /// The sizes of \p value, constants where they are static.
  SmallVector<OpFoldResult> sizesOf(Value value);
  /// A tensor of \p sizes with no contents yet.
  Value empty(ArrayRef<OpFoldResult> sizes, Type elementType);
  /// A tensor of \p sizes filled with \p value, a number of its element type.
  Value filled(ArrayRef<OpFoldResult> sizes, Value value);

  /// \p operands broadcast against each other and converted to \p computeType,
  /// \p body of their elements, the outcome converted to \p elementType.
  /// Literals are rounded to \p literalType first.
  Value map(ArrayRef<Operand> operands, Type computeType, Type elementType,
            function_ref<Value(Formula &, ValueRange)> body,
            Type literalType = {});

  /// The tensor of the given type with the elements of \p value in logical
  /// order; null where the sizes do not tell how.
  Value reshape(Value value, RankedTensorType type);
  /// The elements of \p value converted to \p elementType.
  Value castElements(Value value, Type elementType);

private:
  SmallVector<OpFoldResult> broadcastSizes(ArrayRef<Operand> operands);

  Operation *op;
  ImplicitLocOpBuilder b;
  CallView view;
};

/// What one op becomes. The values have the types of the op's results.
using LowerFn = std::function<FailureOr<SmallVector<Value>>(Lowering &)>;

/// The lowerings by op: under the full name (`aten.max.dim`), or without the
/// overload where all overloads are lowered alike (`aten.add`).
class LoweringTable {
public:
  struct Entry {
    LowerFn lower;
    /// Whether the op's types and arguments can be lowered, beyond what holds
    /// of all (supportsTypes).
    std::function<bool(Operation *)> supports;
  };

  /// Every lowering there is.
  LoweringTable();

  void add(ArrayRef<StringRef> names, const LowerFn &lower,
           const std::function<bool(Operation *)> &supports = {}) {
    for (StringRef name : names)
      entries[name] = {lower, supports};
  }
  const Entry *find(StringRef name) const;

private:
  llvm::StringMap<Entry> entries;
};

/// \name The families
/// @{
void addActivationLowerings(LoweringTable &table);
void addArrangeLowerings(LoweringTable &table);
void addBatchNormLowerings(LoweringTable &table);
void addCastLowerings(LoweringTable &table);
void addConvolutionLowerings(LoweringTable &table);
void addCreationLowerings(LoweringTable &table);
void addIndexLowerings(LoweringTable &table);
void addLossLowerings(LoweringTable &table);
void addMatmulLowerings(LoweringTable &table);
void addMomentLowerings(LoweringTable &table);
void addMovementLowerings(LoweringTable &table);
void addNormLowerings(LoweringTable &table);
void addPointwiseLowerings(LoweringTable &table);
void addReductionLowerings(LoweringTable &table);
void addReshapeLowerings(LoweringTable &table);
void addSoftmaxLowerings(LoweringTable &table);
void addUnaryLowerings(LoweringTable &table);
/// @}

} // namespace mlir::titan

#endif // TITAN_LIB_CONVERSION_ATENTOLINALG_LOWERING_H
