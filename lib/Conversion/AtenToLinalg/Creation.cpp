// Tensors made from nothing: filled with one number, or with a sequence.
#include "Elementwise.h"

using namespace mlir;
using namespace mlir::titan;

// All of them have sizes that the type tells, or are left to who knows more.
static bool hasStaticResult(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
}

static SmallVector<OpFoldResult> getResultSizes(Lowering &l) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : l.resultType().getShape())
    sizes.push_back(l.builder().getIndexAttr(size));
  return sizes;
}

static FailureOr<SmallVector<Value>> lowerConstant(Lowering &l, double value) {
  Formula f(l.builder(), l.resultElementType());
  return SmallVector<Value>{l.filled(getResultSizes(l), f.number(value))};
}

static FailureOr<SmallVector<Value>> lowerFull(Lowering &l, StringRef name) {
  Operand operand = l.operand(name);
  Type element = l.resultElementType();
  if (auto literal = dyn_cast_if_present<Attribute>(operand))
    return SmallVector<Value>{l.filled(
        getResultSizes(l), makeLiteral(l.builder(), literal, element))};
  Value number = dyn_cast_if_present<Value>(operand);
  if (!number)
    return failure();
  if (isa<RankedTensorType>(number.getType()))
    number = tensor::ExtractOp::create(l.builder(), number, ValueRange());
  return SmallVector<Value>{
      l.filled(getResultSizes(l), convertNumber(l.builder(), number, element))};
}

// start + i * step, in the type of the result; of floats in f64.
static FailureOr<SmallVector<Value>> lowerSequence(Lowering &l) {
  ImplicitLocOpBuilder &b = l.builder();
  Type element = l.resultElementType();
  Type compute =
      isa<FloatType>(element) ? Type(b.getF64Type()) : getComputeType(element);
  double start = getLiteral(l.operand("start")).value_or(0);
  double step = getLiteral(l.operand("step")).value_or(1);
  Value target = l.empty(getResultSizes(l), element);
  auto generic = linalg::GenericOp::create(
      b, TypeRange(target.getType()), ValueRange(), ValueRange(target),
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(1)},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, nested);
        Value index = linalg::IndexOp::create(inner, 0);
        Formula f(inner, compute);
        Value place =
            f.mul(convertNumber(inner, index, compute), f.number(step));
        Value value = f.add(f.number(start), place);
        linalg::YieldOp::create(inner, convertNumber(inner, value, element));
      });
  return SmallVector<Value>{generic.getResult(0)};
}

static bool hasLiteralSequence(Operation *op) {
  CallView call(op);
  for (StringRef name : {"start", "step", "end", "length"})
    if (std::optional<unsigned> index = call.find(name))
      if (call.getOperand(*index))
        return false;
  return hasStaticResult(op) &&
         cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 1;
}

void titan::addCreationLowerings(LoweringTable &table) {
  for (StringRef name : {"aten.zeros", "aten.zeros_like", "aten.new_zeros",
                         "aten.empty", "aten.empty_like", "aten.new_empty",
                         "aten.empty_strided", "aten.new_empty_strided"})
    table.add(
        {name}, [](Lowering &l) { return lowerConstant(l, 0); },
        hasStaticResult);
  for (StringRef name : {"aten.ones", "aten.ones_like", "aten.new_ones"})
    table.add(
        {name}, [](Lowering &l) { return lowerConstant(l, 1); },
        hasStaticResult);
  for (StringRef name : {"aten.full", "aten.full_like", "aten.new_full"})
    table.add(
        {name}, [](Lowering &l) { return lowerFull(l, "fill_value"); },
        hasStaticResult);
  table.add(
      {"aten.fill"}, [](Lowering &l) { return lowerFull(l, "value"); },
      hasStaticResult);
  table.add(
      {"aten.scalar_tensor"}, [](Lowering &l) { return lowerFull(l, "s"); },
      hasStaticResult);
  table.add({"aten.arange", "prims.iota"}, lowerSequence, hasLiteralSequence);
}
