// Tensors made from nothing: one op for constants, one for sequences.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

static void makeFull(Decomposer &d, CallArgument sizes, CallArgument value) {
  RankedTensorType type = d.getResultType();
  if (!type)
    return;
  d.replace(d.emit("aten.full",
                   {{"", sizes},
                    {"", value},
                    {"dtype", d.dtype(type.getElementType())},
                    {"device", d.device(d.getOperation()->getResult(0))}},
                   type));
}

template <int64_t value>
static void decomposeSized(Decomposer &d) {
  makeFull(d, d.getArgument("size"), d.integer(value));
}

// The sizes of an unknown shape would have to be read from the operand.
static void makeLike(Decomposer &d, CallArgument value) {
  RankedTensorType type = d.getResultType();
  if (!type || !type.hasStaticShape())
    return d.giveUp();
  makeFull(d, d.list(type.getShape()), value);
}

template <int64_t value>
static void decomposeLike(Decomposer &d) {
  makeLike(d, d.integer(value));
}

static void decomposeFullLike(Decomposer &d) {
  makeLike(d, d.getArgument("fill_value"));
}

static void decomposeNewFull(Decomposer &d) {
  makeFull(d, d.getArgument("size"), d.getArgument("fill_value"));
}

// Whole numbers alone: their count needs no rounding.
static void decomposeArange(Decomposer &d) {
  RankedTensorType type = d.getResultType();
  const CallView &call = d.getCall();
  std::optional<int64_t> end = call.getInt("end");
  int64_t start = call.getInt("start").value_or(0);
  int64_t step = call.getInt("step").value_or(1);
  bool isWhole = end && type && type.getElementType().isInteger() &&
                 type.hasStaticShape() &&
                 !isa_and_nonnull<FloatAttr>(call.getAttribute(0));
  if (!isWhole || d.getOptionalOperand("start") || d.getOptionalOperand("step"))
    return d.giveUp();
  d.replace(d.emit("prims.iota",
                   {{"", d.integer(type.getDimSize(0))},
                    {"start", d.integer(start)},
                    {"step", d.integer(step)},
                    {"dtype", d.dtype(type.getElementType())},
                    {"device", d.device(d.getOperation()->getResult(0))},
                    {"requires_grad", d.flag(false)}},
                   type));
}

void titan::populateCreationDecompositions(DecompositionTable &table) {
  table["aten.zeros"] = decomposeSized<0>;
  table["aten.ones"] = decomposeSized<1>;
  table["aten.new_zeros"] = decomposeSized<0>;
  table["aten.new_ones"] = decomposeSized<1>;
  table["aten.zeros_like"] = decomposeLike<0>;
  table["aten.ones_like"] = decomposeLike<1>;
  table["aten.full_like"] = decomposeFullLike;
  table["aten.new_full"] = decomposeNewFull;
  table["aten.arange"] = decomposeArange;
  table["aten.arange.start"] = decomposeArange;
  table["aten.arange.start_step"] = decomposeArange;
}
