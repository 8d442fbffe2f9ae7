// Gradients of what picks elements: of lookups, slices and selections.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

static Value makeZeros(Decomposer &d, CallArgument sizes, RankedTensorType type,
                       Value like) {
  return d.emit("aten.full",
                {{"", sizes},
                 {"", d.integer(0)},
                 {"dtype", d.dtype(type.getElementType())},
                 {"device", d.device(like)}},
                type);
}

// Rows of indices out of range, and of the padding index, get nothing.
static Value makeMask(Decomposer &d, Value indices, int64_t numWeights,
                      int64_t padding) {
  Value isAbove = d.compare("ge.Scalar", indices, d.integer(0));
  Value isBelow = d.compare("lt.Scalar", indices, d.integer(numWeights));
  Value isInRange = d.make("bitwise_and.Tensor", isAbove, isBelow);
  Value isNoPadding = d.compare("ne.Scalar", indices, d.integer(padding));
  return d.make("bitwise_and.Tensor", isInRange, isNoPadding);
}

static void decomposeEmbeddingBackward(Decomposer &d) {
  Value grad = d.getOperand("grad_output");
  Value indices = d.getOperand("indices");
  RankedTensorType type = d.getResultType();
  std::optional<int64_t> numWeights = d.getCall().getInt("num_weights");
  std::optional<int64_t> padding = d.getCall().getInt("padding_idx");
  if (!grad || !indices || !type || !type.hasStaticShape() || !numWeights ||
      !padding || d.getCall().getBool("scale_grad_by_freq", false))
    return d.giveUp();
  Value mask = makeMask(d, indices, *numWeights, *padding);
  if (!mask)
    return d.giveUp();
  auto maskType = cast<RankedTensorType>(mask.getType());
  SmallVector<int64_t> shape(maskType.getShape());
  shape.push_back(1);
  Value column = d.emit("aten.unsqueeze", {{"", mask}, {"", d.integer(-1)}},
                        maskType.clone(shape));
  // Half precision would lose what it sums.
  Value wide = d.widen(grad);
  if (!wide)
    return d.giveUp();
  auto wideType = type.clone(getElementTypeOrSelf(wide.getType()));
  Value zeros = makeZeros(d, d.list(type.getShape()), wideType, grad);
  Value sums =
      d.emit("aten._unsafe_masked_index_put_accumulate",
             {{"", zeros}, {"", column}, {"", d.values({indices})}, {"", wide}},
             wideType);
  d.replace(d.narrow(sums));
}

static void decomposeSliceBackward(Decomposer &d) {
  Value grad = d.getOperand("grad_output");
  RankedTensorType type = d.getResultType();
  if (!grad || !type)
    return d.giveUp();
  Value zeros = makeZeros(d, d.getArgument("input_sizes"), type, grad);
  d.replace(d.emit("aten.slice_scatter",
                   {{"", zeros},
                    {"", grad},
                    {"", d.getArgument("dim")},
                    {"", d.getArgument("start")},
                    {"", d.getArgument("end")},
                    {"", d.getArgument("step")}},
                   type));
}

static void decomposeSelectBackward(Decomposer &d) {
  Value grad = d.getOperand("grad_output");
  RankedTensorType type = d.getResultType();
  if (!grad || !type)
    return d.giveUp();
  Value zeros = makeZeros(d, d.getArgument("input_sizes"), type, grad);
  d.replace(d.emit("aten.select_scatter",
                   {{"", zeros},
                    {"", grad},
                    {"", d.getArgument("dim")},
                    {"", d.getArgument("index")}},
                   type));
}

void titan::populateIndexDecompositions(DecompositionTable &table) {
  table["aten.embedding_dense_backward"] = decomposeEmbeddingBackward;
  table["aten.slice_backward"] = decomposeSliceBackward;
  table["aten.select_backward"] = decomposeSelectBackward;
}
