#include "titan/Codegen/Loops/LoopPlan.h"

#include "titan/Codegen/Loops/IndexExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

bool titan::isFoldOp(linalg::GenericOp generic) {
  return generic && generic.getNumReductionLoops() != 0;
}

Operation *titan::getCombiner(linalg::GenericOp fold, unsigned index) {
  auto yield = cast<linalg::YieldOp>(fold.getBody()->getTerminator());
  Operation *combiner = yield.getOperand(index).getDefiningOp();
  Value previous = fold.getBody()->getArgument(fold.getNumDpsInputs() + index);
  if (!combiner || combiner->getNumOperands() != 2 || !previous.hasOneUse() ||
      *previous.user_begin() != combiner)
    return nullptr;
  return combiner;
}

// Products of floats are folded in order: there is nothing wider than f64 to
// hide another order in. Whether \p start leaves whatever \p combiner combines
// it with as it is.
static bool isNeutral(Operation *combiner, Attribute start) {
  if (auto number = dyn_cast_or_null<FloatAttr>(start)) {
    APFloat value = number.getValue();
    if (isa<arith::AddFOp>(combiner))
      return value.isZero();
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
      return value.isInfinity() && value.isNegative();
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
      return value.isInfinity() && !value.isNegative();
    return false;
  }
  auto number = dyn_cast_or_null<IntegerAttr>(start);
  if (!number)
    return false;
  APInt value = number.getValue();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp>(combiner))
    return value.isZero();
  if (isa<arith::MulIOp>(combiner))
    return value.isOne();
  if (isa<arith::AndIOp>(combiner))
    return value.isAllOnes();
  if (isa<arith::MaxSIOp>(combiner))
    return value.isMinSignedValue();
  return isa<arith::MinSIOp>(combiner) && value.isMaxSignedValue();
}

