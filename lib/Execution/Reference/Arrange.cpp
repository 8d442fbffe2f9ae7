// The same elements at other places, in storage of their own: joined, turned,
// repeated.
#include "titan/Execution/Kernel.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::titan;

static LogicalResult computeCat(Call &call) {
  DType dtype = call.resultType();
  std::vector<Tensor> parts;
  // Tensors of shape [0] take no part, whatever the others' rank.
  for (const Tensor &tensor : call.tensors("tensors"))
    if (tensor.getShape() != ArrayRef<int64_t>{0})
      parts.push_back(tensor.to(dtype));
  if (parts.empty())
    return call.set(0, Tensor(dtype, {0}));
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim"), parts.front().getRank());
  if (failed(dim))
    return failure();
  Shape shape(parts.front().getShape());
  shape[*dim] = 0;
  for (const Tensor &part : parts) {
    if (part.getRank() != parts.front().getRank())
      return call.fail("the tensors differ in rank");
    shape[*dim] += part.getShape()[*dim];
  }
  Tensor result(dtype, shape);
  int64_t start = 0;
  for (const Tensor &part : parts) {
    int64_t length = part.getShape()[*dim];
    Tensor place = result.slice(*dim, start, length);
    if (place.getShape() != part.getShape())
      return call.fail("cannot put " + formatShape(part.getShape()) +
                       " beside " + formatShape(parts.front().getShape()));
    place.setBytes(part.getBytes());
    start += length;
  }
  return call.set(0, result);
}

static LogicalResult computeStack(Call &call) {
  std::vector<Tensor> parts = call.tensors("tensors");
  if (parts.empty())
    return call.fail("expected at least one tensor");
  FailureOr<int64_t> dim =
      call.wrapDim(call.integer("dim"), parts.front().getRank() + 1);
  if (failed(dim))
    return failure();
  Shape shape(parts.front().getShape());
  shape.insert(shape.begin() + *dim, parts.size());
  Tensor result(call.resultType(), shape);
  for (auto [index, part] : llvm::enumerate(parts)) {
    if (part.getShape() != parts.front().getShape())
      return call.fail("the tensors differ in shape");
    result.select(*dim, index).assign(part);
  }
  return call.set(0, result);
}

// The elements in reverse order along \p dims.
static Tensor reverse(const Tensor &self, ArrayRef<int64_t> dims) {
  Tensor result = self.clone();
  for (int64_t dim : dims) {
    Tensor source = result.clone();
    int64_t size = self.getShape()[dim];
    for (int64_t i = 0; i < size; ++i)
      result.slice(dim, i, 1).assign(source.slice(dim, size - 1 - i, 1));
  }
  return result;
}

static LogicalResult computeFlip(Call &call, StringRef operand) {
  Tensor self = call.tensor(operand);
  Shape given = call.integers("dims");
  FailureOr<Shape> dims = call.wrapDims(given, self.getRank());
  if (failed(dims))
    return failure();
  return call.set(0, reverse(self, given.empty() ? Shape() : *dims));
}

static LogicalResult computeRoll(Call &call) {
  Tensor self = call.tensor("self");
  Shape shifts = call.integers("shifts"), dims = call.integers("dims");
  bool isFlat = dims.empty();
  Tensor result =
      isFlat ? self.clone().reshape({self.getNumElements()}) : self.clone();
  if (isFlat)
    dims = {0};
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    FailureOr<int64_t> wrapped = call.wrapDim(dim, result.getRank());
    if (failed(wrapped))
      return failure();
    Tensor source = result.clone();
    int64_t size = source.getDim(*wrapped);
    if (size == 0)
      continue;
    int64_t by = ((shift % size) + size) % size;
    result.slice(*wrapped, by, size - by)
        .assign(source.slice(*wrapped, 0, size - by));
    result.slice(*wrapped, 0, by).assign(source.slice(*wrapped, size - by, by));
  }
  return call.set(0, result.reshape(self.getShape()));
}

static LogicalResult computeRot90(Call &call) {
  Tensor self = call.tensor("self");
  Shape dims = call.integers("dims");
  int64_t turns = ((call.integer("k", 1) % 4) + 4) % 4;
  if (dims.size() != 2)
    return call.fail("expected two dimensions to turn");
  int64_t first = self.wrapDim(dims[0]), second = self.wrapDim(dims[1]);
  if (turns == 1)
    return call.set(0, reverse(self, {second}).transpose(first, second));
  if (turns == 2)
    return call.set(0, reverse(self, {first, second}));
  if (turns == 3)
    return call.set(0, reverse(self, {first}).transpose(first, second));
  return call.set(0, self.clone());
}

