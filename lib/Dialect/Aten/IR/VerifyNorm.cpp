// Normalisation, losses and attention.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// The last dimensions of `input` are `normalized_shape`, and so are those of
// the weight and the bias. Gives the number of the dimensions before.
static FailureOr<int64_t> expectNormalized(const TypeCheck &check,
                                           RankedTensorType input) {
  auto shape = check.getInts("normalized_shape");
  if (!shape)
    return input.getRank();
  int64_t outer = input.getRank() - shape->size();
  if (outer < 0 || !agree(input.getShape().drop_front(outer), *shape)) {
    check.error() << "'input' to end in dimensions " << formatShape(*shape)
                  << ", found " << input;
    return failure();
  }
  for (StringRef name : {"weight", "bias"})
    if (RankedTensorType type = check.getTensor(name);
        type && !agree(type.getShape(), *shape)) {
      check.error() << "'" << name << "' of shape " << formatShape(*shape)
                    << ", found " << type;
      return failure();
    }
  return outer;
}

// The statistics keep the outer dimensions; the others are 1.
static LogicalResult expectStatistics(const TypeCheck &check,
                                      RankedTensorType input, int64_t outer,
                                      unsigned first, unsigned last) {
  Shape shape(input.getShape().take_front(outer));
  shape.append(input.getRank() - outer, 1);
  for (unsigned result = first; result <= last; ++result)
    if (failed(check.expectShape(result, shape)))
      return failure();
  return success();
}

LogicalResult aten::verifyLayerNorm(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  if (!input)
    return success();
  FailureOr<int64_t> outer = expectNormalized(check, input);
  if (failed(outer) || failed(check.expectLike(0, input)))
    return failure();
  return expectStatistics(check, input, *outer, 1, op->getNumResults() - 1);
}

LogicalResult aten::verifyNormBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  RankedTensorType grad = check.getTensor("grad_out");
  if (input && grad && !agree(input.getShape(), grad.getShape()))
    return check.error() << "'grad_out' of shape "
                         << formatShape(input.getShape())
                         << " as 'input', found " << grad;
  if (input && check.getCall().find("normalized_shape") &&
      failed(expectNormalized(check, input)))
    return failure();
  const CallView &call = check.getCall();
  std::optional<unsigned> index = call.find("output_mask");
  auto mask =
      index ? dyn_cast_or_null<DenseBoolArrayAttr>(call.getAttribute(*index))
            : DenseBoolArrayAttr();
  bool wanted = !mask || mask.empty() || mask[0];
  return input && wanted ? check.expectShape(0, input.getShape()) : success();
}

LogicalResult aten::verifyGroupNorm(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  if (!input)
    return success();
  std::optional<int64_t> groups = check.getInt("group");
  int64_t channels = input.getRank() > 1 ? input.getDimSize(1) : 1;
  if (groups && (*groups <= 0 ||
                 (!ShapedType::isDynamic(channels) && channels % *groups)))
    return check.error() << "a number of groups that divides " << channels
                         << " channels, found " << *groups;
  if (failed(check.expectLike(0, input)))
    return failure();
  Shape statistics = {check.getInt("N").value_or(ShapedType::kDynamic),
                      groups.value_or(ShapedType::kDynamic)};
  for (unsigned result : {1, 2})
    if (failed(check.expectShape(result, statistics)))
      return failure();
  return success();
}

