// Casts, and arithmetic that is another op with its operands moved.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

// A copy within a device, in another type, is a cast. A copy that only changes
// the layout stays.
static void decomposeToCopy(Decomposer &d) {
  Value self = d.getOperand("self");
  RankedTensorType type = d.getResultType();
  StringRef format = d.getCall().getString("memory_format");
  bool keepsFormat = format.empty() || format == "preserve_format";
  bool keepsPinning = !d.getCall().getBool("pin_memory", false);
  if (!self || !type || !keepsFormat || !keepsPinning)
    return d.giveUp();
  StringRef target = d.getCall().getString("device");
  bool moves = !target.empty() && target != getDevice(self);
  Value value = self;
  // The smaller side converts: before a copy to the host, after one from it.
  if (moves && StringRef(target).starts_with("cpu"))
    value = d.convert(value, type.getElementType());
  if (moves && value) {
    bool isAsync = d.getCall().getBool("non_blocking", false);
    SmallVector<NamedCallArgument> arguments = {
        {"", value}, {"", d.device(d.getOperation()->getResult(0))}};
    if (isAsync)
      arguments.push_back({"", d.flag(true)});
    value = d.emit("prims.device_put", arguments, value.getType());
  }
  if (value)
    value = d.convert(value, type.getElementType());
  d.replace(value);
}

// other - alpha * self
static void decomposeRsub(Decomposer &d) {
  Value self = d.getOperand("self");
  CallArgument other = d.getArgument("other");
  if (d.getCall().getNumber("alpha") != 1.0)
    self = d.make("mul.Tensor", self, d.getArgument("alpha"));
  d.replace(d.make("sub.Tensor", other, self));
}

static void decomposeMaskedFill(Decomposer &d) {
  Value self = d.getOperand("self");
  Value mask = d.getOperand("mask");
  RankedTensorType type = d.getResultType();
  std::optional<double> value = d.getCall().getNumber("value");
  if (!self || !mask || !type || !value)
    return d.giveUp();
  Value filler = d.constant(*value, type.getElementType(), self);
  d.replace(d.select(mask, filler, self));
}

static void decomposeSquare(Decomposer &d) {
  d.replace(d.make("pow.Tensor_Scalar", d.getOperand("self"), d.integer(2)));
}

// A product of a matrix with the transpose of the weight.
static void decomposeLinear(Decomposer &d) {
  Value input = d.getOperand("input");
  Value weight = d.getOperand("weight");
  RankedTensorType type = d.getResultType();
  if (!input || !weight || !type || type.getRank() != 2)
    return d.giveUp();
  auto weightType = cast<RankedTensorType>(weight.getType());
  if (weightType.getRank() != 2)
    return d.giveUp();
  Value transposed = d.emit(
      "aten.permute", {{"", weight}, {"", d.list({1, 0})}},
      weightType.clone({weightType.getDimSize(1), weightType.getDimSize(0)}));
  if (Value bias = d.getOptionalOperand("bias"))
    return d.replace(d.emit("aten.addmm",
                            {{"", bias}, {"", input}, {"", transposed}}, type));
  d.replace(d.emit("aten.mm", {{"", input}, {"", transposed}}, type));
}

void titan::populateArithmeticDecompositions(DecompositionTable &table) {
  table["aten._to_copy"] = decomposeToCopy;
  table["aten.rsub.Scalar"] = decomposeRsub;
  table["aten.rsub.Tensor"] = decomposeRsub;
  table["aten.masked_fill.Scalar"] = decomposeMaskedFill;
  table["aten.square"] = decomposeSquare;
  table["aten.linear"] = decomposeLinear;
}
