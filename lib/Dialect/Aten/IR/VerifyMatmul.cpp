// Matrix products.
#include "Verify.h"

using namespace mlir;
using namespace mlir::titan;

// The inner dimensions meet; the message names both operands.
static LogicalResult expectInner(const TypeCheck &check, StringRef left,
                                 int64_t leftSize, StringRef right,
                                 int64_t rightSize) {
  if (agree(leftSize, rightSize))
    return success();
  return check.error() << "the inner dimensions of '" << left << "' and '"
                       << right << "' to be the same, found " << leftSize
                       << " and " << rightSize;
}

// Rank 2 or 3 on both sides; gives the shape of the product.
static FailureOr<std::optional<Shape>> getProduct(const TypeCheck &check,
                                                  StringRef left,
                                                  StringRef right,
                                                  unsigned rank) {
  RankedTensorType a = check.getTensor(left), b = check.getTensor(right);
  if (!a || !b)
    return std::optional<Shape>();
  if (failed(check.expectRank(left, rank)) ||
      failed(check.expectRank(right, rank)) ||
      failed(check.expectSameDtype(left, right)) ||
      failed(expectInner(check, left, a.getDimSize(rank - 1), right,
                         b.getDimSize(rank - 2))))
    return failure();
  Shape shape(a.getShape().drop_back());
  if (rank == 3) {
    if (!agree(a.getDimSize(0), b.getDimSize(0))) {
      check.error() << "the batches of '" << left << "' and '" << right
                    << "' to be the same, found " << a.getDimSize(0) << " and "
                    << b.getDimSize(0);
      return failure();
    }
    if (ShapedType::isDynamic(shape[0]))
      shape[0] = b.getDimSize(0);
  }
  shape.push_back(b.getShape().back());
  return std::optional<Shape>(shape);
}

static LogicalResult verifyProduct(const TypeCheck &check, StringRef left,
                                   StringRef right, unsigned rank) {
  auto shape = getProduct(check, left, right, rank);
  if (failed(shape))
    return failure();
  if (!*shape)
    return success();
  // What is added is broadcast to the product.
  bool adds = left != "self";
  if (RankedTensorType self = check.getTensor("self"); self && adds) {
    std::optional<Shape> wider = broadcast(self.getShape(), **shape);
    if (!wider || !agree(*wider, **shape))
      return check.error() << "'self' to be broadcast to shape "
                           << formatShape(**shape) << ", found " << self;
    if (failed(check.expectSameDtype("self", left)))
      return failure();
  }
  return check.expectType(0, **shape, check.getTensor(left).getElementType());
}

LogicalResult aten::verifyMm(Operation *op) {
  return verifyProduct(TypeCheck(op), "self", "mat2", 2);
}

LogicalResult aten::verifyBmm(Operation *op) {
  return verifyProduct(TypeCheck(op), "self", "mat2", 3);
}

LogicalResult aten::verifyAddmm(Operation *op) {
  return verifyProduct(TypeCheck(op), "mat1", "mat2", 2);
}

LogicalResult aten::verifyBaddbmm(Operation *op) {
  return verifyProduct(TypeCheck(op), "batch1", "batch2", 3);
}

// Scales and the output's type are the caller's choice.
LogicalResult aten::verifyScaledMm(Operation *op) {
  TypeCheck check(op);
  RankedTensorType a = check.getTensor("self"), b = check.getTensor("mat2");
  if (!a || !b)
    return success();
  if (failed(check.expectRank("self", 2)) ||
      failed(check.expectRank("mat2", 2)) ||
      failed(expectInner(check, "self", a.getDimSize(1), "mat2",
                         b.getDimSize(0))) ||
      failed(check.expectShape(0, {a.getDimSize(0), b.getDimSize(1)})))
    return failure();
  return check.expectDtype(0, check.getCall().getDtype("out_dtype"));
}

