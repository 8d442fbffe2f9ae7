// Other shapes of the same elements. Views share storage with their operand,
// so that what an op writes in place is seen through all of them.
#include "titan/Execution/Kernel.h"

#include <numeric>

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

// Fills in the one -1 of \p shape, for as many elements as \p self has.
static FailureOr<Shape> inferShape(Call &call, const Tensor &self,
                                   Shape shape) {
  int64_t count = self.getNumElements(), known = 1;
  int64_t *unknown = nullptr;
  for (int64_t &size : shape)
    if (size == -1)
      unknown = &size;
    else
      known *= size;
  if (unknown)
    *unknown = known ? count / known : 0;
  if (countElements(shape) != count)
    return call.fail("cannot view " + formatShape(self.getShape()) + " as " +
                     formatShape(shape));
  return shape;
}

static LogicalResult computeReshape(Call &call, StringRef parameter) {
  Tensor self = call.tensor("self");
  FailureOr<Shape> shape = inferShape(call, self, call.integers(parameter));
  if (failed(shape))
    return failure();
  return call.set(0, self.reshape(*shape));
}

// The bytes of \p self seen as another type: where strides do not allow it,
// those of a copy.
static FailureOr<Tensor> viewAs(Call &call, const Tensor &self, DType dtype) {
  if (std::optional<Tensor> view = self.viewAs(dtype))
    return *view;
  if (std::optional<Tensor> view = self.clone().viewAs(dtype))
    return *view;
  return call.fail("cannot view " + formatShape(self.getShape()) + " of " +
                   getName(self.getDType()) + " as " + getName(dtype));
}

static LogicalResult computeViewAsType(Call &call) {
  FailureOr<Tensor> view = viewAs(call, call.tensor("self"), call.resultType());
  return failed(view) ? failure() : call.set(0, *view);
}

// The parts of complex numbers along a last dimension of their own.
static FailureOr<Tensor> viewAsReal(Call &call, const Tensor &self) {
  Shape shape(self.getShape()), strides(self.getStrides());
  shape.push_back(1);
  strides.push_back(1);
  return viewAs(call, self.asStrided(shape, strides, self.getOffset()),
                self.getDType() == DType::C128 ? DType::F64 : DType::F32);
}

static LogicalResult computeViewAsReal(Call &call) {
  FailureOr<Tensor> view = viewAsReal(call, call.tensor("self"));
  return failed(view) ? failure() : call.set(0, *view);
}

static LogicalResult computeReal(Call &call) {
  Tensor self = call.tensor("self");
  if (!isComplex(self.getDType()))
    return call.set(0, self);
  FailureOr<Tensor> view = viewAsReal(call, self);
  return failed(view) ? failure()
                      : call.set(0, view->select(self.getRank(), 0));
}

static LogicalResult computeViewAsComplex(Call &call) {
  Tensor self = call.tensor("self");
  if (self.getRank() == 0 || self.getDim(-1) != 2)
    return call.fail("expected a last dimension of 2");
  FailureOr<Tensor> view = viewAs(
      call, self, self.getDType() == DType::F64 ? DType::C128 : DType::C64);
  return failed(view) ? failure()
                      : call.set(0, view->select(self.getRank() - 1, 0));
}

static LogicalResult computeExpand(Call &call) {
  Tensor self = call.tensor("self");
  Shape shape = call.integers("size");
  int64_t missing = static_cast<int64_t>(shape.size()) - self.getRank();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == -1 && static_cast<int64_t>(dim) >= missing)
      size = self.getShape()[dim - missing];
  if (!self.isBroadcastableTo(shape))
    return call.fail("cannot expand " + formatShape(self.getShape()) + " to " +
                     formatShape(shape));
  return call.set(0, self.expand(shape));
}

static LogicalResult computeBroadcastInDim(Call &call) {
  Tensor self = call.tensor("a");
  Shape shape = call.integers("shape");
  Shape middle(shape.size(), 1);
  for (auto [from, to] : llvm::enumerate(call.integers("broadcast_dimensions")))
    middle[to] = self.getShape()[from];
  Tensor reshaped = self.reshape(middle);
  if (!reshaped.isBroadcastableTo(shape))
    return call.fail("cannot broadcast " + formatShape(middle) + " to " +
                     formatShape(shape));
  return call.set(0, reshaped.expand(shape));
}

static LogicalResult computePermute(Call &call) {
  Tensor self = call.tensor("self");
  Shape dims = call.integers("dims");
  if (static_cast<int64_t>(dims.size()) != self.getRank())
    return call.fail("expected " + Twine(self.getRank()) + " dimensions");
  return call.set(0, self.permute(dims));
}

static LogicalResult computeTranspose(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim0 = call.wrapDim(call.integer("dim0"), self.getRank());
  FailureOr<int64_t> dim1 = call.wrapDim(call.integer("dim1"), self.getRank());
  if (failed(dim0) || failed(dim1))
    return failure();
  return call.set(0, self.transpose(*dim0, *dim1));
}

static LogicalResult computeMoveDim(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> from =
      call.wrapDim(call.integer("source"), self.getRank());
  FailureOr<int64_t> to =
      call.wrapDim(call.integer("destination"), self.getRank());
  if (failed(from) || failed(to))
    return failure();
  Shape dims(self.getRank());
  std::iota(dims.begin(), dims.end(), 0);
  dims.erase(dims.begin() + *from);
  dims.insert(dims.begin() + *to, *from);
  return call.set(0, self.permute(dims));
}

