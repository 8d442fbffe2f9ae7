// A row belongs to a warp, which needs no barrier, if it is short, else to a
// block. Every thread folds its part in vectors; the parts are combined by
// shuffles within warps and through shared memory between them, in an order
// that is the same in each run, and all threads have the result.
#include "LaunchEmitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::titan;

static int64_t getProduct(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

// The most elements of a row that a writer goes through.
static int64_t getRowSize(const Phase &phase) {
  int64_t most = 1;
  for (const Writer &writer : phase.writers)
    most = std::max(
        most, getProduct(ArrayRef(writer.extents).drop_front(phase.numRows)));
  return most;
}

void LaunchEmitter::emitRows(DeviceLaunch &launch) {
  constexpr int64_t kWarpRow = 2048, kRowsPerBlock = 4, kMostBlocks = 8192;
  int64_t size = getRowSize(phase), rows = phase.getTrips();
  int64_t rowsPerBlock = 1;
  if (size <= kWarpRow) {
    threads = kWarpSize;
    rowsPerBlock = kRowsPerBlock;
  } else {
    threads = size <= 8 * kWarpRow ? 256 : size <= 32 * kWarpRow ? 512 : 1024;
  }
  launch.block = threads * rowsPerBlock;
  launch.grid =
      std::clamp<int64_t>(llvm::divideCeil(rows, rowsPerBlock), 1, kMostBlocks);
  Value inBlock = getId(gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  Value row = getId(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  thread = inBlock;
  if (rowsPerBlock > 1) {
    thread = arith::RemUIOp::create(b, inBlock, constant(kWarpSize));
    Value warp = arith::DivUIOp::create(b, inBlock, constant(kWarpSize));
    row = arith::MulIOp::create(b, row, constant(rowsPerBlock));
    row = arith::AddIOp::create(b, row, warp);
  }
  ArrayRef<int64_t> extents =
      ArrayRef(phase.writers.front().extents).take_front(phase.numRows);
  forEach(row, rows, launch.grid * rowsPerBlock,
          [&](Value trip) { emitRow(splitTrip(trip, extents)); });
}

void LaunchEmitter::emitRow(const Counters &rows) {
  for (const Writer &writer : phase.writers) {
    synchronizeFor(writer);
    if (writer.isFold())
      emitRowFold(writer, rows);
    else
      emitRowElements(&writer, rows);
  }
}

//===----------------------------------------------------------------------===//
// Threads of a row
//===----------------------------------------------------------------------===//

void LaunchEmitter::synchronize() {
  if (threads > kWarpSize) {
    gpu::BarrierOp::create(b);
    return;
  }
  Value all = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, all);
}

void LaunchEmitter::synchronizeFor(const Writer &writer) {
  bool waits = false;
  (void)plan.visitReads(writer, [&](Value value, ArrayRef<AffineExpr> at) {
    bool isKnown = llvm::any_of(known, [&](const auto &entry) {
      return std::get<0>(entry) == value && ArrayRef(std::get<1>(entry)) == at;
    });
    waits |= unseen.contains(value) && !isKnown;
  });
  if (!waits)
    return;
  synchronize();
  unseen.clear();
}

// What the thread whose number differs in the bit \p distance has.
Value LaunchEmitter::shuffle(Value value, int64_t distance) {
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, word, distance, kWarpSize,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type integer = b.getIntegerType(bits);
  bool isFloat = isa<FloatType>(type);
  Value word =
      isFloat ? Value(arith::BitcastOp::create(b, integer, value)) : value;
  if (bits == 64) {
    Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value low = exchange(arith::TruncIOp::create(b, i32, word));
    Value high = exchange(
        arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, word, half)));
    low = arith::ExtUIOp::create(b, integer, low);
    high = arith::ExtUIOp::create(b, integer, high);
    word = arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
  } else if (bits == 32) {
    word = exchange(word);
  } else {
    word = exchange(arith::ExtUIOp::create(b, i32, word));
    word = arith::TruncIOp::create(b, integer, word);
  }
  return isFloat ? Value(arith::BitcastOp::create(b, type, word)) : word;
}

// Shared memory for one number a warp, as wide as any number.
Value LaunchEmitter::getPartials(Type type) {
  (void)type;
  auto shared = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  if (!partials) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    partials = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI64Type(), threads / kWarpSize),
        /*isConstant=*/false, LLVM::Linkage::Internal, name + "_partials",
        Attribute(), /*alignment=*/8, shared.getAddressSpace());
  }
  return LLVM::AddressOfOp::create(b, shared, partials.getSymName());
}

