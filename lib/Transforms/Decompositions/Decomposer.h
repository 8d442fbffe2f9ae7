// What a decomposition is written with: the op it replaces, seen as a call, and
// calls in its place.
//
//   static void decomposeSilu(Decomposer &d) {
//     Value x = d.widen(d.getOperand("self"));
//     Value denominator = d.make("add.Tensor", d.make("exp", d.make("neg", x)),
//                                d.integer(1));
//     d.replace(d.narrow(d.make("div.Tensor", x, denominator)));
//   }
#ifndef TITAN_LIB_TRANSFORMS_DECOMPOSITIONS_DECOMPOSER_H
#define TITAN_LIB_TRANSFORMS_DECOMPOSITIONS_DECOMPOSER_H

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/CallBuilder.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace mlir::titan {

/// The names of a function's values, to make new ones.
class NameTable {
public:
  explicit NameTable(FunctionOpInterface function);

  /// \p base or, where that is taken, \p base with a number; taken from now on.
  std::string makeUnique(StringRef base);

private:
  llvm::StringSet<> taken;
};

/// One decomposition. A step that cannot be done (an unknown shape, an absent
/// operand) makes every step after it void, and the op stays as it is. Null
/// values are steps that failed.
class Decomposer {
public:
  Decomposer(Operation *op, CallBuilder &calls, NameTable &names);

  /// \name The op
  /// @{
  Operation *getOperation() const { return op; }
  const CallView &getCall() const { return call; }
  /// Gives up if there is no such operand.
  Value getOperand(StringRef name);
  /// The operand, or null.
  Value getOptionalOperand(StringRef name) const;
  /// The argument as the op holds it: operand, literal or list.
  CallArgument getArgument(StringRef name);
  /// Whether something reads the result.
  bool isUsed(unsigned result) const;
  RankedTensorType getResultType(unsigned result = 0);
  /// @}

  /// \name Literals
  /// @{
  CallArgument number(double value);
  CallArgument integer(int64_t value);
  CallArgument flag(bool value);
  CallArgument dtype(Type type);
  CallArgument device(Value like);
  CallArgument list(ArrayRef<int64_t> values);
  CallArgument values(ArrayRef<CallArgument> elements);
  /// \p value as an integer if it is one, so that text reads `1` for `1`.
  CallArgument scalar(double value);
  /// @}

  /// \name Calls
  /// Names are those of aten ops without the dialect.
  /// @{
  /// A pointwise op: operands are broadcast against each other, the element
  /// type is the first tensor's.
  Value make(StringRef name, CallArgument a);
  Value make(StringRef name, CallArgument a, CallArgument b);
  /// The same with i1 elements.
  Value compare(StringRef name, Value a, CallArgument b);
  /// `where(condition, a, b)`.
  Value select(Value condition, Value a, Value b);
  /// A reduction that keeps the reduced dimensions or drops them.
  Value reduce(StringRef name, Value value, ArrayRef<int64_t> dims,
               bool keepDims);
  /// `prims.convert_element_type`, nothing for the same type.
  Value convert(Value value, Type elementType);
  /// f16 and bf16 as f32, in which Inductor computes; all else as it is.
  Value widen(Value value);
  /// Back to the element type of \p result.
  Value narrow(Value value, unsigned result = 0);
  /// A tensor without dimensions, on the device of \p like.
  Value constant(double value, Type elementType, Value like);
  /// Any call; \p name with its dialect. The last op has the name of the op's
  /// result only after replace.
  Value emit(StringRef name, ArrayRef<NamedCallArgument> arguments, Type type);
  SmallVector<Value> emitMany(StringRef name,
                              ArrayRef<NamedCallArgument> arguments,
                              TypeRange types);
  /// @}

  /// Puts \p values in the place of the results; null is allowed for results
  /// that nothing reads. Gives up if a type differs.
  void replace(ArrayRef<Value> values);
  void giveUp() { isGivenUp = true; }

  /// After the decomposition: erases the op, or what was made in vain. Whether
  /// the op is gone.
  bool finish();

private:
  void annotate(Operation *made, StringRef base);
  void takeOver(Value value, OpResult result);
  LayoutAttr findLayout(Value value) const;

  Operation *op;
  CallView call;
  CallBuilder &calls;
  NameTable &names;
  OpBuilder builder;
  SmallVector<Operation *> made;
  std::deque<SmallVector<CallArgument>> lists;
  std::deque<std::string> texts;
  bool isGivenUp = false;
  bool isReplaced = false;
};

/// How to decompose ops, by their name in the IR.
using DecompositionTable = llvm::StringMap<void (*)(Decomposer &)>;

/// \name Families
/// What Inductor puts in place of the ops (torch/_inductor/decomposition.py,
/// torch/_decomp).
/// @{
void populateActivationDecompositions(DecompositionTable &table);
void populateArithmeticDecompositions(DecompositionTable &table);
void populateCreationDecompositions(DecompositionTable &table);
void populateIndexDecompositions(DecompositionTable &table);
void populateLossDecompositions(DecompositionTable &table);
void populateNormDecompositions(DecompositionTable &table);
void populateRandomDecompositions(DecompositionTable &table);
void populateSoftmaxDecompositions(DecompositionTable &table);
void populateViewDecompositions(DecompositionTable &table);
/// @}

} // namespace mlir::titan

#endif // TITAN_LIB_TRANSFORMS_DECOMPOSITIONS_DECOMPOSER_H
