// Ops that fold dimensions away. Sums run in f64 and are rounded once, so that
// their order does not show.
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// Which dimensions of `self` are folded.
struct Fold {
  TypedValue<RankedTensorType> source;
  SmallVector<bool> folded;
  /// How many elements one result is made of.
  int64_t count = 1;
};
} // namespace

static Fold getFold(Lowering &l) {
  Fold fold{l.tensor("self"), {}, 1};
  int64_t rank = fold.source.getType().getRank();
  SmallVector<int64_t> dims =
      l.call().getInts("dim").value_or(SmallVector<int64_t>());
  if (std::optional<int64_t> dim = l.call().getInt("dim"))
    dims = {*dim};
  fold.folded.assign(rank, dims.empty());
  for (int64_t dim : dims)
    if (rank > 0)
      fold.folded[dim < 0 ? dim + rank : dim] = true;
  for (int64_t i = 0; i < rank; ++i)
    if (fold.folded[i])
      fold.count *= fold.source.getType().getDimSize(i);
  return fold;
}

// Folds the elements, converted to \p type, onto \p start; the result has the
// dimensions that are left.
static Value reduce(Lowering &l, const Fold &fold, Type type,
                    function_ref<Value(Formula &)> start,
                    function_ref<Value(Formula &, Value, Value)> combine) {
  ImplicitLocOpBuilder &b = l.builder();
  unsigned rank = fold.folded.size();
  SmallVector<OpFoldResult> from = l.sizesOf(fold.source), sizes;
  SmallVector<AffineExpr> places;
  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0; i < rank; ++i) {
    iterators.push_back(fold.folded[i] ? utils::IteratorType::reduction
                                       : utils::IteratorType::parallel);
    if (fold.folded[i])
      continue;
    sizes.push_back(from[i]);
    places.push_back(b.getAffineDimExpr(i));
  }
  Formula outer(b, type);
  Value target = l.filled(sizes, start(outer));
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, places, b.getContext())};
  return linalg::GenericOp::create(
             b, TypeRange(target.getType()), ValueRange(fold.source),
             ValueRange(target), maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange elements) {
               ImplicitLocOpBuilder inner(loc, nested);
               Formula f(inner, type);
               Value element = convertNumber(inner, elements[0], type);
               linalg::YieldOp::create(inner, combine(f, elements[1], element));
             })
      .getResult(0);
}

// Brings what is left into the shape of the result: `keepdim` keeps ones.
static FailureOr<SmallVector<Value>> finish(Lowering &l, Value value) {
  Value result = l.reshape(value, l.resultType());
  if (!result)
    return failure();
  return SmallVector<Value>{result};
}

// f64 for floats, i64 for integers.
static Type getSumType(Lowering &l) {
  ImplicitLocOpBuilder &b = l.builder();
  return isa<FloatType>(l.resultElementType()) ? Type(b.getF64Type())
                                               : Type(b.getI64Type());
}

static FailureOr<SmallVector<Value>> lowerSum(Lowering &l, bool isMean) {
  Fold fold = getFold(l);
  Value total = reduce(
      l, fold, getSumType(l), [](Formula &f) { return f.integer(0); },
      [](Formula &f, Value a, Value c) { return f.add(a, c); });
  Value rounded = l.map({total}, getSumType(l), l.resultElementType(),
                        [&](Formula &f, ValueRange in) -> Value {
                          if (!isMean)
                            return in[0];
                          return f.div(in[0], f.integer(fold.count));
                        });
  return finish(l, rounded);
}

static FailureOr<SmallVector<Value>> lowerProduct(Lowering &l) {
  Value total = reduce(
      l, getFold(l), getSumType(l), [](Formula &f) { return f.integer(1); },
      [](Formula &f, Value a, Value c) { return f.mul(a, c); });
  return finish(l, l.castElements(total, l.resultElementType()));
}

static Value getLeast(Formula &f) {
  if (f.isFloat())
    return f.infinity(/*isNegative=*/true);
  APInt least = APInt::getSignedMinValue(f.getType().getIntOrFloatBitWidth());
  return arith::ConstantOp::create(f.builder(),
                                   IntegerAttr::get(f.getType(), least));
}

static Value getGreatest(Formula &f) {
  if (f.isFloat())
    return f.infinity();
  APInt most = APInt::getSignedMaxValue(f.getType().getIntOrFloatBitWidth());
  return arith::ConstantOp::create(f.builder(),
                                   IntegerAttr::get(f.getType(), most));
}

static FailureOr<SmallVector<Value>> lowerExtreme(Lowering &l,
                                                  bool wantsGreatest) {
  Type type = getComputeType(l.resultElementType());
  Value extreme =
      reduce(l, getFold(l), type, wantsGreatest ? getLeast : getGreatest,
             [&](Formula &f, Value a, Value c) {
               return wantsGreatest ? f.maximum(a, c) : f.minimum(a, c);
             });
  return finish(l, l.castElements(extreme, l.resultElementType()));
}

static FailureOr<SmallVector<Value>> lowerTruth(Lowering &l, bool wantsAll) {
  Value truth = reduce(
      l, getFold(l), l.builder().getI1Type(),
      [&](Formula &f) { return f.integer(wantsAll); },
      [&](Formula &f, Value a, Value c) {
        return wantsAll ? f.both(a, c) : f.either(a, c);
      });
  return finish(l, l.castElements(truth, l.resultElementType()));
}

static bool isStaticFold(Operation *op) {
  Value self = CallView(op).getValue("self");
  auto type =
      self ? dyn_cast<RankedTensorType>(self.getType()) : RankedTensorType();
  return type && type.hasStaticShape() && op->getNumResults() == 1;
}

// The extreme of nothing is an error.
static bool isFoldOfSome(Operation *op) {
  return isStaticFold(op) &&
         cast<RankedTensorType>(CallView(op).getValue("self").getType())
                 .getNumElements() > 0;
}

void titan::addReductionLowerings(LoweringTable &table) {
  table.add(
      {"aten.sum", "aten.sum.dim_IntList"},
      [](Lowering &l) { return lowerSum(l, /*isMean=*/false); }, isStaticFold);
  table.add(
      {"aten.mean", "aten.mean.dim"},
      [](Lowering &l) { return lowerSum(l, /*isMean=*/true); },
      [](Operation *op) {
        return isStaticFold(op) && hasResultOf(NumberKinds::Floats)(op);
      });
  table.add({"aten.prod"}, lowerProduct, isStaticFold);
  table.add(
      {"aten.amax", "aten.max"},
      [](Lowering &l) { return lowerExtreme(l, true); }, isFoldOfSome);
  table.add(
      {"aten.amin", "aten.min"},
      [](Lowering &l) { return lowerExtreme(l, false); }, isFoldOfSome);
  table.add(
      {"aten.all"}, [](Lowering &l) { return lowerTruth(l, true); },
      isStaticFold);
  table.add(
      {"aten.any"}, [](Lowering &l) { return lowerTruth(l, false); },
      isStaticFold);
}