Value LaunchEmitter::combineWarps(Operation *combiner, Value value) {
  Type type = value.getType(), stored = getDeviceMemoryType(type);
  Value base = getPartials(type);
  auto getSlot = [&](Value index) -> Value {
    return LLVM::GEPOp::create(b, base.getType(), b.getI64Type(), base,
                               ArrayRef<LLVM::GEPArg>{index});
  };
  Value warp = arith::DivUIOp::create(b, thread, constant(kWarpSize));
  Value lane = arith::RemUIOp::create(b, thread, constant(kWarpSize));
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, constant(0));
  ifTrue(isFirst, [&] {
    Value number = type == stored
                       ? value
                       : Value(arith::ExtUIOp::create(b, stored, value));
    LLVM::StoreOp::create(b, number, getSlot(warp));
  });
  gpu::BarrierOp::create(b);
  auto load = [&](int64_t index) -> Value {
    Value number = LLVM::LoadOp::create(b, stored, getSlot(constant(index)));
    return type == stored ? number
                          : Value(arith::TruncIOp::create(b, type, number));
  };
  Value result = load(0);
  for (int64_t i = 1; i < threads / kWarpSize; ++i)
    result = combine(combiner, result, load(i));
  // Before the next fold stores there.
  gpu::BarrierOp::create(b);
  return result;
}

Value LaunchEmitter::combineThreads(Operation *combiner, Value value) {
  for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2) {
    // Combiners commute: both sides of an exchange get the same.
    Value other = shuffle(value, distance);
    value = combine(combiner, value, other);
  }
  return threads > kWarpSize ? combineWarps(combiner, value) : value;
}

//===----------------------------------------------------------------------===//
// Writers
//===----------------------------------------------------------------------===//

void LaunchEmitter::emitRowElements(ArrayRef<const Writer *> writers,
                                    const Counters &rows) {
  const Writer &first = *writers.front();
  int64_t width = first.extents.size() == rows.size()
                      ? 1
                      : chooseWidth(writers, /*isParallel=*/false);
  SmallVector<int64_t> inner(ArrayRef(first.extents).drop_front(rows.size()));
  if (!inner.empty())
    inner.back() /= width;
  forEach(thread, getProduct(inner), threads, [&](Value trip) {
    Counters counters = rows;
    llvm::append_range(counters, splitTrip(trip, inner));
    if (width > 1)
      counters.back() =
          arith::MulIOp::create(b, counters.back(), constant(width));
    DeviceFrame frame = makeFrame(first, counters);
    if (width > 1) {
      frame.vectorDim = counters.size() - 1;
      frame.width = width;
    }
    emitWriters(writers, frame);
  });
  for (const Writer *writer : writers)
    unseen.insert(writer->target);
}

void LaunchEmitter::storeRowFold(const Writer &writer, const Counters &counters,
                                 ArrayRef<Lanes> results) {
  linalg::GenericOp generic = writer.fold;
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, constant(0));
  ifTrue(isFirst, [&] {
    DeviceFrame frame = makeFrame(writer, counters);
    for (auto [tensor, lanes] : llvm::zip_equal(generic.getResults(), results))
      elements.emitStore(frame, tensor, writer.targetAt, lanes);
  });
  for (Value tensor : generic.getResults())
    unseen.insert(tensor);
}

void LaunchEmitter::emitRowFold(const Writer &writer, const Counters &rows) {
  linalg::GenericOp generic = writer.fold;
  ArrayRef<int64_t> all(writer.extents);
  ArrayRef<int64_t> others =
      all.slice(rows.size(), writer.numParallel - rows.size());
  SmallVector<int64_t> folded(all.drop_front(writer.numParallel));
  int64_t width = chooseWidth(&writer, /*isParallel=*/false);
  unsigned vectorDim = all.size() - 1;
  if (!folded.empty())
    folded.back() /= width;
  auto foldOne = [&](const Counters &counters) {
    SmallVector<Lanes> start = emitStart(writer, counters, {}, width);
    SmallVector<Lanes> sums = fold(
        thread, getProduct(folded), threads, start,
        [&](Value trip, ArrayRef<Lanes> previous) {
          Counters inner = counters;
          llvm::append_range(inner, splitTrip(trip, folded));
          inner.back() =
              arith::MulIOp::create(b, inner.back(), constant(width));
          DeviceFrame frame = makeFrame(writer, inner);
          if (width > 1) {
            frame.vectorDim = vectorDim;
            frame.width = width;
          }
          return elements.emitBody(frame, generic, writer.foldAt, previous);
        });
    for (auto [i, lanes] : llvm::enumerate(sums)) {
      Operation *combiner = getCombiner(generic, i);
      for (int64_t half = width / 2; half > 0; half /= 2)
        for (int64_t lane = 0; lane < half; ++lane)
          lanes[lane] = combine(combiner, lanes[lane], lanes[lane + half]);
      lanes = {combineThreads(combiner, lanes.front())};
    }
    storeRowFold(writer, counters, sums);
    return sums;
  };
  if (others.empty()) {
    SmallVector<Lanes> sums = foldOne(rows);
    for (auto [tensor, lanes] : llvm::zip_equal(generic.getResults(), sums))
      known.push_back({tensor, writer.targetAt, lanes.front()});
    return;
  }
  forEach(constant(0), getProduct(others), 1, [&](Value trip) {
    Counters counters = rows;
    llvm::append_range(counters, splitTrip(trip, others));
    foldOne(counters);
  });
}
