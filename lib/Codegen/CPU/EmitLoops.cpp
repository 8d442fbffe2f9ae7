// One function a phase: a loop over rows, in it the loops of the writers. The
// innermost loop takes kLanes elements at once; what is left at its end is done
// by the same formulas, one element at a time.
#include "EmitLoops.h"

#include "ElementEmitter.h"
#include "titan/Codegen/Loops/IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
class PhaseEmitter : ElementEmitter {
public:
  PhaseEmitter(ModuleOp module, func::FuncOp kernel, const LoopPlan &plan,
               const Phase &phase, SmallVectorImpl<cf::AssertOp> &assertions)
      : ElementEmitter(
            ImplicitLocOpBuilder(UnknownLoc::get(module.getContext()),
                                 module.getBodyRegion()),
            plan),
        module(module), kernel(kernel), phase(phase) {
    this->assertions = &assertions;
  }

  void emit(StringRef name);

private:
  /// \name Loops
  /// @{
  Frame makeFrame(const Writer &writer, ValueRange counters);
  void emitRows(Value begin, Value end);
  void emitFlat(Value begin, Value end);
  void emitColumns(Value begin, Value end);
  void emitLoops(int64_t from, int64_t to, const Writer &writer,
                 SmallVector<Value> counters,
                 function_ref<void(SmallVector<Value>)> body);
  void emitElementwise(ArrayRef<const Writer *> writers,
                       const SmallVector<Value> &rows);
  void emitWriters(ArrayRef<const Writer *> writers, Frame &frame);
  void emitLaneFold(const Writer &writer, const SmallVector<Value> &rows);
  SmallVector<Value> emitFoldLoops(const Writer &writer,
                                   SmallVector<Value> counters, unsigned dim,
                                   ValueRange previous);
  SmallVector<Value> emitLaneLoop(const Writer &writer,
                                  SmallVector<Value> counters,
                                  ValueRange previous);
  SmallVector<Value> emitStart(const Writer &writer,
                               const SmallVector<Value> &counters,
                               std::optional<unsigned> vectorDim);
  Value combineLanes(Operation *combiner, Value lanes);
  void storeFold(const Writer &writer, const SmallVector<Value> &counters,
                 ValueRange results, std::optional<unsigned> vectorDim);
  SmallVector<Value> splitTrip(Value trip, ArrayRef<int64_t> extents);
  bool canShareLoop(ArrayRef<const Writer *> writers, const Writer &next) const;
  /// @}

