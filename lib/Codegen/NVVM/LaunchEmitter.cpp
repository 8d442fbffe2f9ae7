// What the schedules share: the function of the kernel, loops of threads, and
// the schedule of plain elements.
#include "LaunchEmitter.h"

#include "titan/Codegen/Loops/IndexExpr.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static int64_t getProduct(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

// 32 bits, in which a GPU divides several times faster, if the largest place
// and what a loop adds to it fit.
IntegerType LaunchEmitter::chooseCounterType(func::FuncOp kernel,
                                             const LoopPlan &plan,
                                             const Phase &phase) {
  constexpr int64_t kMost = int64_t(1) << 30;
  int64_t most = 0;
  auto add = [&](Value value) {
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      most = std::max(most, tensor.getNumElements());
  };
  llvm::for_each(kernel.getArguments(), add);
  kernel.walk([&](Operation *op) { llvm::for_each(op->getResults(), add); });
  llvm::for_each(plan.scratch, add);
  for (const Writer &writer : phase.writers)
    most = std::max(most, getProduct(writer.extents));
  return IntegerType::get(kernel.getContext(), most < kMost ? 32 : 64);
}

// Whether each element depends, of what the phase stores, on its own place
// alone; then all writers go through the elements together.
bool LaunchEmitter::isIndependent() const {
  llvm::DenseMap<Value, ArrayRef<AffineExpr>> targets;
  for (const Writer &writer : phase.writers) {
    if (writer.isFold() || writer.extents != phase.writers.front().extents)
      return false;
    bool fits = !targets.contains(writer.target);
    (void)plan.visitReads(writer, [&](Value value, ArrayRef<AffineExpr> at) {
      auto it = targets.find(value);
      fits &= it == targets.end() || it->second == at;
    });
    if (!fits)
      return false;
    targets[writer.target] = writer.targetAt;
  }
  return true;
}

