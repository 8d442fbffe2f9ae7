// The mma.sync family. Four warps share a block's tile, two by two. Slices of k
// travel by cp.async, the last of them `stages - 1` ahead; where rows are not
// multiples of 16 bytes, plain loads take its place. Each row in shared memory
// has its 16-byte chunks exchanged by the row's number, so that the eight rows
// which ldmatrix reads at once lie in different banks.
#include "KernelBuilder.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "titan/Codegen/NVVM/Matmul.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr int64_t kChunk = 8;
static constexpr int64_t kElementBytes = 2;
static constexpr unsigned kGlobalSpace = 1;
static constexpr unsigned kSharedSpace = 3;

namespace {

/// An operand as it lies in memory: `height` rows of `width` elements.
struct Operand {
  Value base;
  int64_t height, width;
  /// Extent of a block's slice, likewise.
  int64_t tileHeight, tileWidth;
  /// Whether k runs along the rows of memory, not within them.
  bool kAlongHeight;
  /// Where the block's tile begins along the dimension that is not k.
  Value origin;
  /// Offset of the first stage in shared memory, and bytes of a stage.
  int64_t sharedOffset, stageBytes;
};

class TensorCoreKernel {
public:
  TensorCoreKernel(Location location, const MatmulProblem &problem,
                   const MatmulTile &tile)
      : k(location), problem(problem), tile(tile) {}

  OwningOpRef<ModuleOp> build(StringRef name);

private:
  Type getType(MatmulType type);
  LLVM::LLVMFuncOp makeFunction(StringRef name, ModuleOp module);
  void readIndices(Block &entry);
  void describeOperands(Block &entry);
  Value batchBase(Value base, Type type, int64_t elements);

  void copySlice(const Operand &operand, Value slice, Value stage);
  void copyChunk(const Operand &operand, Value row, Value column, Value target);
  SmallVector<Value> loadFragment(const Operand &operand, Value stage,
                                  Value along, int64_t kOffset, bool isLeft);
  SmallVector<Value> multiplySlice(Value stage, SmallVector<Value> sums);
  SmallVector<Value> emitLoop(LLVM::LLVMFuncOp function);
  void writeSums(LLVM::LLVMFuncOp function, ArrayRef<Value> sums);
  Value finish(Value sum, Value row, Value column);
  Value activate(Value value);

  KernelBuilder k;
  const MatmulProblem &problem;
  const MatmulTile &tile;
  Type elementType, outputType;
  Value shared, thread, lane, warpRow, warpColumn, batchIndex;
  Operand left, right;
  Value output, bias, residual;
};

} // namespace

Type TensorCoreKernel::getType(MatmulType type) {
  switch (type) {
  case MatmulType::BFloat16:
    return k.builder.getBF16Type();
  case MatmulType::Float16:
    return k.builder.getF16Type();
  case MatmulType::Float32:
    break;
  }
  return k.builder.getF32Type();
}

LLVM::LLVMFuncOp TensorCoreKernel::makeFunction(StringRef name,
                                                ModuleOp module) {
  OpBuilder &b = k.builder;
  b.setInsertionPointToStart(module.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  auto global = LLVM::GlobalOp::create(
      b, k.location, bytes, /*isConstant=*/false, LLVM::Linkage::External,
      (name + "_shared").str(), Attribute(), /*alignment=*/128, kSharedSpace);

  int64_t count = 3 + problem.epilogue.bias + problem.epilogue.residual;
  SmallVector<Type> parameters(
      count, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace));
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), parameters);
  auto function = LLVM::LLVMFuncOp::create(b, k.location, name, type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({int32_t(kMatmulThreads), 1, 1}));
  b.setInsertionPointToStart(function.addEntryBlock(b));
  shared = LLVM::AddressOfOp::create(b, k.location, global);
  return function;
}