// What stands for one number a channel.
LogicalResult aten::verifyBatchNorm(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  if (!input)
    return success();
  if (input.getRank() < 2)
    return check.error() << "'input' to have 2 dimensions or more, found "
                         << input;
  Shape channels = {input.getDimSize(1)};
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (RankedTensorType type = check.getTensor(name);
        type && !agree(type.getShape(), channels))
      return check.error() << "'" << name << "' of shape "
                           << formatShape(channels) << ", found " << type;
  return check.expectLike(0, input);
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static LogicalResult expectReduction(const TypeCheck &check) {
  std::optional<int64_t> reduction = check.getInt("reduction");
  if (reduction && (*reduction < 0 || *reduction > 2))
    return check.error() << "a reduction of 0 (none), 1 (mean) or 2 (sum), "
                         << "found " << *reduction;
  return success();
}

// `self` against `target`, element by element.
LogicalResult aten::verifyLoss(Operation *op) {
  TypeCheck check(op);
  FailureOr<std::optional<Shape>> shape =
      check.broadcastArguments({"self", "target"});
  if (failed(shape) || failed(expectReduction(check)))
    return failure();
  if (!*shape)
    return success();
  bool reduces = check.getInt("reduction").value_or(0) != 0;
  return check.expectShape(0, reduces ? ArrayRef<int64_t>() : **shape);
}

LogicalResult aten::verifyLossBackward(Operation *op) {
  TypeCheck check(op);
  FailureOr<std::optional<Shape>> shape =
      check.broadcastArguments({"self", "target"});
  if (failed(shape) || failed(expectReduction(check)))
    return failure();
  return *shape ? check.expectShape(0, **shape) : success();
}

// `self` holds the classes in dimension 1 of a batch, else in dimension 0;
// `target` is without that dimension.
static LogicalResult expectTarget(const TypeCheck &check,
                                  RankedTensorType self) {
  RankedTensorType target = check.getTensor("target");
  if (!target)
    return success();
  Shape shape(self.getShape());
  if (shape.empty())
    return check.error() << "'self' to have 1 dimension or more, found "
                         << self;
  shape.erase(shape.begin() + (shape.size() == 1 ? 0 : 1));
  if (!agree(target.getShape(), shape))
    return check.error() << "'target' of shape " << formatShape(shape)
                         << ", found " << target;
  return success();
}

LogicalResult aten::verifyNllLoss(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (failed(expectTarget(check, self)) || failed(expectReduction(check)))
    return failure();
  if (check.getInt("reduction").value_or(0) != 0 &&
      failed(check.expectShape(0, {})))
    return failure();
  return check.expectType(1, {}, self.getElementType());
}

LogicalResult aten::verifyNllLossBackward(Operation *op) {
  TypeCheck check(op);
  RankedTensorType self = check.getTensor("self");
  if (!self)
    return success();
  if (failed(expectTarget(check, self)) || failed(expectReduction(check)))
    return failure();
  return check.expectLike(0, self);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// Whether the op is one of the kernels below scaled_dot_product_attention; they
// alone can be limited to a window.
static bool isKernel(const TypeCheck &check) {
  const CallView &call = check.getCall();
  return call.find("window_size") || call.find("window_size_left");
}

// The ranks of queries that the schema's op takes. The kernels take packed
// sequences without a batch too; the decomposed form (which can be given its
// dropout mask) any number of batches.
static LogicalResult expectQueryRank(const TypeCheck &check, int64_t rank) {
  if (isKernel(check)) {
    if (rank == 3 || rank == 4)
      return success();
    return check.error() << "'query' to have 3 or 4 dimensions, found "
                         << check.getTensor("query");
  }
  if (!check.getCall().find("dropout_mask"))
    return check.expectRank("query", 4);
  if (rank >= 2)
    return success();
  return check.error() << "'query' to have at least 2 dimensions, found "
                       << check.getTensor("query");
}

// Query, key and value of shape [batch, heads, length, size] (the kernels:
// [batch, length, heads, size]), with fewer heads in key and value where
// queries share them.
static LogicalResult expectHeads(const TypeCheck &check) {
  RankedTensorType query = check.getTensor("query");
  RankedTensorType key = check.getTensor("key");
  RankedTensorType value = check.getTensor("value");
  if (!query || !key || !value)
    return success();
  int64_t rank = query.getRank();
  if (failed(expectQueryRank(check, rank)))
    return failure();
  for (StringRef name : {"key", "value"})
    if (failed(check.expectRank(name, rank)))
      return failure();
  if (failed(check.expectSameDtype("query", "key")) ||
      failed(check.expectSameDtype("query", "value")))
    return failure();
  if (!agree(query.getDimSize(rank - 1), key.getDimSize(rank - 1)))
    return check.error() << "'key' to have " << query.getDimSize(rank - 1)
                         << " elements a head as 'query', found "
                         << key.getDimSize(rank - 1);
  int64_t place = isKernel(check) ? rank - 3 : rank - 2;
  if (!agree(key.getDimSize(place), value.getDimSize(place)))
    return check.error() << "'value' to have " << key.getDimSize(place)
                         << " places as 'key', found "
                         << value.getDimSize(place);
  return success();
}

LogicalResult aten::verifyAttention(Operation *op) {
  TypeCheck check(op);
  RankedTensorType query = check.getTensor("query");
  RankedTensorType value = check.getTensor("value");
  if (failed(expectHeads(check)))
    return failure();
  if (!query || !value)
    return success();
  Shape shape(query.getShape());
  shape.back() = value.getShape().back();
  // The decomposed form multiplies with broadcast batches.
  RankedTensorType key = check.getTensor("key");
  if (key && check.getCall().find("dropout_mask"))
    for (int64_t i = 0; i + 2 < query.getRank(); ++i)
      if (shape[i] == 1)
        shape[i] =
            key.getDimSize(i) == 1 ? value.getDimSize(i) : key.getDimSize(i);
  return check.expectType(0, shape, query.getElementType());
}

// The first three results are the gradients of query, key and value.
LogicalResult aten::verifyAttentionBackward(Operation *op) {
  TypeCheck check(op);
  if (failed(expectHeads(check)))
    return failure();
  unsigned result = 0;
  for (StringRef name : {"query", "key", "value"})
    if (failed(check.expectLike(result++, check.getTensor(name))))
      return failure();
  return success();
}
