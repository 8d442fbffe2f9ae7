#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

SmallVector<unsigned> titan::firstLoops(unsigned count) {
  return llvm::to_vector(llvm::seq<unsigned>(count));
}

SmallVector<unsigned> titan::loopsWithout(unsigned count, unsigned loop) {
  SmallVector<unsigned> loops = firstLoops(count);
  loops.erase(loops.begin() + loop);
  return loops;
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

void Nest::readAt(Value value, ArrayRef<AffineExpr> places) {
  values.push_back(value);
  maps.push_back(
      AffineMap::get(sizes.size(), 0, places, l.builder().getContext()));
}

void Nest::read(Value value, ArrayRef<unsigned> loops) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> places;
  for (auto [dim, index] : llvm::enumerate(loops)) {
    bool isBroadcast = type.getDimSize(static_cast<int64_t>(dim)) == 1 &&
                       !isConstantIntValue(sizes[index], 1);
    places.push_back(isBroadcast ? l.builder().getAffineConstantExpr(0)
                                 : loop(index));
  }
  readAt(value, places);
}

void Nest::read(Value value) { read(value, firstLoops(sizes.size())); }

void Nest::addShape(AffineMap result) {
  SmallVector<bool> isTold(sizes.size());
  auto mark = [&](AffineMap map) {
    for (AffineExpr place : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(place))
        isTold[dim.getPosition()] = true;
  };
  llvm::for_each(maps, mark);
  mark(result);
  SmallVector<OpFoldResult> missing;
  SmallVector<AffineExpr> places;
  for (auto [index, told] : llvm::enumerate(isTold))
    if (!told) {
      missing.push_back(sizes[index]);
      places.push_back(loop(index));
    }
  if (missing.empty())
    return;
  readsRaw();
  readAt(l.empty(missing, l.builder().getI1Type()), places);
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

Value Nest::build(ArrayRef<unsigned> kept, Value target, Type compute,
                  FoldBody body) {
  ImplicitLocOpBuilder &b = l.builder();
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::reduction);
  SmallVector<AffineExpr> places;
  for (unsigned index : kept) {
    iterators[index] = utils::IteratorType::parallel;
    places.push_back(loop(index));
  }
  AffineMap result = AffineMap::get(sizes.size(), 0, places, b.getContext());
  size_t numRead = values.size();
  addShape(result);
  maps.push_back(result);
  auto generic = linalg::GenericOp::create(
      b, TypeRange(target.getType()), values, ValueRange(target), maps,
      iterators, [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inner(loc, nested);
        SmallVector<Value> numbers;
        for (size_t i = 0; i < numRead; ++i)
          numbers.push_back(llvm::is_contained(rawIndices, i)
                                ? elements[i]
                                : convertNumber(inner, elements[i], compute));
        Formula formula(inner, compute);
        Value outcome = body(formula, elements.back(), numbers);
        linalg::YieldOp::create(inner, outcome);
      });
  return generic.getResult(0);
}

Value Nest::map(Type compute, Type element, MapBody body) {
  return build(firstLoops(sizes.size()), l.empty(sizes, element), compute,
               [&](Formula &f, Value, ValueRange in) {
                 return convertNumber(f.builder(), body(f, in), element);
               });
}

static SmallVector<OpFoldResult> pick(ArrayRef<OpFoldResult> sizes,
                                      ArrayRef<unsigned> loops) {
  SmallVector<OpFoldResult> picked;
  for (unsigned loop : loops)
    picked.push_back(sizes[loop]);
  return picked;
}

Value Nest::fold(ArrayRef<unsigned> kept, Type compute,
                 function_ref<Value(Formula &)> start, FoldBody body) {
  Formula outer(l.builder(), compute);
  Value target = l.filled(pick(sizes, kept), start(outer));
  return build(kept, target, compute, body);
}

Value Nest::sum(ArrayRef<unsigned> kept, Type compute, MapBody term) {
  ImplicitLocOpBuilder &b = l.builder();
  Type wide =
      isa<FloatType>(compute) ? Type(b.getF64Type()) : Type(b.getI64Type());
  Formula outer(b, wide);
  Value target = l.filled(pick(sizes, kept), outer.integer(0));
  return build(
      kept, target, compute, [&](Formula &f, Value total, ValueRange in) {
        Formula sum(f.builder(), wide);
        return sum.add(total, convertNumber(f.builder(), term(f, in), wide));
      });
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

RankedTensorType titan::getTensorType(Operation *op, StringRef name) {
  Value value = CallView(op).getValue(name);
  return value ? dyn_cast<RankedTensorType>(value.getType())
               : RankedTensorType();
}

bool titan::isAllStatic(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

bool titan::areLiterals(Operation *op, ArrayRef<StringRef> names) {
  CallView call(op);
  return llvm::all_of(names, [&](StringRef name) {
    std::optional<unsigned> index = call.find(name);
    return !index || call.getOperands(*index).empty();
  });
}

FailureOr<Value> titan::fitResult(Lowering &l, Value value, unsigned index) {
  RankedTensorType type = l.resultType(index);
  Value result = l.reshape(l.castElements(value, type.getElementType()), type);
  if (!result)
    return failure();
  return result;
}

Lowered titan::fitResults(Lowering &l, ArrayRef<Value> values) {
  SmallVector<Value> results;
  for (unsigned i = 0; i < l.operation()->getNumResults(); ++i) {
    FailureOr<Value> result = fitResult(l, values[i], i);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}