// The tensor \p repeats times along each dimension.
static LogicalResult repeat(Call &call, StringRef parameter) {
  Tensor self = call.tensor("self");
  Shape repeats = call.integers(parameter);
  while (static_cast<int64_t>(repeats.size()) < self.getRank())
    repeats.insert(repeats.begin(), 1);
  while (self.getRank() < static_cast<int64_t>(repeats.size()))
    self = self.unsqueeze(0);
  // Each dimension of size s becomes r x s, where r is broadcast.
  Shape expanded, single, final;
  for (auto [count, size] : llvm::zip(repeats, self.getShape())) {
    single.append({1, size});
    expanded.append({count, size});
    final.push_back(count * size);
  }
  return call.set(0,
                  self.reshape(single).expand(expanded).clone().reshape(final));
}

static LogicalResult computeRepeatInterleave(Call &call) {
  Tensor self = call.tensor("self");
  int64_t repeats = call.integer("repeats", 1);
  if (!call.has("dim"))
    self = self.reshape({self.getNumElements()});
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim))
    return failure();
  Tensor each = self.unsqueeze(*dim + 1);
  Shape expanded(each.getShape()), final(self.getShape());
  expanded[*dim + 1] = repeats;
  final[*dim] *= repeats;
  return call.set(0, each.expand(expanded).clone().reshape(final));
}

// What is above or below a diagonal becomes zero.
static LogicalResult computeTriangle(Call &call, bool isLower) {
  Tensor self = call.tensor("self").clone();
  int64_t diagonal = call.integer("diagonal"), rank = self.getRank();
  if (rank < 2)
    return call.fail("expected at least two dimensions");
  int64_t rows = self.getDim(-2), columns = self.getDim(-1);
  int64_t size = getByteSize(self.getDType()), count = self.getNumElements();
  std::vector<char> bytes = self.getBytes();
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = i / columns % rows, column = i % columns;
    bool keeps = isLower ? column - row <= diagonal : column - row >= diagonal;
    if (!keeps)
      std::fill_n(bytes.begin() + i * size, size, 0);
  }
  self.setBytes(bytes);
  return call.set(0, self);
}

static LogicalResult computeShuffle(Call &call, StringRef parameter) {
  Tensor self = call.tensor("self").contiguous();
  int64_t factor = std::max<int64_t>(call.integer(parameter), 1);
  Shape shape(self.getShape());
  int64_t rank = shape.size();
  if (parameter == "groups") {
    int64_t channels = shape[1], count = self.getNumElements();
    Shape split = {shape[0], factor, channels / factor,
                   count / std::max<int64_t>(shape[0] * channels, 1)};
    return call.set(0,
                    self.reshape(split).transpose(1, 2).clone().reshape(shape));
  }
  if (rank < 3)
    return call.fail("expected channels, height and width");
  int64_t channels = shape[rank - 3], height = shape[rank - 2],
          width = shape[rank - 1];
  int64_t batch = countElements(ArrayRef(shape).drop_back(3));
  bool grows = parameter == "upscale_factor";
  Tensor turned = grows ? self.reshape({batch, channels / (factor * factor),
                                        factor, factor, height, width})
                              .permute({0, 1, 4, 2, 5, 3})
                        : self.reshape({batch, channels, height / factor,
                                        factor, width / factor, factor})
                              .permute({0, 1, 3, 5, 2, 4});
  shape[rank - 3] =
      grows ? channels / (factor * factor) : channels * factor * factor;
  shape[rank - 2] = grows ? height * factor : height / factor;
  shape[rank - 1] = grows ? width * factor : width / factor;
  return call.set(0, turned.clone().reshape(shape));
}

void titan::addArrangeKernels(KernelTable &table) {
  table.add("aten.cat", computeCat);
  table.add("aten.stack", computeStack);
  table.add("aten.flip", [](Call &call) { return computeFlip(call, "self"); });
  table.add("prims.rev", [](Call &call) { return computeFlip(call, "a"); });
  table.add("aten.roll", computeRoll);
  table.add("aten.rot90", computeRot90);
  table.add("aten.repeat", [](Call &call) { return repeat(call, "repeats"); });
  table.add("aten.tile", [](Call &call) { return repeat(call, "dims"); });
  table.add("aten.repeat_interleave.self_int", computeRepeatInterleave);
  table.add("aten.tril",
            [](Call &call) { return computeTriangle(call, true); });
  table.add("aten.triu",
            [](Call &call) { return computeTriangle(call, false); });
  table.add("aten.channel_shuffle",
            [](Call &call) { return computeShuffle(call, "groups"); });
  table.add("aten.pixel_shuffle",
            [](Call &call) { return computeShuffle(call, "upscale_factor"); });
  table.add("aten.pixel_unshuffle", [](Call &call) {
    return computeShuffle(call, "downscale_factor");
  });
}
