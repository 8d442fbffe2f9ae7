// A thread computes `width` elements that follow each other at once: each op of
// a formula is written once a lane, loads and stores are vectors of up to 16
// bytes where the elements follow each other in memory too.
#include "DeviceElements.h"

#include "titan/Codegen/Loops/IndexExpr.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::titan;

Type titan::getElementTypeOf(Value tensor) {
  return getElementTypeOrSelf(tensor.getType());
}

Type titan::getDeviceMemoryType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

static int64_t getElementBytes(Type type) {
  return llvm::divideCeil(getDeviceMemoryType(type).getIntOrFloatBitWidth(), 8);
}

static AffineMap makeKey(const DeviceFrame &frame, ArrayRef<AffineExpr> at,
                         MLIRContext *context) {
  // The symbol tells places from numbers of the kernel.
  return AffineMap::get(frame.extents.size(), 1, at, context);
}

void DeviceElements::remember(DeviceFrame &frame, Value tensor,
                              ArrayRef<AffineExpr> at, Lanes element) const {
  frame.elements[{tensor, makeKey(frame, at, b.getContext())}] =
      std::move(element);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value DeviceElements::emitIndex(DeviceFrame &frame, AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
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

std::optional<int64_t> DeviceElements::getStep(const DeviceFrame &frame,
                                               AffineExpr expr) const {
  if (!frame.vectorDim)
    return 0;
  return getLaneStep(expr, *frame.vectorDim, frame.width);
}

Lanes DeviceElements::emitIndexLanes(DeviceFrame &frame, AffineExpr expr) {
  std::optional<int64_t> step = getStep(frame, expr);
  if (step == 0)
    return {emitIndex(frame, expr)};
  Lanes lanes;
  if (step) {
    Value first = emitIndex(frame, expr);
    for (int64_t lane = 0; lane < frame.width; ++lane)
      lanes.push_back(arith::AddIOp::create(b, first, constant(lane * *step)));
    return lanes;
  }
  Value first = frame.counters[*frame.vectorDim];
  for (int64_t lane = 0; lane < frame.width; ++lane) {
    frame.counters[*frame.vectorDim] =
        arith::AddIOp::create(b, first, constant(lane));
    lanes.push_back(emitIndex(frame, expr));
  }
  frame.counters[*frame.vectorDim] = first;
  return lanes;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

SmallVector<Lanes> DeviceElements::cloneForLanes(Operation *op,
                                                 ArrayRef<Lanes> operands) {
  size_t width = 1;
  for (const Lanes &operand : operands)
    width = std::max(width, operand.size());
  SmallVector<Lanes> results(op->getNumResults());
  for (size_t lane = 0; lane < width; ++lane) {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
      mapping.map(from, to[to.size() == 1 ? 0 : lane]);
    Operation *clone = b.clone(*op, mapping);
    for (auto [result, own] : llvm::zip_equal(clone->getResults(), results))
      own.push_back(result);
  }
  return results;
}

// A number of the kernel that is the same for all elements.
Value DeviceElements::emitNumber(DeviceFrame &frame, Value value) {
  AffineMap key = AffineMap::get(b.getContext());
  auto known = frame.elements.find({value, key});
  if (known != frame.elements.end())
    return known->second.front();
  Value result;
  if (isa<BlockArgument>(value)) {
    result = places.lookup(value);
  } else if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
    SmallVector<AffineExpr> at;
    for (Value index : extract.getIndices())
      at.push_back(
          b.getAffineConstantExpr(getConstantIntValue(index).value_or(0)));
    result = emitElement(frame, extract.getTensor(), at).front();
  } else {
    Operation *op = value.getDefiningOp();
    SmallVector<Lanes> operands;
    for (Value operand : op->getOperands())
      operands.push_back({emitNumber(frame, operand)});
    result =
        cloneForLanes(op, operands)[cast<OpResult>(value).getResultNumber()]
            .front();
  }
  frame.elements[{value, key}] = {result};
  return result;
}

SmallVector<Lanes> DeviceElements::emitBody(DeviceFrame &frame,
                                            linalg::GenericOp generic,
                                            ArrayRef<AffineExpr> at,
                                            ArrayRef<Lanes> previous) {
  llvm::DenseMap<Value, Lanes> values;
  for (OpOperand &operand : generic->getOpOperands()) {
    BlockArgument argument = generic.getMatchingBlockArgument(&operand);
    if (generic.isDpsInit(&operand) && !previous.empty()) {
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
  auto getValue = [&](Value value) -> Lanes {
    auto known = values.find(value);
    return known == values.end() ? Lanes{emitNumber(frame, value)}
                                 : known->second;
  };
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      Lanes place = emitIndexLanes(frame, at[index.getDim()]);
      for (Value &lane : place)
        lane = arith::IndexCastOp::create(b, b.getIndexType(), lane);
      values[index] = place;
      continue;
    }
    if (auto lookup = dyn_cast<tensor::ExtractOp>(op)) {
      values[lookup] = emitLookup(frame, lookup, at, getValue);
      continue;
    }
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      emitAssertion(assertion, getValue(assertion.getArg()));
      continue;
    }
    SmallVector<Lanes> operands;
    for (Value operand : op.getOperands())
      operands.push_back(getValue(operand));
    SmallVector<Lanes> results = cloneForLanes(&op, operands);
    for (auto [from, to] : llvm::zip_equal(op.getResults(), results))
      values[from] = to;
  }
  SmallVector<Lanes> results;
  for (Value result : generic.getBody()->getTerminator()->getOperands())
    results.push_back(getValue(result));
  return results;
}

// The kernel goes on: what it reads is inside of its tensors in any case.
void DeviceElements::emitAssertion(cf::AssertOp assertion, const Lanes &holds) {
  auto *known = llvm::find(assertions, assertion);
  int64_t number = known - assertions.begin() + 1;
  if (known == assertions.end())
    assertions.push_back(assertion);
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (Value lane : holds) {
    Value fails = arith::XOrIOp::create(b, lane, yes);
    auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(
        b, LLVM::ConstantOp::create(b, b.getI64IntegerAttr(number)), failure);
  }
}

Lanes DeviceElements::emitLookup(DeviceFrame &frame, tensor::ExtractOp lookup,
                                 ArrayRef<AffineExpr> at,
                                 function_ref<Lanes(Value)> getValue) {
  ArrayRef<int64_t> shape = lookup.getTensor().getType().getShape();
  Value base = LoopPlan::getLookupBase(lookup.getTensor());
  // The lanes of the last index follow each other where it is a counter.
  std::optional<AffineExpr> counter;
  Lanes place = {constant(0)};
  for (auto [dim, index] : llvm::enumerate(lookup.getIndices())) {
    auto loop = index.getDefiningOp<linalg::IndexOp>();
    Lanes own;
    if (loop && dim + 1 == shape.size() && place.size() == 1 &&
        frame.vectorDim && getStep(frame, at[loop.getDim()]) == 1) {
      counter = at[loop.getDim()];
      own = {emitIndex(frame, *counter)};
    } else {
      for (Value lane : getValue(index))
        own.push_back(arith::IndexCastOp::create(b, counterType, lane));
    }
    Lanes sum;
    for (size_t lane = 0; lane < std::max(place.size(), own.size()); ++lane) {
      Value outer = arith::MulIOp::create(
          b, place[place.size() == 1 ? 0 : lane], constant(shape[dim]));
      sum.push_back(
          arith::AddIOp::create(b, outer, own[own.size() == 1 ? 0 : lane]));
    }
    place = std::move(sum);
  }
  if (counter) {
    AffineExpr rows = b.getAffineSymbolExpr(0) * shape.back();
    return loadVector(base, place.front(), frame.width,
                      getAlignment(frame, rows + *counter,
                                   getElementBytes(getElementTypeOf(base))));
  }
  for (Value &lane : place)
    lane = loadNumber(base, lane);
  return place;
}

Lanes DeviceElements::emitElement(DeviceFrame &frame, Value value,
                                  ArrayRef<AffineExpr> at) {
  // A plain number stands for a tensor of that number.
  if (!isa<RankedTensorType>(value.getType()))
    return {emitNumber(frame, value)};
  auto find = [&](Value of, ArrayRef<AffineExpr> place) {
    return frame.elements.lookup({of, makeKey(frame, place, b.getContext())});
  };
  if (Lanes known = find(value, at); !known.empty())
    return known;
  Source source = plan.resolve(value, at, frame.extents, frame.self);
  Lanes element;
  switch (source.kind) {
  case Source::Kind::Memory:
    if (Lanes known = find(source.value, source.at); !known.empty())
      return known;
    element = emitLoad(frame, source.value, source.at);
    remember(frame, source.value, source.at, element);
    break;
  case Source::Kind::Formula:
    element = emitBody(frame, source.generic, source.at,
                       {})[cast<OpResult>(source.value).getResultNumber()];
    break;
  case Source::Kind::Number:
    element = {emitNumber(frame, source.value)};
    break;
  default:
    element = {
        arith::ConstantOp::create(b, b.getZeroAttr(getElementTypeOf(value)))};
    break;
  }
  remember(frame, value, at, element);
  return element;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value DeviceElements::getAddress(Value tensor, Value index) {
  Value pointer = places.lookup(tensor);
  return LLVM::GEPOp::create(
      b, pointer.getType(), getDeviceMemoryType(getElementTypeOf(tensor)),
      pointer, ArrayRef<LLVM::GEPArg>{index}, LLVM::GEPNoWrapFlags::inbounds);
}

// The largest power of two, at most a vector's 16, that divides the address
// whatever the counters are.
unsigned DeviceElements::getAlignment(const DeviceFrame &frame,
                                      AffineExpr linear,
                                      int64_t elementBytes) const {
  constexpr uint64_t kVectorBytes = 16;
  if (frame.vectorDim) {
    AffineExpr dim = b.getAffineDimExpr(*frame.vectorDim);
    linear = linear.replace(dim, dim * frame.width);
  }
  auto divisor = static_cast<uint64_t>(linear.getLargestKnownDivisor());
  if (auto number = dyn_cast<AffineConstantExpr>(linear);
      number && number.getValue() == 0)
    divisor = kVectorBytes;
  return std::gcd(divisor * elementBytes, kVectorBytes);
}

Value DeviceElements::loadNumber(Value tensor, Value index) {
  Type type = getElementTypeOf(tensor), memory = getDeviceMemoryType(type);
  Value value = LLVM::LoadOp::create(b, memory, getAddress(tensor, index),
                                     getElementBytes(type));
  if (type.isInteger(1))
    return arith::TruncIOp::create(b, type, value);
  return value;
}

void DeviceElements::storeNumber(Value element, Value tensor, Value index) {
  Type type = getElementTypeOf(tensor);
  if (type.isInteger(1))
    element = arith::ExtUIOp::create(b, getDeviceMemoryType(type), element);
  LLVM::StoreOp::create(b, element, getAddress(tensor, index),
                        getElementBytes(type));
}

Lanes DeviceElements::loadVector(Value tensor, Value index, int64_t width,
                                 unsigned alignment) {
  Type type = getElementTypeOf(tensor), memory = getDeviceMemoryType(type);
  Value vector = LLVM::LoadOp::create(b, VectorType::get({width}, memory),
                                      getAddress(tensor, index), alignment);
  Lanes lanes;
  for (int64_t lane = 0; lane < width; ++lane) {
    Value place = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(lane));
    Value value = LLVM::ExtractElementOp::create(b, vector, place);
    if (type.isInteger(1))
      value = arith::TruncIOp::create(b, type, value);
    lanes.push_back(value);
  }
  return lanes;
}

Lanes DeviceElements::emitLoad(DeviceFrame &frame, Value tensor,
                               ArrayRef<AffineExpr> at) {
  AffineExpr linear = getLinearPlace(tensor, at, frame.extents);
  std::optional<int64_t> step = getStep(frame, linear);
  if (step == 0)
    return {loadNumber(tensor, emitIndex(frame, linear))};
  if (step == 1)
    return loadVector(
        tensor, emitIndex(frame, linear), frame.width,
        getAlignment(frame, linear, getElementBytes(getElementTypeOf(tensor))));
  Lanes lanes;
  for (Value index : emitIndexLanes(frame, linear))
    lanes.push_back(loadNumber(tensor, index));
  return lanes;
}

void DeviceElements::emitStore(DeviceFrame &frame, Value tensor,
                               ArrayRef<AffineExpr> at, const Lanes &element) {
  AffineExpr linear = getLinearPlace(tensor, at, frame.extents);
  if (!frame.vectorDim)
    return storeNumber(element.front(), tensor, emitIndex(frame, linear));
  auto getLane = [&](int64_t lane) {
    return element[element.size() == 1 ? 0 : lane];
  };
  if (getStep(frame, linear) != 1) {
    Lanes places = emitIndexLanes(frame, linear);
    for (auto [lane, place] : llvm::enumerate(places))
      storeNumber(getLane(lane), tensor, place);
    return;
  }
  Type type = getElementTypeOf(tensor), memory = getDeviceMemoryType(type);
  Value vector =
      LLVM::PoisonOp::create(b, VectorType::get({frame.width}, memory));
  for (int64_t lane = 0; lane < frame.width; ++lane) {
    Value value = getLane(lane);
    if (type.isInteger(1))
      value = arith::ExtUIOp::create(b, memory, value);
    Value place = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(lane));
    vector = LLVM::InsertElementOp::create(b, vector, value, place);
  }
  LLVM::StoreOp::create(b, vector, getAddress(tensor, emitIndex(frame, linear)),
                        getAlignment(frame, linear, getElementBytes(type)));
}
