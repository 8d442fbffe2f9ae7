// Strided tensors. Every access goes through two steps that are simple apart:
// gathering bytes into logical order, and converting contiguous elements.
// Longer than most files, since every view is made of the same few parts.
#include "titan/Execution/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

using namespace mlir;
using namespace mlir::titan;

Shape titan::getDenseStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

// The number of elements from the first to behind the last one of a view.
static int64_t getExtent(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip(shape, strides)) {
    if (size == 0)
      return 0;
    extent += (size - 1) * stride;
  }
  return extent;
}

Tensor::Tensor(DType dtype, ArrayRef<int64_t> shape)
    : Tensor(dtype, shape, getDenseStrides(shape)) {}

Tensor::Storage::Storage(int64_t size)
    : arena(ArenaScope::getCurrent()), size(size),
      data(arena ? arena->allocate(size)
                 : static_cast<char *>(::operator new(
                       size, std::align_val_t(Arena::kAlignment)))) {}

Tensor::Storage::~Storage() {
  if (!arena) {
    ::operator delete(data, std::align_val_t(Arena::kAlignment));
    return;
  }
  if (isValue)
    arena->removeValue(size);
  arena->release(data, size);
}

Tensor::Tensor(DType dtype, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
               Uninitialized)
    : dtype(dtype), shape(shape), strides(strides),
      storage(std::make_shared<Storage>(getExtent(shape, strides) *
                                        getByteSize(dtype))) {}

Tensor::Tensor(DType dtype, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides)
    : Tensor(dtype, shape, strides, Uninitialized()) {
  std::memset(storage->data, 0, storage->size);
}

Tensor Tensor::makeUninitialized(DType dtype, ArrayRef<int64_t> shape) {
  return Tensor(dtype, shape, getDenseStrides(shape), Uninitialized());
}

void Tensor::noteValue() const {
  if (!storage->arena || storage->isValue)
    return;
  storage->isValue = true;
  storage->arena->addValue(storage->size);
}

