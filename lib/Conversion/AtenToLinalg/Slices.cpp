#include "Slices.h"

using namespace mlir;
using namespace mlir::titan;

Value titan::extractSlice(Lowering &l, Value source, RankedTensorType type,
                          int64_t dim, int64_t start, int64_t step,
                          int64_t size) {
  ImplicitLocOpBuilder &b = l.builder();
  auto from = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> offsets(from.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(from.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = l.sizesOf(source);
  offsets[dim] = b.getIndexAttr(start);
  strides[dim] = b.getIndexAttr(step);
  sizes[dim] = b.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(b, type, source, offsets, sizes,
                                        strides);
}

Value titan::insertSlice(Lowering &l, Value part, Value whole, int64_t dim,
                         int64_t start, int64_t step) {
  ImplicitLocOpBuilder &b = l.builder();
  auto to = cast<RankedTensorType>(whole.getType());
  auto from = cast<RankedTensorType>(part.getType());
  SmallVector<OpFoldResult> offsets(to.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(to.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = l.sizesOf(part);
  if (from.getRank() < to.getRank())
    sizes.insert(sizes.begin() + dim, b.getIndexAttr(1));
  offsets[dim] = b.getIndexAttr(start);
  strides[dim] = b.getIndexAttr(step);
  return tensor::InsertSliceOp::create(b, part, whole, offsets, sizes, strides);
}

Value titan::makeZeros(Lowering &l, RankedTensorType type) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(l.builder().getIndexAttr(size));
  Formula f(l.builder(), type.getElementType());
  return l.filled(sizes, f.integer(0));
}