// How many elements along the last dimension (of the parallel ones if
// \p isParallel) a thread takes at once: 16 bytes of the narrowest tensor that
// is walked through in order, at most 8 elements.
int64_t LaunchEmitter::chooseWidth(ArrayRef<const Writer *> writers,
                                   bool isParallel) const {
  constexpr int64_t kVectorBytes = 16, kMost = 8;
  int64_t narrowest = kVectorBytes;
  const Writer &first = *writers.front();
  unsigned rank = isParallel ? first.numParallel : first.extents.size();
  if (rank == 0)
    return 1;
  unsigned dim = rank - 1;
  for (const Writer *writer : writers) {
    auto visit = [&](Value value, ArrayRef<AffineExpr> at) {
      AffineExpr linear = getLinearPlace(value, at, writer->extents);
      Type type = getDeviceMemoryType(getElementTypeOf(value));
      if (getLaneStep(linear, dim, kMost) == 1)
        narrowest = std::min<int64_t>(
            narrowest, llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
    };
    visit(writer->target, writer->targetAt);
    (void)plan.visitReads(*writer, visit);
  }
  int64_t width = std::min(kVectorBytes / narrowest, kMost);
  // What is left over at the end of a flat phase is a loop of its own.
  while (!phase.isFlat && first.extents[dim] % width != 0)
    width /= 2;
  return width;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value LaunchEmitter::getId(Value index) {
  Type type = constant(0).getType();
  return arith::IndexCastOp::create(b, type, index);
}

// The number of this thread among those of all blocks.
Value LaunchEmitter::getGridThread(int64_t block) {
  Value inBlock = getId(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  Value ofBlock = getId(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  Value first = arith::MulIOp::create(b, ofBlock, constant(block));
  return arith::AddIOp::create(b, first, inBlock);
}

void LaunchEmitter::forEach(Value from, int64_t to, int64_t step,
                            function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, from, constant(to), constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Lanes> LaunchEmitter::fold(
    Value from, int64_t to, int64_t step, ArrayRef<Lanes> start,
    function_ref<SmallVector<Lanes>(Value, ArrayRef<Lanes>)> body) {
  SmallVector<Value> flat;
  for (const Lanes &lanes : start)
    llvm::append_range(flat, lanes);
  auto unflatten = [&](ValueRange values) {
    SmallVector<Lanes> result;
    for (const Lanes &lanes : start) {
      result.emplace_back(values.take_front(lanes.size()));
      values = values.drop_front(lanes.size());
    }
    return result;
  };
  auto loop = scf::ForOp::create(b, from, constant(to), constant(step), flat);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Lanes> next =
      body(loop.getInductionVar(), unflatten(loop.getRegionIterArgs()));
  SmallVector<Value> yielded;
  for (auto [lanes, own] : llvm::zip_equal(start, next)) {
    // What is the same for all lanes so far differs from here on.
    while (own.size() < lanes.size())
      own.push_back(own.front());
    llvm::append_range(yielded, own);
  }
  scf::YieldOp::create(b, yielded);
  return unflatten(loop->getResults());
}

void LaunchEmitter::ifTrue(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

LaunchEmitter::Counters LaunchEmitter::splitTrip(Value trip,
                                                 ArrayRef<int64_t> extents) {
  Counters counters(extents.size());
  for (size_t i = extents.size(); i-- > 1;) {
    counters[i] = arith::RemUIOp::create(b, trip, constant(extents[i]));
    trip = arith::DivUIOp::create(b, trip, constant(extents[i]));
  }
  if (!extents.empty())
    counters[0] = trip;
  return counters;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

DeviceFrame LaunchEmitter::makeFrame(const Writer &writer,
                                     ValueRange counters) {
  DeviceFrame frame;
  frame.extents = writer.extents;
  frame.self = writer.isFold() ? Value() : writer.target;
  frame.counters.assign(counters.begin(), counters.end());
  for (const auto &[tensor, at, value] : known)
    elements.remember(frame, tensor, at, {value});
  return frame;
}

void LaunchEmitter::emitWriters(ArrayRef<const Writer *> writers,
                                DeviceFrame &frame) {
  for (const Writer *writer : writers) {
    frame.self = writer->target;
    Lanes element =
        elements.emitElement(frame, writer->source, writer->sourceAt);
    elements.emitStore(frame, writer->target, writer->targetAt, element);
    elements.remember(frame, writer->target, writer->targetAt, element);
  }
}

SmallVector<Lanes> LaunchEmitter::emitStart(const Writer &writer,
                                            Counters counters,
                                            std::optional<unsigned> vectorDim,
                                            int64_t width) {
  counters.resize(writer.extents.size(), constant(0));
  DeviceFrame frame = makeFrame(writer, counters);
  frame.vectorDim = vectorDim;
  frame.width = width;
  SmallVector<Lanes> start;
  linalg::GenericOp generic = writer.fold;
  for (OpOperand &init : generic.getDpsInitsMutable()) {
    Lanes lanes =
        elements.emitElement(frame, init.get(),
                             applyMap(generic.getMatchingIndexingMap(&init),
                                      writer.foldAt, writer.extents));
    while (std::ssize(lanes) < width)
      lanes.push_back(lanes.front());
    start.push_back(std::move(lanes));
  }
  return start;
}

Value LaunchEmitter::combine(Operation *combiner, Value left, Value right) {
  IRMapping mapping;
  mapping.map(combiner->getOperand(0), left);
  mapping.map(combiner->getOperand(1), right);
  return b.clone(*combiner, mapping)->getResult(0);
}

void LaunchEmitter::emitElements(DeviceLaunch &launch) {
  constexpr int64_t kThreads = 256, kMostBlocks = 8192;
  SmallVector<const Writer *> writers;
  for (const Writer &writer : phase.writers)
    writers.push_back(&writer);
  const Writer &first = *writers.front();
  int64_t width = chooseWidth(writers, /*isParallel=*/false);
  SmallVector<int64_t> extents(first.extents);
  int64_t rest = 0;
  if (!extents.empty()) {
    rest = extents.back() % width;
    extents.back() /= width;
  }
  int64_t trips = getProduct(extents);
  launch.block = kThreads;
  launch.grid =
      std::clamp<int64_t>(llvm::divideCeil(trips, kThreads), 1, kMostBlocks);
  Value own = getGridThread(kThreads);
  auto emit = [&](Counters counters, int64_t lanes) {
    DeviceFrame frame = makeFrame(first, counters);
    if (lanes > 1) {
      frame.vectorDim = extents.size() - 1;
      frame.width = lanes;
    }
    emitWriters(writers, frame);
  };
  if (trips != 0)
    forEach(own, trips, launch.grid * kThreads, [&](Value trip) {
      Counters counters = splitTrip(trip, extents);
      if (width > 1)
        counters.back() =
            arith::MulIOp::create(b, counters.back(), constant(width));
      emit(counters, width);
    });
  // Only flat phases have a rest.
  if (rest != 0) {
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, own,
                                        constant(rest));
    ifTrue(isOne, [&] {
      Value counter = arith::AddIOp::create(b, own, constant(trips * width));
      emit({counter}, 1);
    });
  }
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void LaunchEmitter::emitColumns(DeviceLaunch &launch) {
  constexpr int64_t kThreads = 128;
  const Writer &writer = phase.writers.front();
  int64_t width = chooseWidth(&writer, /*isParallel=*/true);
  ArrayRef<int64_t> all(writer.extents);
  SmallVector<int64_t> parallel(all.take_front(writer.numParallel));
  ArrayRef<int64_t> folded = all.drop_front(writer.numParallel);
  // More threads are worth more than wider accesses.
  constexpr int64_t kBusy = int64_t(1) << 14;
  while (width > 1 && getProduct(parallel) / width < kBusy)
    width /= 2;
  if (!parallel.empty())
    parallel.back() /= width;
  int64_t trips = getProduct(parallel);
  launch.block = kThreads;
  launch.grid = llvm::divideCeil(trips, kThreads);
  std::optional<unsigned> vectorDim;
  if (width > 1)
    vectorDim = writer.numParallel - 1;
  forEach(
      getGridThread(kThreads), trips, launch.grid * kThreads, [&](Value trip) {
        Counters columns = splitTrip(trip, parallel);
        if (width > 1)
          columns.back() =
              arith::MulIOp::create(b, columns.back(), constant(width));
        SmallVector<Lanes> sums = emitStart(writer, columns, vectorDim, width);
        sums = fold(constant(0), getProduct(folded), 1, sums,
                    [&](Value counter, ArrayRef<Lanes> previous) {
                      Counters counters = columns;
                      llvm::append_range(counters, splitTrip(counter, folded));
                      DeviceFrame frame = makeFrame(writer, counters);
                      frame.vectorDim = vectorDim;
                      frame.width = width;
                      return elements.emitBody(frame, writer.fold,
                                               writer.foldAt, previous);
                    });
        DeviceFrame frame = makeFrame(writer, columns);
        frame.vectorDim = vectorDim;
        frame.width = width;
        for (auto [tensor, lanes] :
             llvm::zip_equal(writer.fold->getResults(), sums))
          elements.emitStore(frame, tensor, writer.targetAt, lanes);
      });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

DeviceLaunch LaunchEmitter::emit(StringRef ownName) {
  name = ownName.str();
  DeviceLaunch launch;
  launch.kernel = name;
  SmallVector<Value> buffers(kernel.getArguments());
  llvm::append_range(buffers, kernel.front().getTerminator()->getOperands());
  llvm::append_range(buffers, plan.scratch);
  auto global = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  SmallVector<Type> types;
  for (Value buffer : buffers)
    types.push_back(isa<RankedTensorType>(buffer.getType())
                        ? Type(global)
                        : getDeviceMemoryType(buffer.getType()));
  types.push_back(global);
  b.setInsertionPointToEnd(module.getBody());
  auto function = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  Block &entry = function.front();
  b.setInsertionPointToStart(&entry);
  for (auto [buffer, argument] : llvm::zip(buffers, entry.getArguments())) {
    Value where = argument;
    if (buffer.getType().isIndex())
      where = arith::IndexCastOp::create(b, buffer.getType(), where);
    else if (buffer.getType().isInteger(1))
      where = arith::TruncIOp::create(b, buffer.getType(), where);
    elements.bind(buffer, where);
  }
  elements.bindFailure(entry.getArguments().back());
  if (isIndependent())
    emitElements(launch);
  else if (isColumnFold(phase.writers.front()))
    emitColumns(launch);
  else
    emitRows(launch);
  gpu::ReturnOp::create(b);
  // Parameters that nothing reads are none.
  llvm::BitVector unused(entry.getNumArguments());
  for (BlockArgument argument : entry.getArguments()) {
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
    else
      launch.parameters.push_back(argument.getArgNumber());
  }
  (void)function.eraseArguments(unused);
  for (unsigned i = 0; i < launch.parameters.size(); ++i)
    if (function.getArgument(i).getType() == global)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
  const int32_t block[] = {static_cast<int32_t>(launch.block), 1, 1};
  function.setKnownBlockSize(ArrayRef<int32_t>(block));
  return launch;
}