bool Tensor::isContiguous() const {
  int64_t expected = 1;
  for (int64_t dim = getRank() - 1; dim >= 0; --dim) {
    if (shape[dim] == 0)
      return true;
    if (shape[dim] != 1 && strides[dim] != expected)
      return false;
    expected *= shape[dim];
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Tensor Tensor::asStrided(ArrayRef<int64_t> newShape,
                         ArrayRef<int64_t> newStrides,
                         int64_t newOffset) const {
  Tensor view = *this;
  view.shape.assign(newShape.begin(), newShape.end());
  view.strides.assign(newStrides.begin(), newStrides.end());
  view.offset = newOffset;
  return view;
}

std::optional<Tensor> Tensor::viewAs(DType newType) const {
  int64_t oldSize = getByteSize(dtype), newSize = getByteSize(newType);
  Tensor view = *this;
  view.dtype = newType;
  if (oldSize == newSize)
    return view;
  int64_t last = getRank() - 1;
  if (last < 0 || strides[last] != 1)
    return std::nullopt;
  // All in bytes: what is whole in the old type has to be in the new one.
  auto convert = [&](int64_t &count) {
    count *= oldSize;
    bool isWhole = count % newSize == 0;
    count /= newSize;
    return isWhole;
  };
  bool isWhole = convert(view.offset) && convert(view.shape[last]);
  for (int64_t dim = 0; dim < last; ++dim)
    isWhole &= convert(view.strides[dim]);
  if (!isWhole)
    return std::nullopt;
  return view;
}

bool Tensor::isInStorage(ArrayRef<int64_t> newShape,
                         ArrayRef<int64_t> newStrides,
                         int64_t newOffset) const {
  if (newOffset < 0 || newShape.size() != newStrides.size())
    return false;
  // Divides rather than multiplies, so that nothing overflows.
  int64_t last = storage->size / getByteSize(dtype) - newOffset - 1;
  for (auto [size, stride] : llvm::zip(newShape, newStrides)) {
    if (size < 0 || stride < 0)
      return false;
    if (size == 0)
      return true;
    if (stride != 0 && size > 1) {
      if (size - 1 > last / stride)
        return false;
      last -= (size - 1) * stride;
    }
  }
  return last >= 0;
}

Tensor Tensor::permute(ArrayRef<int64_t> dims) const {
  Tensor view = *this;
  for (auto [to, from] : llvm::enumerate(dims)) {
    view.shape[to] = shape[wrapDim(from)];
    view.strides[to] = strides[wrapDim(from)];
  }
  return view;
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  Tensor view = *this;
  if (getRank() == 0)
    return view;
  std::swap(view.shape[wrapDim(dim0)], view.shape[wrapDim(dim1)]);
  std::swap(view.strides[wrapDim(dim0)], view.strides[wrapDim(dim1)]);
  return view;
}

Tensor Tensor::slice(int64_t dim, int64_t start, int64_t length,
                     int64_t step) const {
  Tensor view = *this;
  dim = wrapDim(dim);
  view.offset += start * strides[dim];
  view.shape[dim] = length;
  view.strides[dim] *= step;
  return view;
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  dim = wrapDim(dim);
  Tensor view = slice(dim, index, 1);
  view.shape.erase(view.shape.begin() + dim);
  view.strides.erase(view.strides.begin() + dim);
  return view;
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  dim = dim < 0 ? dim + getRank() + 1 : dim;
  Tensor view = *this;
  int64_t stride = dim < getRank() ? shape[dim] * strides[dim] : 1;
  view.shape.insert(view.shape.begin() + dim, 1);
  view.strides.insert(view.strides.begin() + dim, stride);
  return view;
}

bool Tensor::isBroadcastableTo(ArrayRef<int64_t> target) const {
  int64_t missing = static_cast<int64_t>(target.size()) - getRank();
  if (missing < 0)
    return false;
  for (int64_t dim = 0; dim < getRank(); ++dim)
    if (shape[dim] != 1 && shape[dim] != target[dim + missing])
      return false;
  return true;
}

Tensor Tensor::expand(ArrayRef<int64_t> target) const {
  int64_t missing = static_cast<int64_t>(target.size()) - getRank();
  Shape newStrides(target.size(), 0);
  for (int64_t dim = 0; dim < getRank(); ++dim)
    if (shape[dim] != 1 || target[dim + missing] == 1)
      newStrides[dim + missing] = strides[dim];
  return asStrided(target, newStrides, offset);
}

// The strides that give \p tensor the shape \p target without a copy, or none:
// runs of dimensions that lie evenly in memory are split and joined freely.
static std::optional<Shape> getViewStrides(const Tensor &tensor,
                                           ArrayRef<int64_t> target) {
  if (tensor.getNumElements() == 0)
    return getDenseStrides(target);
  Shape result(target.size(), 1);
  int64_t to = static_cast<int64_t>(target.size()) - 1;
  ArrayRef<int64_t> shape = tensor.getShape(), strides = tensor.getStrides();
  int64_t base = tensor.getRank() == 0 ? 1 : strides.back();
  int64_t elements = 1, covered = 1;
  for (int64_t from = tensor.getRank() - 1; from >= 0; --from) {
    elements *= shape[from];
    bool isRunEnd = from == 0 || (shape[from - 1] != 1 &&
                                  strides[from - 1] != elements * base);
    if (!isRunEnd)
      continue;
    while (to >= 0 && (covered < elements || target[to] == 1)) {
      result[to] = covered * base;
      covered *= target[to--];
    }
    if (covered != elements)
      return std::nullopt;
    if (from > 0) {
      base = strides[from - 1];
      elements = covered = 1;
    }
  }
  return result;
}

Tensor Tensor::reshape(ArrayRef<int64_t> target) const {
  if (std::optional<Shape> newStrides = getViewStrides(*this, target))
    return asStrided(target, *newStrides, offset);
  Tensor copy = contiguous();
  return copy.asStrided(target, getDenseStrides(target), 0);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// Copies elements of `Size` bytes between a strided and a contiguous place.
template <size_t Size>
static void copyStrided(char *strided, char *dense, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> strides, bool gather) {
  int64_t count = countElements(shape);
  int64_t rank = shape.size();
  int64_t inner = rank == 0 ? 1 : shape[rank - 1];
  int64_t innerStride = rank == 0 ? 0 : strides[rank - 1] * int64_t(Size);
  Shape index(rank, 0);
  char *row = strided;
  for (int64_t done = 0; done < count; done += inner) {
    char *element = row;
    for (int64_t i = 0; i < inner; ++i, element += innerStride, dense += Size)
      gather ? std::memcpy(dense, element, Size)
             : std::memcpy(element, dense, Size);
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      row += strides[dim] * int64_t(Size);
      if (++index[dim] < shape[dim])
        break;
      row -= strides[dim] * shape[dim] * int64_t(Size);
      index[dim] = 0;
    }
  }
}

static void copyStrided(const Tensor &tensor, char *dense, bool gather) {
  int64_t size = getByteSize(tensor.getDType());
  if (tensor.isContiguous()) {
    int64_t bytes = tensor.getNumElements() * size;
    if (bytes != 0)
      gather ? std::memcpy(dense, tensor.getData(), bytes)
             : std::memcpy(tensor.getData(), dense, bytes);
    return;
  }
  auto copy = size == 1   ? copyStrided<1>
              : size == 2 ? copyStrided<2>
              : size == 4 ? copyStrided<4>
              : size == 8 ? copyStrided<8>
                          : copyStrided<16>;
  copy(tensor.getData(), dense, tensor.getShape(), tensor.getStrides(), gather);
}

std::vector<char> Tensor::getBytes() const {
  std::vector<char> bytes(getNumBytes());
  copyStrided(*this, bytes.data(), /*gather=*/true);
  return bytes;
}

void Tensor::setBytes(ArrayRef<char> bytes) {
  copyStrided(*this, const_cast<char *>(bytes.data()), /*gather=*/false);
}

Tensor Tensor::clone() const {
  Tensor copy = makeUninitialized(dtype, shape);
  copyStrided(*this, copy.getData(), /*gather=*/true);
  return copy;
}

Tensor Tensor::contiguous() const { return isContiguous() ? *this : clone(); }

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {

// How an element type lies in memory, and the widest type of its kind.
template <typename Bits, typename WideType>
struct Plain {
  using Wide = WideType;
  static constexpr size_t kSize = sizeof(Bits);
  static Wide load(const char *from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof(bits));
    return static_cast<Wide>(bits);
  }
  static void store(char *to, Wide value) {
    auto bits = static_cast<Bits>(value);
    std::memcpy(to, &bits, sizeof(bits));
  }
};

struct BoolElement : Plain<uint8_t, int64_t> {
  static int64_t load(const char *from) { return *from != 0; }
  static void store(char *to, int64_t value) { *to = value != 0; }
};

template <float (*From)(uint16_t), uint16_t (*To)(float)>
struct Float16Bits {
  using Wide = double;
  static constexpr size_t kSize = 2;
  static double load(const char *from) {
    return From(Plain<uint16_t, uint16_t>::load(from));
  }
  static void store(char *to, double value) {
    Plain<uint16_t, uint16_t>::store(to, To(static_cast<float>(value)));
  }
};

template <DType kType>
struct Float8Bits {
  using Wide = double;
  static constexpr size_t kSize = 1;
  static double load(const char *from) {
    return fromFloat8(static_cast<uint8_t>(*from), kType);
  }
  static void store(char *to, double value) {
    *to = static_cast<char>(toFloat8(static_cast<float>(value), kType));
  }
};

template <typename Part>
struct ComplexBits {
  using Wide = std::complex<double>;
  static constexpr size_t kSize = 2 * sizeof(Part);
  static Wide load(const char *from) {
    return {Plain<Part, double>::load(from),
            Plain<Part, double>::load(from + sizeof(Part))};
  }
  static void store(char *to, Wide value) {
    Plain<Part, double>::store(to, value.real());
    Plain<Part, double>::store(to + sizeof(Part), value.imag());
  }
};

} // namespace

template <typename Visit>
static void visitElements(DType dtype, Visit visit) {
  switch (dtype) {
  case DType::Bool:
    return visit(BoolElement());
  case DType::U8:
    return visit(Plain<uint8_t, int64_t>());
  case DType::I8:
    return visit(Plain<int8_t, int64_t>());
  case DType::I16:
    return visit(Plain<int16_t, int64_t>());
  case DType::U16:
    return visit(Plain<uint16_t, int64_t>());
  case DType::I32:
    return visit(Plain<int32_t, int64_t>());
  case DType::U32:
    return visit(Plain<uint32_t, int64_t>());
  case DType::I64:
    return visit(Plain<int64_t, int64_t>());
  case DType::U64:
    return visit(Plain<uint64_t, int64_t>());
  case DType::F8E4M3:
    return visit(Float8Bits<DType::F8E4M3>());
  case DType::F8E5M2:
    return visit(Float8Bits<DType::F8E5M2>());
  case DType::F16:
    return visit(Float16Bits<fromHalf, toHalf>());
  case DType::BF16:
    return visit(Float16Bits<fromBFloat16, toBFloat16>());
  case DType::F32:
    return visit(Plain<float, double>());
  case DType::F64:
    return visit(Plain<double, double>());
  case DType::C64:
    return visit(ComplexBits<float>());
  case DType::C128:
    return visit(ComplexBits<double>());
  }
}

// Values out of range become the least integer, as the conversion instructions
// of x86 have it.
static int64_t truncate(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit))
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

