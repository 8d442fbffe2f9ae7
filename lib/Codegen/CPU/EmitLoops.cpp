// One function a phase: a loop over rows, in it the loops of the writers. The
// innermost loop takes kLanes elements at once; what is left at its end is done
// by the same formulas, one element at a time.
#include "EmitLoops.h"

#include "IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
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

class PhaseEmitter {
public:
  PhaseEmitter(ModuleOp module, func::FuncOp kernel, const LoopPlan &plan,
               const Phase &phase)
      : module(module), kernel(kernel), plan(plan), phase(phase),
        b(UnknownLoc::get(module.getContext()), module.getBodyRegion()) {}

  void emit(StringRef name);

private:
  using Body = function_ref<void(Frame &)>;

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
  /// @}

  /// \name Memory
  /// @{
  Value getAddress(Value tensor, Value index);
  Value emitLoad(Frame &frame, Value tensor, ArrayRef<AffineExpr> at);
  Value loadAs(Type type, Value tensor, Value index);
  void storeAs(Value element, Value tensor, Value index);
  void emitStore(Frame &frame, Value tensor, ArrayRef<AffineExpr> at,
                 Value element);
  /// @}

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
  const LoopPlan &plan;
  const Phase &phase;
  ImplicitLocOpBuilder b;
  llvm::DenseMap<Value, Value> pointers;
};
} // namespace

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

// How elements lie in memory.
static Type getMemoryType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

static VectorType getLanes(Type type) {
  return VectorType::get({kLanes}, type);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value PhaseEmitter::spread(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, getLanes(value.getType()), value);
}

Value PhaseEmitter::emitIndex(Frame &frame, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return this->constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return frame.counters[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = emitIndex(frame, binary.getLHS());
  Value right = emitIndex(frame, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, left, right);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, left, right);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(b, left, right);
  default:
    return arith::DivUIOp::create(b, left, right);
  }
}

// One i64, or a vector of them.
Value PhaseEmitter::emitIndexLanes(Frame &frame, AffineExpr expr) {
  std::optional<int64_t> step =
      frame.vectorDim ? getLaneStep(expr, *frame.vectorDim, kLanes) : 0;
  if (step == 0)
    return emitIndex(frame, expr);
  if (step) {
    SmallVector<int64_t> offsets;
    for (int64_t lane = 0; lane < kLanes; ++lane)
      offsets.push_back(lane * *step);
    Value lanes = arith::ConstantOp::create(
        b, DenseElementsAttr::get(getLanes(b.getI64Type()),
                                  ArrayRef<int64_t>(offsets)));
    return arith::AddIOp::create(b, spread(emitIndex(frame, expr)), lanes);
  }
  SmallVector<Value> places;
  Value first = frame.counters[*frame.vectorDim];
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    frame.counters[*frame.vectorDim] =
        arith::AddIOp::create(b, first, constant(lane));
    places.push_back(emitIndex(frame, expr));
  }
  frame.counters[*frame.vectorDim] = first;
  return vector::FromElementsOp::create(b, getLanes(b.getI64Type()), places);
}

Operation *PhaseEmitter::cloneVectorized(Operation *op, ValueRange operands) {
  bool isVector = llvm::any_of(
      operands, [](Value value) { return isa<VectorType>(value.getType()); });
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(from, isVector ? spread(to) : to);
  Operation *clone = b.clone(*op, mapping);
  if (isVector)
    for (Value result : clone->getResults())
      result.setType(VectorType::get(
          cast<VectorType>(clone->getOperand(0).getType()).getShape(),
          result.getType()));
  return clone;
}

// A number of the kernel that is the same for all elements.
Value PhaseEmitter::emitNumber(Frame &frame, Value value) {
  AffineMap key = AffineMap::get(b.getContext());
  if (Value known = frame.elements.lookup({value, key}))
    return known;
  Value result;
  if (isa<BlockArgument>(value)) {
    result = loadAs(value.getType(), value, constant(0));
  } else if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
    SmallVector<AffineExpr> at;
    for (Value index : extract.getIndices())
      at.push_back(
          b.getAffineConstantExpr(getConstantIntValue(index).value_or(0)));
    result = emitElement(frame, extract.getTensor(), at);
  } else {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(emitNumber(frame, operand));
    result = cloneVectorized(op, operands)
                 ->getResult(cast<OpResult>(value).getResultNumber());
  }
  return frame.elements[{value, key}] = result;
}

SmallVector<Value> PhaseEmitter::emitBody(Frame &frame,
                                          linalg::GenericOp generic,
                                          ArrayRef<AffineExpr> at,
                                          ValueRange previous) {
  llvm::DenseMap<Value, Value> values;
  for (OpOperand &operand : generic->getOpOperands()) {
    BlockArgument argument = generic.getMatchingBlockArgument(&operand);
    bool isInit = generic.isDpsInit(&operand);
    if (isInit && !previous.empty()) {
      values[argument] =
          previous[operand.getOperandNumber() - generic.getNumDpsInputs()];
      continue;
    }
    if (argument.use_empty())
      continue;
    values[argument] = emitElement(
        frame, operand.get(),
        applyMap(generic.getMatchingIndexingMap(&operand), at, frame.extents));
  }
  auto getValue = [&](Value value) {
    if (Value known = values.lookup(value))
      return known;
    return emitNumber(frame, value);
  };
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      Value place = emitIndexLanes(frame, at[index.getDim()]);
      Type type = b.getIndexType();
      values[index] = arith::IndexCastOp::create(
          b, isa<VectorType>(place.getType()) ? Type(getLanes(type)) : type,
          place);
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(op.getOperands(), getValue);
    Operation *clone = cloneVectorized(&op, operands);
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), clone->getResults()))
      values[from] = to;
  }
  return llvm::map_to_vector(generic.getBody()->getTerminator()->getOperands(),
                             getValue);
}

