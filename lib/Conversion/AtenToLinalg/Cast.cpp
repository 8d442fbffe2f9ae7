// Ops that give the elements of a tensor again, in its own or another type.
#include "Lowering.h"

using namespace mlir;
using namespace mlir::titan;

static FailureOr<SmallVector<Value>> lowerCast(Lowering &l, StringRef name) {
  Value source = l.tensor(name);
  if (!source)
    return failure();
  return SmallVector<Value>{l.castElements(source, l.resultElementType())};
}

static std::function<bool(Operation *)> hasTensor(StringRef name) {
  return [name](Operation *op) {
    Value source = CallView(op).getValue(name);
    auto type = source ? dyn_cast<RankedTensorType>(source.getType())
                       : RankedTensorType();
    return type && op->getNumResults() == 1 &&
           type.getShape() ==
               cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  };
}

// Broadcast to the shape of self.
static FailureOr<SmallVector<Value>> lowerCopy(Lowering &l) {
  Operand operands[] = {l.operand("self"), l.operand("src")};
  Type element = l.resultElementType();
  return SmallVector<Value>{
      l.map(operands,
            cast<RankedTensorType>(l.tensor("src").getType()).getElementType(),
            element, [](Formula &, ValueRange in) { return in[1]; })};
}

void titan::addCastLowerings(LoweringTable &table) {
  for (StringRef name :
       {"aten._to_copy", "aten.to", "aten.clone", "aten.contiguous",
        "aten.detach", "aten.alias", "aten.lift_fresh_copy", "aten.lift_fresh",
        "aten.type_as", "aten.resolve_conj", "aten.resolve_neg"})
    table.add(
        {name}, [](Lowering &l) { return lowerCast(l, "self"); },
        hasTensor("self"));
  for (StringRef name : {"prims.convert_element_type", "prims.clone",
                         "prims.view_of", "prims.device_put"})
    table.add(
        {name}, [](Lowering &l) { return lowerCast(l, "a"); }, hasTensor("a"));
  table.add({"aten.copy"}, lowerCopy, [](Operation *op) {
    CallView call(op);
    auto isTensor = [&](StringRef name) {
      Value value = call.getValue(name);
      return value && isa<RankedTensorType>(value.getType());
    };
    return isTensor("self") && isTensor("src");
  });
}
