// Views: every transposition is a permute, every change of shape a view.
#include "Decomposer.h"

#include <numeric>

using namespace mlir;
using namespace mlir::titan;

static void permute(Decomposer &d, ArrayRef<int64_t> dims) {
  Value self = d.getOperand("self");
  RankedTensorType type = d.getResultType();
  d.replace(d.emit("aten.permute", {{"", self}, {"", d.list(dims)}}, type));
}

static void decomposeT(Decomposer &d) {
  RankedTensorType type = d.getResultType();
  if (!type || type.getRank() != 2)
    return d.giveUp();
  permute(d, {1, 0});
}

static void decomposeTranspose(Decomposer &d) {
  RankedTensorType type = d.getResultType();
  std::optional<int64_t> a = d.getCall().getInt("dim0");
  std::optional<int64_t> b = d.getCall().getInt("dim1");
  if (!type || type.getRank() == 0 || !a || !b)
    return d.giveUp();
  SmallVector<int64_t> dims(type.getRank());
  std::iota(dims.begin(), dims.end(), 0);
  auto wrap = [&](int64_t dim) { return dim < 0 ? dim + type.getRank() : dim; };
  std::swap(dims[wrap(*a)], dims[wrap(*b)]);
  permute(d, dims);
}

static void decomposeToView(Decomposer &d, StringRef sizes) {
  Value self = d.getOperand("self");
  d.replace(d.emit("aten.view", {{"", self}, {"", d.getArgument(sizes)}},
                   d.getOperation()->getResult(0).getType()));
}

static void decomposeUnsafeView(Decomposer &d) { decomposeToView(d, "size"); }

// A reshape of what does not lie in one piece may copy: it stays.
static void decomposeReshape(Decomposer &d) {
  Value self = d.getOperand("self");
  if (!self)
    return;
  if (LayoutAttr layout = getLayout(self); layout && layout.getStrides())
    return d.giveUp();
  decomposeToView(d, "shape");
}

static void decomposeDetach(Decomposer &d) {
  d.replace(d.make("alias", d.getOperand("self")));
}

static void decomposeStack(Decomposer &d) {
  SmallVector<Value> tensors = d.getCall().getValues("tensors");
  RankedTensorType type = d.getResultType();
  std::optional<int64_t> dim = d.getCall().getInt("dim");
  if (!type || !dim || tensors.empty())
    return d.giveUp();
  int64_t position = *dim < 0 ? *dim + type.getRank() : *dim;
  SmallVector<CallArgument> parts;
  for (Value tensor : tensors) {
    auto partType = dyn_cast<RankedTensorType>(tensor.getType());
    if (!partType)
      return d.giveUp();
    SmallVector<int64_t> shape(partType.getShape());
    shape.insert(shape.begin() + position, 1);
    parts.push_back(d.emit("aten.unsqueeze",
                           {{"", tensor}, {"", d.integer(position)}},
                           partType.clone(shape)));
  }
  d.replace(d.emit("aten.cat",
                   {{"", d.values(parts)}, {"", d.integer(position)}}, type));
}

void titan::populateViewDecompositions(DecompositionTable &table) {
  table["aten.t"] = decomposeT;
  table["aten.transpose.int"] = decomposeTranspose;
  table["aten._unsafe_view"] = decomposeUnsafeView;
  table["aten.reshape"] = decomposeReshape;
  table["aten.detach"] = decomposeDetach;
  table["aten.stack"] = decomposeStack;
}