Value PhaseEmitter::emitElement(Frame &frame, Value value,
                                ArrayRef<AffineExpr> at) {
  auto getKey = [&](Value of, ArrayRef<AffineExpr> place) {
    return std::pair(
        of, AffineMap::get(frame.extents.size(), 1, place, b.getContext()));
  };
  // A plain number stands for a tensor of that number.
  if (!isa<RankedTensorType>(value.getType()))
    return emitNumber(frame, value);
  if (Value known = frame.elements.lookup(getKey(value, at)))
    return known;
  Source source = plan.resolve(value, at, frame.extents, frame.self);
  Value element;
  switch (source.kind) {
  case Source::Kind::Memory:
    if (Value known = frame.elements.lookup(getKey(source.value, source.at)))
      return known;
    element = emitLoad(frame, source.value, source.at);
    frame.elements[getKey(source.value, source.at)] = element;
    break;
  case Source::Kind::Formula: {
    SmallVector<Value> results = emitBody(frame, source.generic, source.at, {});
    element = results[cast<OpResult>(source.value).getResultNumber()];
    break;
  }
  case Source::Kind::Number:
    element = emitNumber(frame, source.value);
    break;
  default:
    element =
        arith::ConstantOp::create(b, b.getZeroAttr(getElementType(value)));
    break;
  }
  return frame.elements[getKey(value, at)] = element;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value PhaseEmitter::getAddress(Value tensor, Value index) {
  Type type = isa<RankedTensorType>(tensor.getType()) ? getElementType(tensor)
                                                      : tensor.getType();
  Value pointer = pointers.lookup(tensor);
  return LLVM::GEPOp::create(b, pointer.getType(), getMemoryType(type), pointer,
                             ArrayRef<LLVM::GEPArg>{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

// \p type is that of an element or of lanes of elements.
Value PhaseEmitter::loadAs(Type type, Value tensor, Value index) {
  auto lanes = dyn_cast<VectorType>(type);
  Type element = lanes ? lanes.getElementType() : type;
  Type memory = getMemoryType(element);
  Type loaded = lanes ? Type(lanes.clone(memory)) : memory;
  Value value =
      LLVM::LoadOp::create(b, loaded, getAddress(tensor, index),
                           llvm::divideCeil(memory.getIntOrFloatBitWidth(), 8));
  if (element.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  return element == memory ? value : arith::TruncIOp::create(b, type, value);
}

void PhaseEmitter::storeAs(Value element, Value tensor, Value index) {
  Type type = element.getType();
  auto lanes = dyn_cast<VectorType>(type);
  Type memory = getMemoryType(lanes ? lanes.getElementType() : type);
  Type stored = lanes ? Type(lanes.clone(memory)) : memory;
  if (stored != type)
    element = arith::ExtUIOp::create(b, stored, element);
  LLVM::StoreOp::create(b, element, getAddress(tensor, index),
                        llvm::divideCeil(memory.getIntOrFloatBitWidth(), 8));
}

Value PhaseEmitter::emitLoad(Frame &frame, Value tensor,
                             ArrayRef<AffineExpr> at) {
  Type type = getElementType(tensor);
  AffineExpr linear = getLinearPlace(tensor, at, frame.extents);
  std::optional<int64_t> step =
      frame.vectorDim ? getLaneStep(linear, *frame.vectorDim, kLanes) : 0;
  if (step == 0)
    return loadAs(type, tensor, emitIndex(frame, linear));
  if (step == 1)
    return loadAs(getLanes(type), tensor, emitIndex(frame, linear));
  Value places = emitIndexLanes(frame, linear);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    elements.push_back(
        loadAs(type, tensor, vector::ExtractOp::create(b, places, lane)));
  return vector::FromElementsOp::create(b, getLanes(type), elements);
}

void PhaseEmitter::emitStore(Frame &frame, Value tensor,
                             ArrayRef<AffineExpr> at, Value element) {
  AffineExpr linear = getLinearPlace(tensor, at, frame.extents);
  if (!frame.vectorDim)
    return storeAs(element, tensor, emitIndex(frame, linear));
  element = spread(element);
  if (getLaneStep(linear, *frame.vectorDim, kLanes) == 1)
    return storeAs(element, tensor, emitIndex(frame, linear));
  Value places = spread(emitIndexLanes(frame, linear));
  for (int64_t lane = 0; lane < kLanes; ++lane)
    storeAs(vector::ExtractOp::create(b, element, lane), tensor,
            vector::ExtractOp::create(b, places, lane));
}

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
  SmallVector<Type> types(buffers.size(), pointer);
  types.append(2, b.getI64Type());
  b.setInsertionPointToEnd(module.getBody());
  auto body = func::FuncOp::create(b, (name + "_body").str(),
                                   b.getFunctionType(types, {}));
  body.setPrivate();
  for (unsigned i = 0; i < buffers.size(); ++i)
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                    b.getUnitAttr());
  Block *entry = body.addEntryBlock();
  b.setInsertionPointToStart(entry);
  for (auto [value, argument] : llvm::zip(buffers, entry->getArguments()))
    pointers[value] = argument;
  Value begin = entry->getArgument(buffers.size());
  Value end = entry->getArgument(buffers.size() + 1);
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
  for (unsigned i = 0; i < buffers.size(); ++i) {
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
                      const LoopPlan &plan, unsigned index, StringRef name) {
  PhaseEmitter(module, kernel, plan, plan.phases[index]).emit(name);
}
