// The negative log-likelihood of classes, without weights.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

// at::Reduction
static constexpr int64_t kNone = 0;
static constexpr int64_t kMean = 1;

namespace {
struct NllLoss {
  Value self;
  Value target;
  RankedTensorType selfType;
  int64_t reduction;
  int64_t ignoreIndex;
};
} // namespace

// Only rows of class scores; a single row and weights are rare and stay.
static std::optional<NllLoss> getLoss(Decomposer &d) {
  Value self = d.getOperand("self");
  Value target = d.getOperand("target");
  std::optional<int64_t> reduction = d.getCall().getInt("reduction");
  std::optional<int64_t> ignoreIndex = d.getCall().getInt("ignore_index");
  auto type =
      self ? dyn_cast<RankedTensorType>(self.getType()) : RankedTensorType();
  if (!type || !target || type.getRank() != 2 || !reduction || !ignoreIndex ||
      d.getOptionalOperand("weight")) {
    d.giveUp();
    return std::nullopt;
  }
  return NllLoss{self, target, type, *reduction, *ignoreIndex};
}

static Value isCounted(Decomposer &d, const NllLoss &loss) {
  return d.compare("ne.Scalar", loss.target, d.integer(loss.ignoreIndex));
}

static Value makeColumn(Decomposer &d, Value value) {
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type) {
    d.giveUp();
    return {};
  }
  return d.emit("aten.unsqueeze", {{"", value}, {"", d.integer(1)}},
                type.clone({type.getDimSize(0), 1}));
}

// The target, with class 0 where it is to be ignored, so that it can be used as
// an index.
static Value makeSafeTarget(Decomposer &d, const NllLoss &loss) {
  Type integer = getElementTypeOrSelf(loss.target.getType());
  Value zero = d.constant(0, integer, loss.target);
  return makeColumn(d, d.select(isCounted(d, loss), loss.target, zero));
}

static Value sumAll(Decomposer &d, Value value, Type elementType) {
  return d.emit("aten.sum", {{"", value}},
                RankedTensorType::get({}, elementType));
}

static void decomposeNllLossForward(Decomposer &d) {
  std::optional<NllLoss> loss = getLoss(d);
  if (!loss)
    return;
  Type element = loss->selfType.getElementType();
  Value index = makeSafeTarget(d, *loss);
  RankedTensorType column =
      loss->selfType.clone({loss->selfType.getDimSize(0), 1});
  Value picked =
      d.emit("aten.gather", {{"", loss->self}, {"", d.integer(1)}, {"", index}},
             column);
  Value row = d.emit("aten.squeeze.dim", {{"", picked}, {"", d.integer(1)}},
                     column.clone({column.getDimSize(0)}));
  Value negated = d.make("neg", row);
  Value counted = isCounted(d, *loss);
  Value zero = d.constant(0, element, loss->self);
  Value each = d.select(counted, negated, zero);
  if (loss->reduction == kNone) {
    if (d.isUsed(1))
      return d.giveUp();
    return d.replace({each, Value()});
  }
  Type integer = OpBuilder(d.getOperation()).getI64Type();
  Value count = d.convert(sumAll(d, isCounted(d, *loss), integer), element);
  Value total = sumAll(d, each, element);
  if (loss->reduction == kMean)
    total = d.make("div.Tensor", total, count);
  d.replace({total, count});
}

static void decomposeNllLossBackward(Decomposer &d) {
  std::optional<NllLoss> loss = getLoss(d);
  Value grad = d.getOperand("grad_output");
  if (!loss || !grad)
    return;
  Type element = loss->selfType.getElementType();
  if (loss->reduction == kMean)
    grad = d.make("div.Tensor", grad, d.getOperand("total_weight"));
  Value index = makeSafeTarget(d, *loss);
  if (!loss->selfType.hasStaticShape())
    return d.giveUp();
  Value zeros = d.emit("aten.full",
                       {{"", d.list(loss->selfType.getShape())},
                        {"", d.integer(0)},
                        {"dtype", d.dtype(element)},
                        {"device", d.device(loss->self)}},
                       loss->selfType);
  Value marked = d.emit(
      "aten.scatter.value",
      {{"", zeros}, {"", d.integer(1)}, {"", index}, {"", d.number(-1.0)}},
      loss->selfType);
  if (loss->reduction == kNone)
    grad = makeColumn(d, grad);
  Value counted = makeColumn(d, isCounted(d, *loss));
  Value rows = d.select(counted, grad, d.constant(0, element, loss->self));
  d.replace(d.make("mul.Tensor", marked, rows));
}

void titan::populateLossDecompositions(DecompositionTable &table) {
  table["aten.nll_loss_forward"] = decomposeNllLossForward;
  table["aten.nll_loss_backward"] = decomposeNllLossBackward;
}