// (2, 2): groups along the inner dimension; (2, 3) and (3, 2): along the rows
// or the columns; (3, 3): a batched product.
LogicalResult aten::verifyGroupedMm(Operation *op) {
  TypeCheck check(op);
  RankedTensorType a = check.getTensor("self"), b = check.getTensor("mat2");
  if (!a || !b)
    return success();
  for (StringRef name : {"self", "mat2"})
    if (int64_t rank = check.getTensor(name).getRank(); rank != 2 && rank != 3)
      return check.error() << "'" << name << "' to have 2 or 3 dimensions, "
                           << "found " << check.getTensor(name);
  if (failed(expectInner(check, "self", a.getShape().back(), "mat2",
                         b.getDimSize(b.getRank() - 2))))
    return failure();
  Shape shape = {a.getDimSize(a.getRank() - 2), b.getShape().back()};
  RankedTensorType offsets = check.getTensor("offs");
  if (a.getRank() == 3 && b.getRank() == 3)
    shape.insert(shape.begin(), a.getDimSize(0));
  else if (a.getRank() == 2 && b.getRank() == 2)
    shape.insert(shape.begin(), offsets && offsets.getRank() == 1
                                    ? offsets.getDimSize(0)
                                    : ShapedType::kDynamic);
  return check.expectShape(0, shape);
}

LogicalResult aten::verifyMv(Operation *op) {
  TypeCheck check(op);
  StringRef matrix = check.getCall().find("mat") ? "mat" : "self";
  RankedTensorType a = check.getTensor(matrix), b = check.getTensor("vec");
  if (!a || !b)
    return success();
  if (failed(check.expectRank(matrix, 2)) ||
      failed(check.expectRank("vec", 1)) ||
      failed(check.expectSameDtype(matrix, "vec")) ||
      failed(
          expectInner(check, matrix, a.getDimSize(1), "vec", b.getDimSize(0))))
    return failure();
  return check.expectType(0, a.getDimSize(0), a.getElementType());
}

LogicalResult aten::verifyDot(Operation *op) {
  TypeCheck check(op);
  RankedTensorType a = check.getTensor("self"), b = check.getTensor("tensor");
  if (!a || !b)
    return success();
  if (failed(check.expectRank("self", 1)) ||
      failed(check.expectRank("tensor", 1)) ||
      failed(check.expectSameDtype("self", "tensor")) ||
      failed(expectInner(check, "self", a.getDimSize(0), "tensor",
                         b.getDimSize(0))))
    return failure();
  return check.expectType(0, {}, a.getElementType());
}

LogicalResult aten::verifyOuter(Operation *op) {
  TypeCheck check(op);
  RankedTensorType a = check.getTensor("vec1"), b = check.getTensor("vec2");
  if (!a || !b)
    return success();
  if (failed(check.expectRank("vec1", 1)) ||
      failed(check.expectRank("vec2", 1)))
    return failure();
  return check.expectShape(0, {a.getDimSize(0), b.getDimSize(0)});
}

LogicalResult aten::verifyLinear(Operation *op) {
  TypeCheck check(op);
  RankedTensorType input = check.getTensor("input");
  RankedTensorType weight = check.getTensor("weight");
  if (!input || !weight || input.getRank() == 0 || weight.getRank() != 2)
    return success();
  if (failed(expectInner(check, "input", input.getShape().back(), "weight",
                         weight.getDimSize(1))) ||
      failed(check.expectSameDtype("input", "weight")))
    return failure();
  if (RankedTensorType bias = check.getTensor("bias");
      bias && !agree(bias.getShape(), {weight.getDimSize(0)}))
    return check.error() << "'bias' of shape "
                         << formatShape(weight.getDimSize(0)) << ", found "
                         << bias;
  Shape shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  return check.expectType(0, shape, input.getElementType());
}

// numpy's rules: a vector is a row on the left and a column on the right, and
// leading dimensions are broadcast.
LogicalResult aten::verifyMatmul(Operation *op) {
  TypeCheck check(op);
  RankedTensorType a = check.getTensor("self"), b = check.getTensor("other");
  if (!a || !b)
    return success();
  if (a.getRank() == 0 || b.getRank() == 0)
    return check.error() << "operands of 1 dimension or more, found " << a
                         << " and " << b;
  Shape left(a.getShape()), right(b.getShape());
  int64_t inner = right[right.size() < 2 ? 0 : right.size() - 2];
  if (failed(expectInner(check, "self", left.back(), "other", inner)) ||
      failed(check.expectSameDtype("self", "other")))
    return failure();
  auto batchOf = [](ArrayRef<int64_t> shape) {
    return shape.drop_back(std::min<size_t>(shape.size(), 2));
  };
  std::optional<Shape> shape = broadcast(batchOf(left), batchOf(right));
  if (!shape)
    return check.error() << "batches that broadcast, found "
                         << formatShape(batchOf(left)) << " and "
                         << formatShape(batchOf(right));
  if (left.size() > 1)
    shape->push_back(left[left.size() - 2]);
  if (right.size() > 1)
    shape->push_back(right.back());
  return check.expectType(0, *shape, a.getElementType());
}