bool titan::isCombinable(linalg::GenericOp fold) {
  for (unsigned i = 0; i < fold.getNumResults(); ++i) {
    Operation *combiner = getCombiner(fold, i);
    auto fill =
        fold.getDpsInitOperand(i)->get().getDefiningOp<linalg::FillOp>();
    Attribute start;
    if (!combiner || !fill ||
        !matchPattern(fill.getInputs().front(), m_Constant(&start)) ||
        !isNeutral(combiner, start))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What is stored
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

LogicalResult LoopPlan::collectStored(func::FuncOp function) {
  Block &body = function.front();
  llvm::DenseSet<Value> returned;
  for (Value result : body.getTerminator()->getOperands())
    returned.insert(result);
  llvm::DenseSet<Value> lookedUp;
  body.walk([&](tensor::ExtractOp lookup) {
    if (isa<linalg::GenericOp>(lookup->getParentOp()))
      lookedUp.insert(getLookupBase(lookup.getTensor()));
  });
  for (Operation &op : body.without_terminator()) {
    bool isFolded = isFoldOp(dyn_cast<linalg::GenericOp>(op));
    bool isInsert = isa<tensor::InsertSliceOp>(op);
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      // Parts that are put together one by one are stored into one value.
      bool isChained =
          isInsert && result.hasOneUse() &&
          isa<tensor::InsertSliceOp>(*result.user_begin()) &&
          cast<tensor::InsertSliceOp>(*result.user_begin()).getDest() == result;
      if (returned.contains(result) || lookedUp.contains(result) ||
          (!isChained && (isFolded || isInsert)))
        stored.insert(result);
    }
  }
  for (Value value : stored)
    if (!returned.contains(value))
      scratch.push_back(value);
  return success();
}

/// Dimensions in which a tensor of \p shape is walked through, without those of
/// size one; \p at becomes the place.
static SmallVector<int64_t> walkShape(ArrayRef<int64_t> shape,
                                      SmallVector<AffineExpr> &at,
                                      MLIRContext *context) {
  SmallVector<int64_t> extents;
  for (int64_t size : shape) {
    if (size == 1) {
      at.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    at.push_back(getAffineDimExpr(extents.size(), context));
    extents.push_back(size);
  }
  return extents;
}

static Writer makeFold(Value target, linalg::GenericOp fold) {
  MLIRContext *context = fold.getContext();
  Writer writer;
  writer.target = target;
  writer.fold = fold;
  SmallVector<int64_t> ranges = fold.getStaticLoopRanges();
  auto kinds = fold.getIteratorTypesArray();
  writer.foldAt.assign(ranges.size(), getAffineConstantExpr(0, context));
  auto addDim = [&](unsigned loop) {
    if (ranges[loop] == 1)
      return;
    writer.foldAt[loop] = getAffineDimExpr(writer.extents.size(), context);
    writer.extents.push_back(ranges[loop]);
  };
  // In the order of the target.
  AffineMap map = fold.getIndexingMapsArray()[fold.getNumDpsInputs()];
  for (AffineExpr expr : map.getResults())
    addDim(cast<AffineDimExpr>(expr).getPosition());
  writer.numParallel = writer.extents.size();
  writer.targetAt = applyMap(map, writer.foldAt, writer.extents);
  // Folded dimensions that follow each other in the op, at its end, are one.
  unsigned tail = ranges.size();
  while (tail > 0 && kinds[tail - 1] == utils::IteratorType::reduction)
    --tail;
  for (unsigned i = 0; i < tail; ++i)
    if (kinds[i] == utils::IteratorType::reduction)
      addDim(i);
  int64_t size = 1;
  for (unsigned i = tail; i < ranges.size(); ++i)
    size *= ranges[i];
  if (tail < ranges.size() && size != 1) {
    AffineExpr linear = getAffineDimExpr(writer.extents.size(), context);
    SmallVector<AffineExpr> place =
        delinearize(linear, ArrayRef(ranges).drop_front(tail));
    llvm::copy(place, writer.foldAt.begin() + tail);
    writer.extents.push_back(size);
    for (unsigned i = tail; i < ranges.size(); ++i)
      writer.foldAt[i] = simplifyIndex(writer.foldAt[i], writer.extents);
  }
  writer.foldsInLanes = tail < ranges.size() && size != 1 && isCombinable(fold);
  return writer;
}

LogicalResult LoopPlan::addWriters(Value value) {
  MLIRContext *context = value.getContext();
  // A fold of several results has one writer.
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (isFoldOp(generic)) {
    for (Value result : generic.getResults())
      if (isStored(result) && result != value) {
        if (cast<OpResult>(result).getResultNumber() <
            cast<OpResult>(value).getResultNumber())
          return success();
      }
    return addWriter(makeFold(value, generic));
  }
  SmallVector<tensor::InsertSliceOp> inserts;
  Value base = value;
  while (auto insert = base.getDefiningOp<tensor::InsertSliceOp>()) {
    if (base != value && isStored(base))
      break;
    inserts.push_back(insert);
    base = insert.getDest();
  }
  // The value itself must not be read to compute it.
  if (inserts.empty()) {
    Writer writer;
    writer.target = writer.source = value;
    writer.extents = walkShape(getShape(value), writer.targetAt, context);
    writer.sourceAt = writer.targetAt;
    writer.numParallel = writer.extents.size();
    return addWriter(std::move(writer));
  }
  if (!base.getDefiningOp<tensor::EmptyOp>()) {
    Writer writer;
    writer.target = value;
    writer.source = base;
    writer.extents = walkShape(getShape(value), writer.targetAt, context);
    writer.sourceAt = writer.targetAt;
    writer.numParallel = writer.extents.size();
    if (failed(addWriter(std::move(writer))))
      return failure();
  }
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts)) {
    if (llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic) ||
        llvm::any_of(insert.getStaticStrides(), ShapedType::isDynamic))
      return failure();
    Writer writer;
    writer.target = value;
    writer.source = insert.getSource();
    writer.extents =
        walkShape(getShape(insert.getSource()), writer.sourceAt, context);
    writer.numParallel = writer.extents.size();
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    unsigned next = 0;
    for (unsigned i = 0; i < dropped.size(); ++i) {
      AffineExpr place =
          getAffineConstantExpr(insert.getStaticOffset(i), context);
      if (!dropped[i])
        place = place + writer.sourceAt[next++] * insert.getStaticStride(i);
      writer.targetAt.push_back(place);
    }
    if (failed(addWriter(std::move(writer))))
      return failure();
  }
  return success();
}