static LogicalResult computeSqueeze(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<Shape> dims = call.wrapDims(call.integers("dim"), self.getRank());
  if (failed(dims))
    return failure();
  Shape shape, strides;
  for (int64_t dim = 0; dim < self.getRank(); ++dim) {
    if (self.getShape()[dim] == 1 && llvm::is_contained(*dims, dim))
      continue;
    shape.push_back(self.getShape()[dim]);
    strides.push_back(self.getStrides()[dim]);
  }
  return call.set(0, self.asStrided(shape, strides, self.getOffset()));
}

static LogicalResult computeUnsqueeze(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim"), self.getRank() + 1);
  if (failed(dim))
    return failure();
  return call.set(0, self.unsqueeze(*dim));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static LogicalResult computeSelect(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim) || self.getRank() == 0)
    return call.fail("cannot select from a tensor without dimensions");
  FailureOr<int64_t> index =
      call.wrapIndex(call.integer("index"), self.getShape()[*dim]);
  if (failed(index))
    return failure();
  return call.set(0, self.select(*dim, *index));
}

static LogicalResult computeNarrow(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  int64_t size = self.getShape()[*dim], start = call.integer("start");
  int64_t length = call.integer("length");
  start = start < 0 ? start + size : start;
  if (start < 0 || length < 0 || start + length > size)
    return call.fail("the range is outside of a dimension of " + Twine(size));
  return call.set(0, self.slice(*dim, start, length));
}

// The parts of \p sizes along a dimension, one a result; more parts than
// results are not read.
static LogicalResult setParts(Call &call, const Tensor &self, int64_t dim,
                              ArrayRef<int64_t> sizes) {
  int64_t start = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (size < 0 || start + size > self.getShape()[dim])
      return call.fail("the parts are longer than the dimension");
    if (index < call.getNumResults() &&
        failed(call.set(index, self.slice(dim, start, size))))
      return failure();
    start += size;
  }
  return success();
}

static LogicalResult computeSplit(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  Shape sizes = call.integers("split_sizes");
  int64_t total = self.getShape()[*dim], each = call.integer("split_size");
  if (call.has("chunks"))
    each =
        llvm::divideCeil(total, std::max<int64_t>(call.integer("chunks"), 1));
  if (!call.has("split_sizes")) {
    if (each <= 0)
      return call.fail("expected parts of a positive size");
    for (int64_t start = 0; start < total; start += each)
      sizes.push_back(std::min(each, total - start));
  }
  return setParts(call, self, *dim, sizes);
}

// The parts, copied into tensors that are there already.
static LogicalResult copySplit(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  int64_t start = 0;
  Shape sizes = call.integers("split_sizes");
  for (auto [size, out] : llvm::zip(sizes, call.tensors("out"))) {
    if (size < 0 || start + size > self.getShape()[*dim])
      return call.fail("the parts are longer than the dimension");
    Tensor part = self.slice(*dim, start, size);
    if (!part.isBroadcastableTo(out.getShape()))
      return call.fail("cannot copy " + formatShape(part.getShape()) +
                       " into " + formatShape(out.getShape()));
    out.assign(part);
    out.noteWrite();
    start += size;
  }
  return success();
}

static LogicalResult computeUnbind(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  for (int64_t index = 0; index < self.getShape()[*dim]; ++index)
    if (index < call.getNumResults() &&
        failed(call.set(index, self.select(*dim, index))))
      return failure();
  return success();
}

static LogicalResult computeUnfold(Call &call) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dimension"), self.getRank());
  if (failed(dim))
    return failure();
  int64_t size = call.integer("size"), step = call.integer("step", 1);
  Shape shape(self.getShape()), strides(self.getStrides());
  if (shape.empty() || size > shape[*dim] || step <= 0)
    return call.fail("the window does not fit the dimension");
  shape[*dim] = (shape[*dim] - size) / step + 1;
  shape.push_back(size);
  strides.push_back(strides[*dim]);
  strides[*dim] *= step;
  return call.set(0, self.asStrided(shape, strides, self.getOffset()));
}

void titan::addViewKernels(KernelTable &table) {
  auto viewWithSize = [](Call &call) { return computeReshape(call, "size"); };
  table.add({"aten.view", "aten._unsafe_view"}, viewWithSize);
  table.add("aten.reshape",
            [](Call &call) { return computeReshape(call, "shape"); });
  table.add("aten.view.dtype", computeViewAsType);
  table.add("aten.expand", computeExpand);
  table.add("prims.broadcast_in_dim", computeBroadcastInDim);
  table.add("aten.permute", computePermute);
  table.add("aten.transpose", computeTranspose);
  table.add("aten.t", [](Call &call) {
    Tensor self = call.tensor("self");
    return call.set(0, self.getRank() < 2 ? self : self.transpose(0, 1));
  });
  table.add("aten.movedim", computeMoveDim);
  table.add("aten.squeeze", computeSqueeze);
  table.add("aten.unsqueeze", computeUnsqueeze);
  table.add("aten.atleast_1d", [](Call &call) {
    Tensor self = call.tensor("self");
    return call.set(0, self.getRank() ? self : self.unsqueeze(0));
  });
  table.add({"aten.alias", "aten.detach", "aten.resolve_conj"},
            [](Call &call) { return call.set(0, call.tensor("self")); });
  table.add("aten.real", computeReal);
  table.add("aten.view_as_real", computeViewAsReal);
  table.add("aten.view_as_complex", computeViewAsComplex);
  table.add("aten.select", computeSelect);
  table.add("aten.narrow", computeNarrow);
  table.add({"aten.split", "aten.split_with_sizes", "aten.chunk"},
            computeSplit);
  table.add("aten.split_with_sizes_copy.out", copySplit);
  table.add("aten.unbind", computeUnbind);
  table.add("aten.unfold", computeUnfold);
}