  ModuleOp module;
  func::FuncOp kernel;
  const Phase &phase;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Frame PhaseEmitter::makeFrame(const Writer &writer, ValueRange counters) {
  Frame frame;
  frame.extents = writer.extents;
  frame.self = writer.isFold() ? Value() : writer.target;
  frame.counters.assign(counters.begin(), counters.end());
  return frame;
}

void PhaseEmitter::emitLoops(int64_t from, int64_t to, const Writer &writer,
                             SmallVector<Value> counters,
                             function_ref<void(SmallVector<Value>)> body) {
  if (from >= to)
    return body(std::move(counters));
  auto loop = scf::ForOp::create(b, constant(0), constant(writer.extents[from]),
                                 constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  counters.push_back(loop.getInductionVar());
  emitLoops(from + 1, to, writer, std::move(counters), body);
}

void PhaseEmitter::emitWriters(ArrayRef<const Writer *> writers, Frame &frame) {
  for (const Writer *writer : writers) {
    frame.self = writer->target;
    Value element = emitElement(frame, writer->source, writer->sourceAt);
    emitStore(frame, writer->target, writer->targetAt, element);
    frame.elements[{writer->target,
                    AffineMap::get(frame.extents.size(), 1, writer->targetAt,
                                   b.getContext())}] = element;
  }
}

// Calls \p body with frames of kLanes elements, then of one, for the last
// dimension from \p begin to \p end.
static void emitVectorLoop(ImplicitLocOpBuilder &b, Value begin, Value end,
                           function_ref<void(Value, bool)> body) {
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value count = arith::SubIOp::create(b, end, begin);
  Value rest = arith::AndIOp::create(b, count, constant(kLanes - 1));
  Value middle = arith::SubIOp::create(b, end, rest);
  auto emit = [&](Value from, Value to, int64_t step) {
    auto loop = scf::ForOp::create(b, from, to, constant(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar(), step != 1);
  };
  emit(begin, middle, kLanes);
  emit(middle, end, 1);
}

void PhaseEmitter::emitElementwise(ArrayRef<const Writer *> writers,
                                   const SmallVector<Value> &rows) {
  const Writer &first = *writers.front();
  unsigned rank = first.extents.size();
  if (rank == rows.size()) {
    Frame frame = makeFrame(first, rows);
    return emitWriters(writers, frame);
  }
  emitLoops(rows.size(), rank - 1, first, rows, [&](SmallVector<Value> outer) {
    emitVectorLoop(b, constant(0), constant(first.extents.back()),
                   [&](Value counter, bool isVector) {
                     SmallVector<Value> counters = outer;
                     counters.push_back(counter);
                     Frame frame = makeFrame(first, counters);
                     if (isVector)
                       frame.vectorDim = rank - 1;
                     emitWriters(writers, frame);
                   });
  });
}

void PhaseEmitter::emitFlat(Value begin, Value end) {
  SmallVector<const Writer *> writers;
  for (const Writer &writer : phase.writers)
    writers.push_back(&writer);
  emitVectorLoop(b, begin, end, [&](Value counter, bool isVector) {
    Frame frame = makeFrame(*writers.front(), counter);
    if (isVector)
      frame.vectorDim = 0;
    emitWriters(writers, frame);
  });
}

SmallVector<Value> PhaseEmitter::emitStart(const Writer &writer,
                                           const SmallVector<Value> &counters,
                                           std::optional<unsigned> vectorDim) {
  Frame frame = makeFrame(writer, counters);
  frame.counters.resize(writer.extents.size(), constant(0));
  frame.vectorDim = vectorDim;
  SmallVector<Value> start;
  linalg::GenericOp fold = writer.fold;
  for (OpOperand &init : fold.getDpsInitsMutable())
    start.push_back(emitElement(frame, init.get(),
                                applyMap(fold.getMatchingIndexingMap(&init),
                                         writer.foldAt, writer.extents)));
  if (vectorDim)
    for (Value &value : start)
      value = spread(value);
  return start;
}

// The last dimension of a fold in lanes.
SmallVector<Value> PhaseEmitter::emitLaneLoop(const Writer &writer,
                                              SmallVector<Value> counters,
                                              ValueRange previous) {
  unsigned dim = writer.extents.size() - 1;
  int64_t size = writer.extents.back(), middle = size / kLanes * kLanes;
  SmallVector<Value> carried(previous);
  auto emit = [&](int64_t from, int64_t to, int64_t step,
                  function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    if (from == to)
      return;
    auto loop = scf::ForOp::create(b, constant(from), constant(to),
                                   constant(step), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> results =
        body(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(b, results);
    carried.assign(loop->result_begin(), loop->result_end());
  };
  emit(0, middle, kLanes, [&](Value counter, ValueRange lanes) {
    SmallVector<Value> inner = counters;
    inner.push_back(counter);
    Frame frame = makeFrame(writer, inner);
    frame.vectorDim = dim;
    SmallVector<Value> results =
        emitBody(frame, writer.fold, writer.foldAt, lanes);
    for (Value &result : results)
      result = spread(result);
    return results;
  });
  emit(middle, size, 1, [&](Value counter, ValueRange lanes) {
    SmallVector<Value> inner = counters;
    inner.push_back(counter);
    Frame frame = makeFrame(writer, inner);
    Value lane = arith::SubIOp::create(b, counter, constant(middle));
    lane = arith::IndexCastOp::create(b, b.getIndexType(), lane);
    SmallVector<Value> own, results;
    for (Value value : lanes)
      own.push_back(vector::ExtractOp::create(b, value, OpFoldResult(lane)));
    own = emitBody(frame, writer.fold, writer.foldAt, own);
    for (auto [value, result] : llvm::zip_equal(lanes, own))
      results.push_back(
          vector::InsertOp::create(b, result, value, OpFoldResult(lane)));
    return results;
  });
  return carried;
}

SmallVector<Value> PhaseEmitter::emitFoldLoops(const Writer &writer,
                                               SmallVector<Value> counters,
                                               unsigned dim,
                                               ValueRange previous) {
  unsigned rank = writer.extents.size();
  if (writer.foldsInLanes && dim + 1 == rank)
    return emitLaneLoop(writer, std::move(counters), previous);
  if (dim == rank) {
    Frame frame = makeFrame(writer, counters);
    return emitBody(frame, writer.fold, writer.foldAt, previous);
  }
  auto loop = scf::ForOp::create(b, constant(0), constant(writer.extents[dim]),
                                 constant(1), previous);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  counters.push_back(loop.getInductionVar());
  SmallVector<Value> results = emitFoldLoops(writer, std::move(counters),
                                             dim + 1, loop.getRegionIterArgs());
  scf::YieldOp::create(b, results);
  return SmallVector<Value>(loop.getResults());
}

// Combines the halves until one number is left.
Value PhaseEmitter::combineLanes(Operation *combiner, Value lanes) {
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    Value low =
        vector::ExtractStridedSliceOp::create(b, lanes, {0}, {width}, {1});
    Value high =
        vector::ExtractStridedSliceOp::create(b, lanes, {width}, {width}, {1});
    lanes = cloneVectorized(combiner, {low, high})->getResult(0);
  }
  return vector::ExtractOp::create(b, lanes, int64_t(0));
}

void PhaseEmitter::storeFold(const Writer &writer,
                             const SmallVector<Value> &counters,
                             ValueRange results,
                             std::optional<unsigned> vectorDim) {
  Frame frame = makeFrame(writer, counters);
  frame.vectorDim = vectorDim;
  linalg::GenericOp fold = writer.fold;
  for (auto [tensor, value] : llvm::zip_equal(fold.getResults(), results))
    emitStore(frame, tensor, writer.targetAt, value);
}

void PhaseEmitter::emitLaneFold(const Writer &writer,
                                const SmallVector<Value> &rows) {
  emitLoops(rows.size(), writer.numParallel, writer, rows,
            [&](SmallVector<Value> counters) {
              SmallVector<Value> lanes = emitStart(writer, counters, {});
              for (Value &value : lanes)
                value = spread(value);
              lanes =
                  emitFoldLoops(writer, counters, writer.numParallel, lanes);
              for (auto [i, value] : llvm::enumerate(lanes))
                value = combineLanes(getCombiner(writer.fold, i), value);
              storeFold(writer, counters, lanes, {});
            });
}

SmallVector<Value> PhaseEmitter::splitTrip(Value trip,
                                           ArrayRef<int64_t> extents) {
  SmallVector<Value> counters(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      counters[i] = trip;
      break;
    }
    Value size = constant(std::max<int64_t>(extents[i], 1));
    counters[i] = arith::RemUIOp::create(b, trip, size);
    trip = arith::DivUIOp::create(b, trip, size);
  }
  return counters;
}

// Whether \p next may store in the innermost loop of \p writers: it reads what
// they store at the very place, or not at all.
bool PhaseEmitter::canShareLoop(ArrayRef<const Writer *> writers,
                                const Writer &next) const {
  if (next.isFold() || writers.front()->extents != next.extents)
    return false;
  bool fits = true;
  (void)plan.visitReads(next, [&](Value value, ArrayRef<AffineExpr> at) {
    for (const Writer *writer : writers)
      if (writer->target == value)
        fits &= ArrayRef(writer->targetAt) == at;
  });
  return fits;
}

void PhaseEmitter::emitRows(Value begin, Value end) {
  auto loop = scf::ForOp::create(b, begin, end, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> rows = splitTrip(
      loop.getInductionVar(),
      ArrayRef(phase.writers.front().extents).take_front(phase.numRows));
  for (size_t i = 0; i < phase.writers.size();) {
    const Writer &writer = phase.writers[i++];
    if (writer.isFold()) {
      emitLaneFold(writer, rows);
      continue;
    }
    SmallVector<const Writer *> sharing = {&writer};
    while (i < phase.writers.size() && canShareLoop(sharing, phase.writers[i]))
      sharing.push_back(&phase.writers[i++]);
    emitElementwise(sharing, rows);
  }
}

// The sums of kColumns columns stand in memory that stays in the first cache,
// so that the tensor is walked through in the order in which it lies.
void PhaseEmitter::emitColumns(Value begin, Value end) {
  const Writer &writer = phase.writers.front();
  auto loop = scf::ForOp::create(b, begin, end, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value trip = loop.getInductionVar();
  if (writer.numParallel == 0)
    return storeFold(writer, {},
                     emitFoldLoops(writer, {}, 0, emitStart(writer, {}, {})),
                     {});
  SmallVector<int64_t> extents(
      ArrayRef(writer.extents).take_front(writer.numParallel));
  int64_t columns = extents.back();
  extents.back() = llvm::divideCeil(columns, kColumns);
  SmallVector<Value> counters = splitTrip(trip, extents);
  Value first = arith::MulIOp::create(b, counters.back(), constant(kColumns));
  Value last = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, first, constant(kColumns)),
      constant(columns));
  auto forColumns = [&](SmallVector<Value> at, bool isStart) {
    emitVectorLoop(b, first, last, [&](Value column, bool isVector) {
      at[writer.numParallel - 1] = column;
      std::optional<unsigned> vectorDim;
      if (isVector)
        vectorDim = writer.numParallel - 1;
      if (isStart)
        return storeFold(writer, at, emitStart(writer, at, vectorDim),
                         vectorDim);
      Frame frame = makeFrame(writer, at);
      frame.vectorDim = vectorDim;
      SmallVector<Value> sums;
      linalg::GenericOp fold = writer.fold;
      for (Value tensor : fold.getResults())
        sums.push_back(emitLoad(frame, tensor, writer.targetAt));
      sums = emitBody(frame, fold, writer.foldAt, sums);
      storeFold(writer, at, sums, vectorDim);
    });
  };
  forColumns(counters, /*isStart=*/true);
  emitLoops(writer.numParallel, writer.extents.size(), writer, counters,
            [&](SmallVector<Value> at) { forColumns(at, false); });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void PhaseEmitter::emit(StringRef name) {
  SmallVector<Value> buffers(kernel.getArguments());
  llvm::append_range(buffers, kernel.front().getTerminator()->getOperands());
  llvm::append_range(buffers, plan.scratch);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  unsigned numPointers = buffers.size() + 1;
  SmallVector<Type> types(numPointers, pointer);
  types.append(2, b.getI64Type());
  b.setInsertionPointToEnd(module.getBody());
  auto body = func::FuncOp::create(b, (name + "_body").str(),
                                   b.getFunctionType(types, {}));
  body.setPrivate();
  for (unsigned i = 0; i < numPointers; ++i)
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    b.getUnitAttr());
  Block *entry = body.addEntryBlock();
  b.setInsertionPointToStart(entry);
  for (auto [value, argument] : llvm::zip(buffers, entry->getArguments()))
    pointers[value] = argument;
  failure = entry->getArgument(buffers.size());
  Value begin = entry->getArgument(numPointers);
  Value end = entry->getArgument(numPointers + 1);
  if (phase.isFlat)
    emitFlat(begin, end);
  else if (isColumnFold(phase.writers.front()))
    emitColumns(begin, end);
  else
    emitRows(begin, end);
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b);

  b.setInsertionPointToEnd(module.getBody());
  auto wrapper = func::FuncOp::create(
      b, name,
      b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {}));
  Block *block = wrapper.addEntryBlock();
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < numPointers; ++i) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, block->getArgument(0),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(b, pointer, slot));
  }
  arguments.push_back(block->getArgument(1));
  arguments.push_back(block->getArgument(2));
  func::CallOp::create(b, body, arguments);
  func::ReturnOp::create(b);
}

void titan::emitPhase(ModuleOp module, func::FuncOp kernel,
                      const LoopPlan &plan, unsigned index, StringRef name,
                      SmallVectorImpl<cf::AssertOp> &assertions) {
  PhaseEmitter(module, kernel, plan, plan.phases[index], assertions).emit(name);
}
