// PyTorch's arithmetic of shapes and dtypes, for verifiers. A dimension that is
// not known (`ShapedType::kDynamic`) agrees with every other, and what an
// operand's type does not tell is never held against an op.
#ifndef TITAN_INTERFACES_TYPERULES_H
#define TITAN_INTERFACES_TYPERULES_H

#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::titan {

using Shape = SmallVector<int64_t, 6>;

/// Whether the dimensions can be the same.
inline bool agree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Whether the shapes can be the same.
bool agree(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// The product of the dimensions, `kDynamic` if one is not known.
int64_t countElements(ArrayRef<int64_t> shape);

/// The shape that both are broadcast to, or none if they cannot be.
std::optional<Shape> broadcast(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// A shape for a message: `[2, ?]`.
std::string formatShape(ArrayRef<int64_t> shape);

/// What is known of the dtype of a result.
struct Dtype {
  enum class Kind {
    /// Nothing.
    Unknown,
    /// `type`.
    Exact,
    /// PyTorch's default dtype, which a graph does not carry: a floating one.
    AnyFloat,
  };
  Kind kind = Kind::Unknown;
  Type type;

  static Dtype exactly(Type type) {
    return {type ? Kind::Exact : Kind::Unknown, type};
  }
  static Dtype anyFloat() { return {Kind::AnyFloat, {}}; }
};

bool isFloating(Type type);
bool isIntegral(Type type);

/// The type that the two are promoted to, or null where PyTorch has none or we
/// do not know it.
Type promoteTypes(Type a, Type b);

/// The verifier of one op at work: its arguments by name, and the messages.
class TypeCheck {
public:
  explicit TypeCheck(Operation *op) : op(op), call(op) {}

  Operation *getOperation() const { return op; }
  const CallView &getCall() const { return call; }

  /// The type of the argument \p name, null if it is absent or no tensor.
  RankedTensorType getTensor(StringRef name) const;
  /// The type of the first operand, null if that is no tensor.
  RankedTensorType getFirstTensor() const;
  /// The types of the tensors in the list \p name; nothing if one of them is
  /// unknown.
  std::optional<SmallVector<RankedTensorType>> getTensors(StringRef name) const;
  /// The static value of an int; none if absent or symbolic.
  std::optional<int64_t> getInt(StringRef name) const {
    return call.getInt(name);
  }
  /// The entries of a list of ints, `kDynamic` where symbolic.
  std::optional<SmallVector<int64_t>> getInts(StringRef name) const {
    return call.getInts(name);
  }
  /// Whether the argument was given as an operand: its value is not known.
  bool isSymbolic(StringRef name) const;

  /// \name Checks; each says what was expected and what was found.
  /// @{
  InFlightDiagnostic error() const { return op->emitOpError("expected "); }
  LogicalResult expectRank(StringRef name, unsigned rank) const;
  /// \p dim, which may count from the end, as a dimension of a tensor of rank
  /// \p rank (a rank of 0 has one dimension, as in PyTorch).
  std::optional<unsigned> wrapDim(int64_t dim, unsigned rank) const;
  /// A list may lose its last elements: those that nothing reads and whose type
  /// the source does not give.
  LogicalResult expectAtMostResults(unsigned count) const;
  LogicalResult expectShape(unsigned result, ArrayRef<int64_t> shape) const;
  LogicalResult expectDtype(unsigned result, Dtype dtype) const;
  LogicalResult expectDtype(unsigned result, Type type) const {
    return expectDtype(result, Dtype::exactly(type));
  }
  LogicalResult expectType(unsigned result, ArrayRef<int64_t> shape,
                           Type type) const {
    return success(succeeded(expectShape(result, shape)) &&
                   succeeded(expectDtype(result, type)));
  }
  /// The result has the type of \p type; null agrees with all.
  LogicalResult expectLike(unsigned result, RankedTensorType type) const {
    return type ? expectType(result, type.getShape(), type.getElementType())
                : success();
  }
  /// The arguments \p a and \p b have the same element type.
  LogicalResult expectSameDtype(StringRef a, StringRef b) const;
  /// @}

  /// The shape that the arguments \p names are broadcast to; numbers count as
  /// rank 0. Failure with a message if they cannot be; none if one is unknown.
  FailureOr<std::optional<Shape>>
  broadcastArguments(ArrayRef<StringRef> names) const;

  /// The dtype that the arguments \p names are promoted to by PyTorch's rules:
  /// tensors before tensors of rank 0 before numbers.
  Dtype promoteArguments(ArrayRef<StringRef> names) const;

private:
  std::string nameResult(unsigned result) const;

  Operation *op;
  CallView call;
};

} // namespace mlir::titan

#endif // TITAN_INTERFACES_TYPERULES_H