void TensorCoreKernel::readIndices(Block &entry) {
  OpBuilder &b = k.builder;
  Type i32 = b.getI32Type();
  thread = NVVM::ThreadIdXOp::create(b, k.location, i32);
  lane = k.rem(thread, 32);
  Value warp = k.div(thread, 32);
  warpRow = k.mul(k.div(warp, 2), k.constant(tile.rows / 2));
  warpColumn = k.mul(k.rem(warp, 2), k.constant(tile.columns / 2));
  batchIndex = NVVM::BlockIdZOp::create(b, k.location, i32);
  left.origin = k.mul(NVVM::BlockIdYOp::create(b, k.location, i32),
                      k.constant(tile.rows));
  right.origin = k.mul(NVVM::BlockIdXOp::create(b, k.location, i32),
                       k.constant(tile.columns));
  describeOperands(entry);
}

Value TensorCoreKernel::batchBase(Value base, Type type, int64_t elements) {
  if (problem.batch == 1)
    return base;
  OpBuilder &b = k.builder;
  Type i64 = b.getI64Type();
  Value wide = LLVM::ZExtOp::create(b, k.location, i64, batchIndex);
  Value size = LLVM::ConstantOp::create(b, k.location, i64,
                                        b.getI64IntegerAttr(elements));
  Value offset = LLVM::MulOp::create(b, k.location, wide, size);
  return LLVM::GEPOp::create(b, k.location, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// Fills in how an operand lies, given its extent along k's other dimension.
static void orient(Operand &operand, int64_t depth, int64_t extent,
                   int64_t tileExtent) {
  bool along = operand.kAlongHeight;
  operand.height = along ? depth : extent;
  operand.width = along ? extent : depth;
  operand.tileHeight = along ? kMatmulSlice : tileExtent;
  operand.tileWidth = along ? tileExtent : kMatmulSlice;
  operand.stageBytes = kMatmulSlice * tileExtent * kElementBytes;
}

void TensorCoreKernel::describeOperands(Block &entry) {
  left.kAlongHeight = problem.layout == MatmulLayout::TN;
  right.kAlongHeight = problem.layout != MatmulLayout::NT;
  orient(left, problem.k, problem.m, tile.rows);
  orient(right, problem.k, problem.n, tile.columns);
  left.sharedOffset = 0;
  right.sharedOffset = tile.stages * left.stageBytes;
  left.base =
      batchBase(entry.getArgument(0), elementType, problem.m * problem.k);
  right.base =
      batchBase(entry.getArgument(1), elementType, problem.k * problem.n);
  output = batchBase(entry.getArgument(2), outputType, problem.m * problem.n);
  unsigned next = 3;
  if (problem.epilogue.bias)
    bias = entry.getArgument(next++);
  if (problem.epilogue.residual)
    residual =
        batchBase(entry.getArgument(next), elementType, problem.m * problem.n);
}

/// The byte offset of a chunk in a stage.
static Value swizzle(KernelBuilder &k, const Operand &operand, Value row,
                     Value chunk) {
  Value place = k.bitXor(chunk, k.rem(row, kChunk));
  return k.add(k.mul(row, k.constant(operand.tileWidth * kElementBytes)),
               k.mul(place, k.constant(kChunk * kElementBytes)));
}

static Value stageOffset(KernelBuilder &k, const Operand &operand,
                         Value stage) {
  return k.add(k.mul(stage, k.constant(operand.stageBytes)),
               k.constant(operand.sharedOffset));
}

/// Copies eight elements, zeros where they lie outside of the matrix. Reads of
/// nothing point at the first element, so that no address is ever outside.
void TensorCoreKernel::copyChunk(const Operand &operand, Value row,
                                 Value column, Value target) {
  OpBuilder &b = k.builder;
  Value zero = k.constant(0);
  Value rowInside = k.less(row, operand.height);
  Value start = k.add(k.mul(row, k.constant(operand.width)), column);
  if (operand.width % kChunk == 0) {
    Value inside = k.both(rowInside, k.less(column, operand.width));
    Value source =
        k.address(operand.base, elementType, k.select(inside, start, zero));
    Value size = k.select(inside, k.constant(kChunk * kElementBytes), zero);
    NVVM::CpAsyncOp::create(b, k.location, target, source,
                            uint32_t(kChunk * kElementBytes),
                            NVVM::LoadCacheModifierKind::CG, size);
    return;
  }
  Type i16 = b.getI16Type();
  Value nothing =
      LLVM::ConstantOp::create(b, k.location, i16, b.getI16IntegerAttr(0));
  for (int64_t i = 0; i < kChunk; ++i) {
    Value offset = k.constant(i);
    Value inside =
        k.both(rowInside, k.less(k.add(column, offset), operand.width));
    Value from = k.select(inside, k.add(start, offset), zero);
    Value element = k.load(operand.base, i16, from);
    k.store(k.select(inside, element, nothing), target, i16, offset);
  }
}

void TensorCoreKernel::copySlice(const Operand &operand, Value slice,
                                 Value stage) {
  Value kOrigin = k.mul(slice, k.constant(kMatmulSlice));
  Value rowOrigin = operand.kAlongHeight ? kOrigin : operand.origin;
  Value columnOrigin = operand.kAlongHeight ? operand.origin : kOrigin;
  Value base = stageOffset(k, operand, stage);
  int64_t chunksInRow = operand.tileWidth / kChunk;
  int64_t chunks = operand.tileHeight * chunksInRow;
  for (int64_t i = 0; i < chunks; i += kMatmulThreads) {
    Value index = k.add(thread, k.constant(i));
    Value row = k.div(index, chunksInRow);
    Value chunk = k.rem(index, chunksInRow);
    Value target = k.address(shared, k.builder.getI8Type(),
                             k.add(base, swizzle(k, operand, row, chunk)));
    copyChunk(operand, k.add(rowOrigin, row),
              k.add(columnOrigin, k.mul(chunk, k.constant(kChunk))), target);
  }
}

/// Four 8x8 matrices by one ldmatrix: 16 elements from `along` on, and 16 of k.
/// mma wants the left operand's matrices with k outermost, the right one's with
/// k innermost.
SmallVector<Value> TensorCoreKernel::loadFragment(const Operand &operand,
                                                  Value stage, Value along,
                                                  int64_t kOffset,
                                                  bool isLeft) {
  OpBuilder &b = k.builder;
  Value within = k.rem(lane, 8);
  Value low = k.mul(k.rem(k.div(lane, 8), 2), k.constant(8));
  Value high = k.mul(k.div(lane, 16), k.constant(8));
  Value alongPart = k.add(along, isLeft ? low : high);
  Value kPart = k.add(k.constant(kOffset), isLeft ? high : low);
  bool turned = operand.kAlongHeight;
  Value row = k.add(turned ? kPart : alongPart, within);
  Value chunk = k.div(turned ? alongPart : kPart, kChunk);
  Value address = k.address(
      shared, b.getI8Type(),
      k.add(stageOffset(k, operand, stage), swizzle(k, operand, row, chunk)));
  SmallVector<Type> types(4, b.getI32Type());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value loaded = NVVM::LdMatrixOp::create(
      b, k.location, type, address, uint32_t(4),
      turned ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < 4; ++i) {
    Value value = LLVM::ExtractValueOp::create(b, k.location, loaded, i);
    // mma takes halves as vectors and bfloats as words.
    if (elementType.isF16())
      value = LLVM::BitcastOp::create(b, k.location,
                                      VectorType::get({2}, elementType), value);
    registers.push_back(value);
  }
  return registers;
}

SmallVector<Value> TensorCoreKernel::multiplySlice(Value stage,
                                                   SmallVector<Value> sums) {
  OpBuilder &b = k.builder;
  auto ptxType =
      elementType.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  SmallVector<Type> types(4, b.getF32Type());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  int64_t down = tile.rows / 32, across = tile.columns / 32;
  for (int64_t kOffset = 0; kOffset < kMatmulSlice; kOffset += 16) {
    SmallVector<SmallVector<Value>> lefts, rights;
    for (int64_t i = 0; i < down; ++i)
      lefts.push_back(loadFragment(left, stage,
                                   k.add(warpRow, k.constant(16 * i)), kOffset,
                                   /*isLeft=*/true));
    for (int64_t j = 0; j < across; ++j)
      rights.push_back(loadFragment(right, stage,
                                    k.add(warpColumn, k.constant(16 * j)),
                                    kOffset, /*isLeft=*/false));
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < 2 * across; ++j) {
        Value *sum = &sums[(i * 2 * across + j) * 4];
        ArrayRef<Value> pair = ArrayRef(rights[j / 2]).slice(j % 2 * 2, 2);
        Value product = NVVM::MmaOp::create(
            b, k.location, type, lefts[i], pair, ValueRange(ArrayRef(sum, 4)),
            ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
            std::array{ptxType, ptxType},
            std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
        for (int64_t e = 0; e < 4; ++e)
          sum[e] = LLVM::ExtractValueOp::create(b, k.location, product, e);
      }
  }
  return sums;
}

/// The loop over slices. Copies that run past k move nothing, so no slice is
/// special. The barrier comes after a thread waited for its own copies, and
/// before the stage that everybody read last is written again.
SmallVector<Value> TensorCoreKernel::emitLoop(LLVM::LLVMFuncOp function) {
  OpBuilder &b = k.builder;
  int64_t slices = (problem.k + kMatmulSlice - 1) / kMatmulSlice;
  for (int64_t s = 0; s + 1 < tile.stages; ++s) {
    copySlice(left, k.constant(s), k.constant(s));
    copySlice(right, k.constant(s), k.constant(s));
    NVVM::CpAsyncCommitGroupOp::create(b, k.location);
  }
  int64_t count = tile.rows * tile.columns / kMatmulThreads;
  Value zero = LLVM::ConstantOp::create(b, k.location, b.getF32Type(),
                                        b.getF32FloatAttr(0));
  SmallVector<Value> initial(count + 1, zero);
  initial[0] = k.constant(0);
  SmallVector<Type> types =
      llvm::map_to_vector(initial, [](Value value) { return value.getType(); });
  SmallVector<Location> locations(types.size(), k.location);
  Block *body = b.createBlock(&function.getBody(), {}, types, locations);
  Block *end =
      b.createBlock(&function.getBody(), {}, ArrayRef(types).drop_front(),
                    ArrayRef(locations).drop_front());
  b.setInsertionPointToEnd(&function.getBody().front());
  LLVM::BrOp::create(b, k.location, initial, body);

  b.setInsertionPointToStart(body);
  Value slice = body->getArgument(0);
  NVVM::CpAsyncWaitGroupOp::create(b, k.location, uint32_t(tile.stages - 2));
  NVVM::BarrierOp::create(b, k.location);
  Value ahead = k.add(slice, k.constant(tile.stages - 1));
  Value free = k.rem(ahead, tile.stages);
  copySlice(left, ahead, free);
  copySlice(right, ahead, free);
  NVVM::CpAsyncCommitGroupOp::create(b, k.location);
  SmallVector<Value> sums(body->getArguments().drop_front());
  sums = multiplySlice(k.rem(slice, tile.stages), sums);
  Value next = k.add(slice, k.constant(1));
  SmallVector<Value> again{next};
  llvm::append_range(again, sums);
  LLVM::CondBrOp::create(b, k.location, k.less(next, slices), body, again, end,
                         sums);
  b.setInsertionPointToStart(end);
  NVVM::CpAsyncWaitGroupOp::create(b, k.location, uint32_t(0));
  return SmallVector<Value>(end->getArguments());
}

Value TensorCoreKernel::activate(Value value) {
  OpBuilder &b = k.builder;
  auto number = [&](float x) -> Value {
    return LLVM::ConstantOp::create(b, k.location, b.getF32Type(),
                                    b.getF32FloatAttr(x));
  };
  switch (problem.epilogue.activation) {
  case MatmulActivation::None:
    break;
  case MatmulActivation::Relu: {
    // Not a maximum, which would turn NaN into zero.
    Value negative = LLVM::FCmpOp::create(
        b, k.location, LLVM::FCmpPredicate::olt, value, number(0));
    return k.select(negative, number(0), value);
  }
  case MatmulActivation::Silu: {
    constexpr float minusLog2OfE = -1.44269504F;
    Value power =
        LLVM::FMulOp::create(b, k.location, value, number(minusLog2OfE));
    Value exponential =
        LLVM::CallIntrinsicOp::create(b, k.location, b.getF32Type(),
                                      b.getStringAttr("llvm.nvvm.ex2.approx"),
                                      ValueRange{power})
            .getResult(0);
    Value below = LLVM::FAddOp::create(b, k.location, exponential, number(1));
    return LLVM::FDivOp::create(b, k.location, value, below);
  }
  }
  return value;
}

Value TensorCoreKernel::finish(Value sum, Value row, Value column) {
  OpBuilder &b = k.builder;
  if (bias)
    sum = LLVM::FAddOp::create(b, k.location, sum,
                               k.widen(k.load(bias, elementType, column)));
  sum = activate(sum);
  if (residual) {
    Value index = k.add(k.mul(row, k.constant(problem.n)), column);
    sum = LLVM::FAddOp::create(b, k.location, sum,
                               k.widen(k.load(residual, elementType, index)));
  }
  return k.narrow(sum, outputType);
}

/// Writes the sums. A thread holds, of each 16x8 tile, two neighbours in the
/// row lane / 4 and two in the row eight below.
void TensorCoreKernel::writeSums(LLVM::LLVMFuncOp function,
                                 ArrayRef<Value> sums) {
  OpBuilder &b = k.builder;
  bool ragged = problem.m % tile.rows != 0 || problem.n % tile.columns != 0;
  Value firstRow = k.add(k.add(left.origin, warpRow), k.div(lane, 4));
  Value firstColumn = k.add(k.add(right.origin, warpColumn),
                            k.mul(k.rem(lane, 4), k.constant(2)));
  int64_t across = tile.columns / 16;
  for (auto [number, sum] : llvm::enumerate(sums)) {
    int64_t place = number / 4, element = number % 4;
    Value row =
        k.add(firstRow, k.constant(place / across * 16 + element / 2 * 8));
    Value column =
        k.add(firstColumn, k.constant(place % across * 8 + element % 2));
    Block *after = nullptr;
    if (ragged) {
      Value inside = k.both(k.less(row, problem.m), k.less(column, problem.n));
      Block *here = b.getInsertionBlock();
      Block *write = b.createBlock(&function.getBody());
      after = b.createBlock(&function.getBody());
      b.setInsertionPointToEnd(here);
      LLVM::CondBrOp::create(b, k.location, inside, write, after);
      b.setInsertionPointToStart(write);
    }
    k.store(finish(sum, row, column), output, outputType,
            k.add(k.mul(row, k.constant(problem.n)), column));
    if (!ragged)
      continue;
    LLVM::BrOp::create(b, k.location, after);
    b.setInsertionPointToStart(after);
  }
  LLVM::ReturnOp::create(b, k.location, ValueRange());
}

OwningOpRef<ModuleOp> TensorCoreKernel::build(StringRef name) {
  elementType = getType(problem.operands);
  outputType = getType(problem.epilogue.output);
  OwningOpRef<ModuleOp> module = ModuleOp::create(k.location);
  LLVM::LLVMFuncOp function = makeFunction(name, *module);
  readIndices(function.getBody().front());
  SmallVector<Value> sums = emitLoop(function);
  writeSums(function, sums);
  return module;
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::titan::buildMatmulKernel(Location location, StringRef name,
                               const MatmulProblem &problem,
                               const MatmulTile &tile) {
  auto [m, n, k, batch] =
      std::tuple(problem.m, problem.n, problem.k, problem.batch);
  if (problem.operands == MatmulType::Float32) {
    emitError(location) << "expected bf16 or f16 operands of a matrix product "
                           "on tensor cores, found f32; convert them";
    return failure();
  }
  constexpr int64_t limit = int64_t(1) << 31;
  auto fits = [&](int64_t a, int64_t b) {
    return a >= 1 && b >= 1 && a < limit && b < limit && a < limit / b;
  };
  if (batch < 1 || batch > 65535 || !fits(m, k) || !fits(k, n) || !fits(m, n)) {
    emitError(location) << "expected a matrix product of 1 to 2^31 - 1 "
                           "elements a matrix and 1 to 65535 of them, found "
                        << batch << " of " << m << "x" << n << "x" << k
                        << "; divide it";
    return failure();
  }
  bool known = llvm::any_of(getMatmulTiles(), [&](const MatmulTile &entry) {
    return entry.rows == tile.rows && entry.columns == tile.columns &&
           entry.stages == tile.stages;
  });
  if (!known) {
    emitError(location) << "expected a tile of the table, found " << tile.rows
                        << "x" << tile.columns << " with " << tile.stages
                        << " stages; use chooseMatmulTile";
    return failure();
  }
  location.getContext()->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  return TensorCoreKernel(location, problem, tile).build(name);
}
