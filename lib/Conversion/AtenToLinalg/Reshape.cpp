// Views that keep the order of the elements.
#include "Lowering.h"

using namespace mlir;
using namespace mlir::titan;

static FailureOr<SmallVector<Value>> lowerReshape(Lowering &l) {
  Value result = l.reshape(l.tensor("self"), l.resultType());
  if (!result)
    return failure();
  return SmallVector<Value>{result};
}

static bool isFactorable(Operation *op) {
  Value self = CallView(op).getValue("self");
  auto from =
      self ? dyn_cast<RankedTensorType>(self.getType()) : RankedTensorType();
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  return from && from.getElementType() == to.getElementType() &&
         ((from.hasStaticShape() && to.hasStaticShape()) || from == to);
}

void titan::addReshapeLowerings(LoweringTable &table) {
  table.add({"aten.view", "aten.reshape", "aten._unsafe_view",
             "aten._reshape_alias", "aten.view_copy", "aten.flatten",
             "aten.unflatten", "aten.squeeze", "aten.unsqueeze"},
            lowerReshape, isFactorable);
  // Reads the elements as another type.
  table.add({"aten.view.dtype"}, lowerReshape, [](Operation *op) {
    return CallView(op).getValue("self").getType() ==
           op->getResult(0).getType();
  });
}
