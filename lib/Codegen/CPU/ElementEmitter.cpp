// Everything is arithmetic on one element or on kLanes of them; what is the
// same for all lanes stays one number until an op needs it as a vector.
#include "ElementEmitter.h"

#include "titan/Codegen/Loops/IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::titan;

static Type getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

// How elements lie in memory.
static Type getMemoryType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

VectorType titan::getLanes(Type type) {
  return VectorType::get({kLanes}, type);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value ElementEmitter::spread(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, getLanes(value.getType()), value);
}

Value ElementEmitter::emitIndex(Frame &frame, AffineExpr expr) {
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
Value ElementEmitter::emitIndexLanes(Frame &frame, AffineExpr expr) {
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

Operation *ElementEmitter::cloneVectorized(Operation *op, ValueRange operands) {
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
Value ElementEmitter::emitNumber(Frame &frame, Value value) {
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

SmallVector<Value> ElementEmitter::emitBody(Frame &frame,
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
    if (auto lookup = dyn_cast<tensor::ExtractOp>(op)) {
      values[lookup] = emitLookup(frame, lookup, at, getValue);
      continue;
    }
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      emitAssertion(assertion, getValue(assertion.getArg()));
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

// The counter of the loop that \p index is, if its lanes follow each other.
static std::optional<AffineExpr>
getEvenCounter(Value index, ArrayRef<AffineExpr> at, const Frame &frame) {
  auto counter = index.getDefiningOp<linalg::IndexOp>();
  if (!counter || !frame.vectorDim ||
      getLaneStep(at[counter.getDim()], *frame.vectorDim, kLanes) != 1)
    return std::nullopt;
  return at[counter.getDim()];
}

Value ElementEmitter::emitLookup(Frame &frame, tensor::ExtractOp lookup,
                                 ArrayRef<AffineExpr> at,
                                 function_ref<Value(Value)> getValue) {
  Value tensor = lookup.getTensor();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  Type type = getElementType(tensor);
  Value place = constant(0);
  bool isRow = false;
  for (auto [dim, index] : llvm::enumerate(lookup.getIndices())) {
    Value own;
    std::optional<AffineExpr> counter = getEvenCounter(index, at, frame);
    if (counter && dim + 1 == shape.size() &&
        !isa<VectorType>(place.getType())) {
      own = emitIndex(frame, *counter);
      isRow = true;
    } else {
      Value given = getValue(index);
      Type wanted = b.getI64Type();
      own = arith::IndexCastOp::create(
          b, isa<VectorType>(given.getType()) ? Type(getLanes(wanted)) : wanted,
          given);
    }
    bool isVector =
        isa<VectorType>(own.getType()) || isa<VectorType>(place.getType());
    auto adapt = [&](Value value) { return isVector ? spread(value) : value; };
    place = arith::MulIOp::create(b, place,
                                  isa<VectorType>(place.getType())
                                      ? spread(constant(shape[dim]))
                                      : constant(shape[dim]));
    place = arith::AddIOp::create(b, adapt(place), adapt(own));
  }
  Value base = plan.getLookupBase(tensor);
  if (isRow)
    return loadAs(getLanes(type), base, place);
  return isa<VectorType>(place.getType()) ? gather(type, base, place)
                                          : loadAs(type, base, place);
}

// The kernel goes on: what it reads is inside of its tensors in any case.
void ElementEmitter::emitAssertion(cf::AssertOp assertion, Value holds) {
  auto known = llvm::find(*assertions, assertion);
  int64_t number = known - assertions->begin() + 1;
  if (known == assertions->end())
    assertions->push_back(assertion);
  if (isa<VectorType>(holds.getType()))
    holds = vector::ReductionOp::create(b, vector::CombiningKind::AND, holds);
  Value fails = arith::XOrIOp::create(
      b, holds, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // Threads may fail side by side: the first op counts, not the last thread.
  LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::umin, failure,
                            constant(number), LLVM::AtomicOrdering::monotonic);
}

Value ElementEmitter::emitElement(Frame &frame, Value value,
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

Value ElementEmitter::getAddress(Value tensor, Value index) {
  Type type = isa<RankedTensorType>(tensor.getType()) ? getElementType(tensor)
                                                      : tensor.getType();
  Value pointer = pointers.lookup(tensor);
  return LLVM::GEPOp::create(b, pointer.getType(), getMemoryType(type), pointer,
                             ArrayRef<LLVM::GEPArg>{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

// \p type is that of an element or of lanes of elements.
Value ElementEmitter::loadAs(Type type, Value tensor, Value index) {
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

void ElementEmitter::storeAs(Value element, Value tensor, Value index) {
  Type type = element.getType();
  auto lanes = dyn_cast<VectorType>(type);
  Type memory = getMemoryType(lanes ? lanes.getElementType() : type);
  Type stored = lanes ? Type(lanes.clone(memory)) : memory;
  if (stored != type)
    element = arith::ExtUIOp::create(b, stored, element);
  LLVM::StoreOp::create(b, element, getAddress(tensor, index),
                        llvm::divideCeil(memory.getIntOrFloatBitWidth(), 8));
}

Value ElementEmitter::emitLoad(Frame &frame, Value tensor,
                               ArrayRef<AffineExpr> at) {
  Type type = getElementType(tensor);
  AffineExpr linear = getLinearPlace(tensor, at, frame.extents);
  std::optional<int64_t> step =
      frame.vectorDim ? getLaneStep(linear, *frame.vectorDim, kLanes) : 0;
  if (step == 0)
    return loadAs(type, tensor, emitIndex(frame, linear));
  if (step == 1)
    return loadAs(getLanes(type), tensor, emitIndex(frame, linear));
  return gather(type, tensor, emitIndexLanes(frame, linear));
}

Value ElementEmitter::gather(Type type, Value tensor, Value places) {
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    elements.push_back(
        loadAs(type, tensor, vector::ExtractOp::create(b, places, lane)));
  return vector::FromElementsOp::create(b, getLanes(type), elements);
}

void ElementEmitter::emitStore(Frame &frame, Value tensor,
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
