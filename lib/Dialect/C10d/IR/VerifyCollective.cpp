// Collectives: dimension 0 is what the ranks share out or put together. The
// coalesced forms do the same to each tensor of a list.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// The tensors that are sent: `input`, the list `inputs`, or what is waited for.
static SmallVector<RankedTensorType> getSent(const TypeCheck &check) {
  SmallVector<RankedTensorType> types;
  for (StringRef name : {"input", "inputs", "tensor", "tensors"})
    for (Value value : check.getCall().getValues(name))
      types.push_back(dyn_cast<RankedTensorType>(value.getType()));
  return types;
}

static LogicalResult expectGroup(const TypeCheck &check) {
  const CallView &call = check.getCall();
  if (std::optional<int64_t> size = call.getInt("group_size");
      size && *size <= 0)
    return check.error() << "a positive group size, found " << *size;
  if (call.getString("group_name").empty())
    return check.error() << "the name of a group, found none";
  return success();
}

static LogicalResult expectReduceOp(const TypeCheck &check) {
  StringRef name = check.getCall().getString("reduce_op");
  if (llvm::is_contained({"sum", "avg", "mean", "product", "min", "max", "band",
                          "bor", "bxor"},
                         name.lower()) ||
      name.starts_with("premul_sum"))
    return success();
  return check.error() << "a reduction of 'sum', 'avg', 'product', 'min', "
                          "'max', 'band', 'bor' or 'bxor', found '"
                       << name << "'";
}

// Each result has the type of what was sent, dimension 0 changed by `change`,
// which fails with a message of its own.
static LogicalResult
expectEach(const TypeCheck &check,
           llvm::function_ref<FailureOr<int64_t>(int64_t)> change) {
  for (auto [index, type] : llvm::enumerate(getSent(check))) {
    if (!type)
      continue;
    Shape shape(type.getShape());
    // A scalar is gathered as one element.
    if (shape.empty())
      shape.push_back(1);
    if (!ShapedType::isDynamic(shape[0])) {
      FailureOr<int64_t> size = change(shape[0]);
      if (failed(size))
        return failure();
      shape[0] = *size;
    }
    if (failed(check.expectType(index, shape, type.getElementType())))
      return failure();
  }
  return success();
}

LogicalResult c10d::verifyAllGather(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGroup(check)))
    return failure();
  int64_t ranks = check.getInt("group_size").value_or(1);
  return expectEach(
      check, [&](int64_t size) -> FailureOr<int64_t> { return size * ranks; });
}

LogicalResult c10d::verifyReduceScatter(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGroup(check)) || failed(expectReduceOp(check)))
    return failure();
  int64_t ranks = check.getInt("group_size").value_or(1);
  return expectEach(check, [&](int64_t size) -> FailureOr<int64_t> {
    if (size % ranks) {
      check.error() << "dimension 0 to divide by the group size " << ranks
                    << ", found " << size;
      return failure();
    }
    return size / ranks;
  });
}

// Every rank gets the type that it sends.
static LogicalResult expectSent(const TypeCheck &check) {
  for (auto [index, type] : llvm::enumerate(getSent(check)))
    if (failed(check.expectLike(index, type)))
      return failure();
  return success();
}

LogicalResult c10d::verifyAllReduce(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGroup(check)) || failed(expectReduceOp(check)))
    return failure();
  return expectSent(check);
}

LogicalResult c10d::verifyBroadcast(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGroup(check)))
    return failure();
  if (std::optional<int64_t> source = check.getInt("src");
      source && *source < 0)
    return check.error() << "a rank as the source, found " << *source;
  return expectSent(check);
}

static int64_t sum(ArrayRef<int64_t> sizes) {
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return size;
    total += size;
  }
  return total;
}

// Splits are per rank; an empty list means equal shares.
LogicalResult c10d::verifyAllToAll(Operation *op) {
  TypeCheck check(op);
  if (failed(expectGroup(check)))
    return failure();
  RankedTensorType input = check.getTensor("input");
  auto sent = check.getInts("input_split_sizes");
  auto received = check.getInts("output_split_sizes");
  if (!input || !sent || !received || input.getRank() == 0)
    return success();
  if (!sent->empty() && !received->empty() && sent->size() != received->size())
    return check.error() << "as many output splits as input splits, found "
                         << received->size() << " and " << sent->size();
  if (!sent->empty() && !agree(sum(*sent), input.getDimSize(0)))
    return check.error() << "input splits that add up to "
                         << input.getDimSize(0) << ", found " << sum(*sent);
  Shape shape(input.getShape());
  if (!received->empty())
    shape[0] = sum(*received);
  return check.expectType(0, shape, input.getElementType());
}

LogicalResult c10d::verifyWait(Operation *op) {
  return expectSent(TypeCheck(op));
}