template <typename To, typename From>
static To convert(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<From, std::complex<double>>)
    return convert<To>(value.real());
  else if constexpr (std::is_same_v<To, int64_t>)
    return truncate(value);
  else
    return static_cast<double>(value);
}

template <typename T>
std::vector<T> Tensor::getValues() const {
  std::vector<T> values(getNumElements());
  std::vector<char> gathered;
  const char *from = getData();
  if (!isContiguous()) {
    gathered = getBytes();
    from = gathered.data();
  }
  visitElements(dtype, [&](auto element) {
    using Element = decltype(element);
    for (T &value : values) {
      value = convert<T>(Element::load(from));
      from += Element::kSize;
    }
  });
  return values;
}

template <typename T>
void Tensor::assign(ArrayRef<T> values) {
  std::vector<char> scattered;
  bool isDense = isContiguous();
  if (!isDense)
    scattered.resize(getNumBytes());
  char *to = isDense ? getData() : scattered.data();
  visitElements(dtype, [&](auto element) {
    using Element = decltype(element);
    for (const T &value : values) {
      // Any number but zero is true, also one below 1.
      if constexpr (std::is_same_v<Element, BoolElement>)
        Element::store(to, value != T(0));
      else
        Element::store(to, convert<typename Element::Wide>(value));
      to += Element::kSize;
    }
  });
  if (!isDense)
    setBytes(scattered);
}

template std::vector<int64_t> Tensor::getValues() const;
template std::vector<double> Tensor::getValues() const;
template std::vector<std::complex<double>> Tensor::getValues() const;
template void Tensor::assign(ArrayRef<int64_t>);
template void Tensor::assign(ArrayRef<double>);
template void Tensor::assign(ArrayRef<std::complex<double>>);

Tensor Tensor::to(DType newType) const {
  if (dtype == newType)
    return *this;
  Tensor result = makeUninitialized(newType, shape);
  if (isComplex(dtype))
    result.assign(ArrayRef(getValues<std::complex<double>>()));
  else if (isFloat(dtype))
    result.assign(ArrayRef(getValues<double>()));
  else
    result.assign(ArrayRef(getValues<int64_t>()));
  return result;
}

void Tensor::assign(const Tensor &other) {
  setBytes(other.to(dtype).expand(shape).getBytes());
}
