// The elements of a plan's values, computed by one thread of a GPU.
#ifndef TITAN_LIB_CODEGEN_NVVM_DEVICEELEMENTS_H
#define TITAN_LIB_CODEGEN_NVVM_DEVICEELEMENTS_H

#include "titan/Codegen/Loops/LoopPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::titan {

/// What one element expands to: one number where all lanes have the same, else
/// one a lane. Kernels compute with single numbers; only memory is accessed in
/// vectors.
using Lanes = SmallVector<Value, 1>;

/// The body of one innermost loop of a thread: the counters, and what has been
/// computed at them.
struct DeviceFrame {
  ArrayRef<int64_t> extents;
  /// Is being stored, and so not yet in memory.
  Value self;
  /// One a dimension; of `vectorDim` that of the first lane, a multiple of
  /// `width`.
  SmallVector<Value> counters;
  std::optional<unsigned> vectorDim;
  int64_t width = 1;
  llvm::DenseMap<std::pair<Value, AffineMap>, Lanes> elements;
};

/// Writes what computes elements.
class DeviceElements {
public:
  /// \p counterType is wide enough for every place of every tensor;
  /// assertions that are met are added to \p assertions.
  DeviceElements(ImplicitLocOpBuilder &builder, const LoopPlan &plan,
                 IntegerType counterType, SmallVector<cf::AssertOp> &assertions)
      : b(builder), plan(plan), counterType(counterType),
        assertions(assertions) {}

  /// Where the number of an assertion that does not hold goes.
  void bindFailure(Value pointer) { failure = pointer; }
  /// Says where \p buffer is: the address of its elements, or the number.
  void bind(Value buffer, Value where) { places[buffer] = where; }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, IntegerAttr::get(counterType, value));
  }
  Lanes emitElement(DeviceFrame &frame, Value value, ArrayRef<AffineExpr> at);
  /// The results of the body of \p generic at its counters \p at; \p previous
  /// are the results so far, if it folds.
  SmallVector<Lanes> emitBody(DeviceFrame &frame, linalg::GenericOp generic,
                              ArrayRef<AffineExpr> at,
                              ArrayRef<Lanes> previous);
  void emitStore(DeviceFrame &frame, Value tensor, ArrayRef<AffineExpr> at,
                 const Lanes &element);
  /// A copy of \p op, an op of a body, for each lane of \p operands.
  SmallVector<Lanes> cloneForLanes(Operation *op, ArrayRef<Lanes> operands);
  /// Makes \p element known to \p frame.
  void remember(DeviceFrame &frame, Value tensor, ArrayRef<AffineExpr> at,
                Lanes element) const;

private:
  Value emitIndex(DeviceFrame &frame, AffineExpr expr);
  Lanes emitIndexLanes(DeviceFrame &frame, AffineExpr expr);
  Value emitNumber(DeviceFrame &frame, Value value);
  Lanes emitLoad(DeviceFrame &frame, Value tensor, ArrayRef<AffineExpr> at);
  /// An element at a computed place.
  Lanes emitLookup(DeviceFrame &frame, tensor::ExtractOp lookup,
                   ArrayRef<AffineExpr> at,
                   function_ref<Lanes(Value)> getValue);
  void emitAssertion(cf::AssertOp assertion, const Lanes &holds);
  Lanes loadVector(Value tensor, Value index, int64_t width,
                   unsigned alignment);
  Value getAddress(Value tensor, Value index);
  Value loadNumber(Value tensor, Value index);
  void storeNumber(Value element, Value tensor, Value index);
  std::optional<int64_t> getStep(const DeviceFrame &frame,
                                 AffineExpr expr) const;
  unsigned getAlignment(const DeviceFrame &frame, AffineExpr linear,
                        int64_t elementBytes) const;

  ImplicitLocOpBuilder &b;
  const LoopPlan &plan;
  IntegerType counterType;
  llvm::DenseMap<Value, Value> places;
  Value failure;
  SmallVector<cf::AssertOp> &assertions;
};

/// How elements of type \p type lie in memory: bool as bytes.
Type getDeviceMemoryType(Type type);

/// The element type of \p tensor.
Type getElementTypeOf(Value tensor);

} // namespace mlir::titan

#endif // TITAN_LIB_CODEGEN_NVVM_DEVICEELEMENTS_H
