// Writes the kernel of one phase of a plan, by one of three schedules.
#ifndef TITAN_LIB_CODEGEN_NVVM_LAUNCHEMITTER_H
#define TITAN_LIB_CODEGEN_NVVM_LAUNCHEMITTER_H

#include "DeviceElements.h"

#include "titan/Codegen/NVVM/DeviceKernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::titan {

inline constexpr int64_t kWarpSize = 32;

/// Writes one kernel. Sums are made in an order that follows from the shapes
/// and types of the phase, never from which block comes first.
class LaunchEmitter {
public:
  LaunchEmitter(gpu::GPUModuleOp module, func::FuncOp kernel,
                const LoopPlan &plan, const Phase &phase,
                SmallVector<cf::AssertOp> &assertions)
      : module(module), kernel(kernel), plan(plan), phase(phase),
        b(kernel.getLoc(), module.getBodyRegion()),
        elements(b, plan, chooseCounterType(kernel, plan, phase), assertions) {}

  DeviceLaunch emit(StringRef name);

private:
  using Counters = SmallVector<Value>;

  /// \name Schedules
  /// @{
  /// Elements that depend on nothing that the phase stores elsewhere: each
  /// thread takes vectors of them, a grid apart.
  void emitElements(DeviceLaunch &launch);
  /// Rows: a warp or a block takes a row, and finishes it before the next.
  void emitRows(DeviceLaunch &launch);
  /// Sums of columns: a thread takes columns that follow each other, so that a
  /// warp reads whole lines; the folded elements are divided among the warps of
  /// a block where partial results can be combined.
  void emitColumns(DeviceLaunch &launch);
  /// @}

  /// \name Rows
  /// @{
  void emitRow(const Counters &rows);
  void emitRowElements(ArrayRef<const Writer *> writers, const Counters &rows);
  void emitRowFold(const Writer &writer, const Counters &rows);
  void storeRowFold(const Writer &writer, const Counters &counters,
                    ArrayRef<Lanes> results);
  /// Waits for the threads of the row, if \p writer reads what they stored.
  void synchronizeFor(const Writer &writer);
  void synchronize();
  Value combineThreads(Operation *combiner, Value value);
  Value combineWarps(Operation *combiner, Value value);
  Value shuffle(Value value, int64_t distance);
  Value getPartials(Type type);
  /// @}

  static IntegerType chooseCounterType(func::FuncOp kernel,
                                       const LoopPlan &plan,
                                       const Phase &phase);
  bool isIndependent() const;
  int64_t chooseWidth(ArrayRef<const Writer *> writers, bool isParallel) const;
  Value constant(int64_t value) { return elements.constant(value); }
  Value getGridThread(int64_t block);
  Value getId(Value index);
  Value combine(Operation *combiner, Value left, Value right);
  Counters splitTrip(Value trip, ArrayRef<int64_t> extents);
  DeviceFrame makeFrame(const Writer &writer, ValueRange counters);
  void emitWriters(ArrayRef<const Writer *> writers, DeviceFrame &frame);
  SmallVector<Lanes> emitStart(const Writer &writer, Counters counters,
                               std::optional<unsigned> vectorDim,
                               int64_t width);
  /// Calls \p body for \p from, \p from + \p step, ... below \p to.
  void forEach(Value from, int64_t to, int64_t step,
               function_ref<void(Value)> body);
  /// The same with values that go from one trip to the next.
  SmallVector<Lanes>
  fold(Value from, int64_t to, int64_t step, ArrayRef<Lanes> start,
       function_ref<SmallVector<Lanes>(Value, ArrayRef<Lanes>)> body);
  void ifTrue(Value condition, function_ref<void()> body);

  gpu::GPUModuleOp module;
  func::FuncOp kernel;
  const LoopPlan &plan;
  const Phase &phase;
  ImplicitLocOpBuilder b;
  DeviceElements elements;
  std::string name;

  /// \name Of the row that is being written
  /// @{
  /// Threads that share a row, and the number of this one among them.
  int64_t threads = kWarpSize;
  Value thread;
  /// Stored by other threads since they last waited for each other.
  llvm::SmallDenseSet<Value> unseen;
  /// Results of folds that every thread has.
  SmallVector<std::tuple<Value, SmallVector<AffineExpr>, Value>> known;
  LLVM::GlobalOp partials;
  /// @}
};

} // namespace mlir::titan

#endif // TITAN_LIB_CODEGEN_NVVM_LAUNCHEMITTER_H