// What stands for the place of an element that is looked up.
static AffineExpr getUnknownPlace(MLIRContext *context) {
  return getAffineSymbolExpr(0, context);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

// Whether the body computes with numbers alone, and looks up such as are in
// memory.
static bool hasKnownBody(linalg::GenericOp generic) {
  return llvm::all_of(
      generic.getBody()->without_terminator(), [](Operation &op) {
        StringRef dialect = op.getName().getDialectNamespace();
        return dialect == "arith" || dialect == "math" ||
               isa<linalg::IndexOp, tensor::ExtractOp, cf::AssertOp>(op);
      });
}

LogicalResult LoopPlan::visitReads(
    const Writer &writer,
    function_ref<void(Value, ArrayRef<AffineExpr>)> visit) const {
  llvm::DenseSet<std::pair<Value, AffineMap>> seen;
  SmallVector<std::pair<Value, SmallVector<AffineExpr>>> stack;
  MLIRContext *context = writer.target.getContext();
  auto pushInputs = [&](linalg::GenericOp generic, ArrayRef<AffineExpr> at,
                        bool withInits) {
    if (!hasKnownBody(generic))
      return false;
    for (auto lookup : generic.getBody()->getOps<tensor::ExtractOp>()) {
      Value base = getLookupBase(lookup.getTensor());
      visit(base, SmallVector<AffineExpr>(getShape(base).size(),
                                          getUnknownPlace(context)));
    }
    for (OpOperand &operand : generic->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        return false;
      if (generic.isDpsInit(&operand) &&
          !(withInits || generic.payloadUsesValueFromOperand(&operand)))
        continue;
      stack.push_back(
          {operand.get(), applyMap(generic.getMatchingIndexingMap(&operand), at,
                                   writer.extents)});
    }
    return true;
  };
  auto visitSource = [&](const Source &source) {
    switch (source.kind) {
    case Source::Kind::Memory:
      visit(source.value, source.at);
      return true;
    case Source::Kind::Formula:
      return pushInputs(source.generic, source.at, false);
    case Source::Kind::Unknown:
      return false;
    default:
      return true;
    }
  };
  if (writer.isFold()) {
    if (!pushInputs(writer.fold, writer.foldAt, true))
      return failure();
  } else {
    stack.push_back({writer.source, writer.sourceAt});
  }
  while (!stack.empty()) {
    auto [value, at] = stack.pop_back_val();
    if (!seen.insert(
                 {value, AffineMap::get(writer.extents.size(), 0, at, context)})
             .second)
      continue;
    if (!visitSource(resolve(value, at, writer.extents, writer.target)))
      return failure();
  }
  return success();
}

// The places without the dimensions of size one.
static SmallVector<AffineExpr> getTruePlace(Value value,
                                            ArrayRef<AffineExpr> at) {
  SmallVector<AffineExpr> place;
  for (auto [size, expr] : llvm::zip_equal(getShape(value), at))
    if (size != 1)
      place.push_back(expr);
  return place;
}

static bool hasOwnRow(Value value, ArrayRef<AffineExpr> at, unsigned numRows) {
  SmallVector<AffineExpr> place = getTruePlace(value, at);
  if (place.size() < numRows)
    return false;
  for (unsigned i = 0; i < numRows; ++i)
    if (place[i] != getAffineDimExpr(i, value.getContext()))
      return false;
  return true;
}

bool LoopPlan::joins(const Phase &phase, const Writer &writer,
                     unsigned &numRows) const {
  if (isColumnFold(writer) || isColumnFold(phase.writers.front()))
    return false;
  ArrayRef<int64_t> first = phase.writers.front().extents;
  numRows = std::min(phase.numRows, writer.numParallel);
  unsigned common = 0;
  while (common < numRows && first[common] == writer.extents[common])
    ++common;
  numRows = common;
  if (numRows == 0)
    return false;
  // What the phase stores is read, and written, in the row it is in.
  llvm::SmallDenseSet<Value> targets;
  for (const Writer &own : phase.writers)
    targets.insert(own.target);
  bool fits = !targets.contains(writer.target);
  fits &= hasOwnRow(writer.target, writer.targetAt, numRows);
  LogicalResult visited = visitReads(writer, [&](Value value,
                                                 ArrayRef<AffineExpr> at) {
    Value target = value;
    if (auto fold = value.getDefiningOp<linalg::GenericOp>(); isFoldOp(fold))
      for (Value result : fold.getResults())
        if (targets.contains(result))
          target = result;
    if (targets.contains(target))
      fits &= hasOwnRow(value, at, numRows);
  });
  return succeeded(visited) && fits;
}

LogicalResult LoopPlan::addWriter(Writer writer) {
  if (failed(visitReads(writer, [](Value, ArrayRef<AffineExpr>) {})))
    return failure();
  unsigned numRows = 0;
  if (!phases.empty() && joins(phases.back(), writer, numRows)) {
    phases.back().numRows = numRows;
    phases.back().writers.push_back(std::move(writer));
    return success();
  }
  Phase phase;
  phase.numRows = writer.numParallel;
  // Rows of what is scattered into a larger value count from its own start.
  if (!hasOwnRow(writer.target, writer.targetAt, writer.numParallel))
    phase.numRows = 0;
  phase.writers.push_back(std::move(writer));
  phases.push_back(std::move(phase));
  return success();
}

static bool isElementwise(const Phase &phase) {
  return llvm::all_of(phase.writers, [&](const Writer &writer) {
    return !writer.isFold() && writer.extents == phase.writers.front().extents;
  });
}

// One loop over all elements, if every access walks through memory evenly.
void LoopPlan::makeFlat(Phase &phase) const {
  Phase flat = phase;
  MLIRContext *context = phase.writers.front().target.getContext();
  for (Writer &writer : flat.writers) {
    int64_t size = 1;
    for (int64_t extent : writer.extents)
      size *= extent;
    SmallVector<AffineExpr> dims =
        delinearize(getAffineDimExpr(0, context), writer.extents);
    writer.extents = {size};
    writer.numParallel = 1;
    for (auto *places : {&writer.sourceAt, &writer.targetAt})
      for (AffineExpr &expr : *places)
        expr = simplifyIndex(expr.replaceDims(dims), writer.extents);
    bool isEven = true;
    auto check = [&](Value value, ArrayRef<AffineExpr> at) {
      if (llvm::is_contained(at, getUnknownPlace(context))) {
        isEven = false;
        return;
      }
      AffineExpr linear = getLinearPlace(value, at, writer.extents);
      std::optional<int64_t> step = getLaneStep(linear, 0, kLanes);
      isEven &= step && (*step == 0 || *step == 1);
    };
    check(writer.target, writer.targetAt);
    if (failed(visitReads(writer, check)) || !isEven)
      return;
  }
  flat.numRows = 0;
  flat.isFlat = true;
  phase = std::move(flat);
}

void LoopPlan::finishPhase(Phase &phase) const {
  if (isColumnFold(phase.writers.front())) {
    phase.numRows = 0;
    return;
  }
  // All dimensions are rows only where each element depends on its own alone.
  unsigned rank = phase.writers.front().extents.size();
  if (!isElementwise(phase) ||
      (phase.writers.size() > 1 && phase.numRows < rank))
    return;
  makeFlat(phase);
  if (!phase.isFlat)
    phase.numRows = rank == 0 ? 0 : rank - 1;
}

FailureOr<LoopPlan> LoopPlan::make(func::FuncOp function) {
  LoopPlan plan;
  if (failed(plan.collectStored(function)))
    return failure();
  // In the order of the function.
  for (Value value : plan.stored)
    if (failed(plan.addWriters(value)))
      return failure();
  for (Phase &phase : plan.phases)
    plan.finishPhase(phase);
  return plan;
}

int64_t Phase::getTrips() const {
  const Writer &first = writers.front();
  if (isFlat)
    return first.extents.empty() ? 1 : first.extents.front();
  ArrayRef<int64_t> rows = ArrayRef(first.extents).take_front(numRows);
  if (isColumnFold(first)) {
    rows = ArrayRef(first.extents).take_front(first.numParallel);
    int64_t trips = 1;
    for (int64_t extent : rows.empty() ? rows : rows.drop_back())
      trips *= extent;
    return rows.empty() ? 1 : trips * llvm::divideCeil(rows.back(), kColumns);
  }
  int64_t trips = 1;
  for (int64_t extent : rows)
    trips *= extent;
  return trips;
}

int64_t Phase::getNumElements() const {
  int64_t total = 0;
  for (const Writer &writer : writers) {
    int64_t elements = 1;
    for (int64_t extent : writer.extents)
      elements *= extent;
    total += elements;
  }
  return total;
}
