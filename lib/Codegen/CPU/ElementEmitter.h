// Elements of a kernel's tensors in the loop that stores them: computed by the
// formula that a plan resolves them to, or loaded.
#ifndef TITAN_LIB_CODEGEN_CPU_ELEMENTEMITTER_H
#define TITAN_LIB_CODEGEN_CPU_ELEMENTEMITTER_H

#include "titan/Codegen/Loops/LoopPlan.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::titan {

/// The body of one innermost loop: the counters, and what has been computed at
/// them. An element is a number where all lanes have the same, else a vector.
struct Frame {
  ArrayRef<int64_t> extents;
  Value self;
  /// One i64 a dimension; of `vectorDim` that of the first lane.
  SmallVector<Value> counters;
  std::optional<unsigned> vectorDim;
  llvm::DenseMap<std::pair<Value, AffineMap>, Value> elements;
};

/// Writes elements at the insertion point. One of kLanes elements is a vector,
/// by the same ops as a single one, so that both have the same bits.
class ElementEmitter {
public:
  ElementEmitter(ImplicitLocOpBuilder b, const LoopPlan &plan)
      : b(std::move(b)), plan(plan) {}

protected:
  /// \name Numbers
  /// @{
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value spread(Value value);
  Value emitIndex(Frame &frame, AffineExpr expr);
  Value emitIndexLanes(Frame &frame, AffineExpr expr);
  Value emitNumber(Frame &frame, Value value);
  Value emitElement(Frame &frame, Value value, ArrayRef<AffineExpr> at);
  SmallVector<Value> emitBody(Frame &frame, linalg::GenericOp generic,
                              ArrayRef<AffineExpr> at, ValueRange previous);
  Operation *cloneVectorized(Operation *op, ValueRange operands);
  Value emitLookup(Frame &frame, tensor::ExtractOp lookup,
                   ArrayRef<AffineExpr> at,
                   function_ref<Value(Value)> getValue);
  void emitAssertion(cf::AssertOp assertion, Value holds);
  /// @}

  /// \name Memory
  /// @{
  Value getAddress(Value tensor, Value index);
  Value emitLoad(Frame &frame, Value tensor, ArrayRef<AffineExpr> at);
  Value gather(Type type, Value tensor, Value places);
  Value loadAs(Type type, Value tensor, Value index);
  void storeAs(Value element, Value tensor, Value index);
  void emitStore(Frame &frame, Value tensor, ArrayRef<AffineExpr> at,
                 Value element);
  /// @}

  ImplicitLocOpBuilder b;
  const LoopPlan &plan;
  /// To the elements of what is in memory.
  llvm::DenseMap<Value, Value> pointers;
  /// To the least number of an assertion that does not hold, counted from one.
  Value failure;
  /// What the kernel asserts, over all of its phases.
  SmallVectorImpl<cf::AssertOp> *assertions = nullptr;
};

/// \p lanes of which each is a \p type.
VectorType getLanes(Type type);

} // namespace mlir::titan

#endif // TITAN_LIB_CODEGEN_CPU_ELEMENTEMITTER_H
