// Tensors in memory, as the programs that Titan executes see them.
#ifndef TITAN_EXECUTION_TENSOR_H
#define TITAN_EXECUTION_TENSOR_H

#include "titan/Execution/Arena.h"
#include "titan/Execution/DType.h"
#include "titan/Interfaces/TypeRules.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <complex>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::titan {

/// The strides, in elements, of a contiguous tensor of \p shape.
Shape getDenseStrides(llvm::ArrayRef<int64_t> shape);

/// A strided view of shared storage, as in PyTorch: copies of a tensor and
/// views of it see each other's writes. The only writes are those of in-place
/// ops; everything else makes storage of its own.
///
/// Elements are read and written in one of three types, into which every
/// element type fits: `int64_t` (integers and bool), `double` (floats) and
/// `std::complex<double>`.
class Tensor {
public:
  /// A tensor of one element, zero.
  Tensor() : Tensor(DType::F32, {}) {}
  /// A contiguous tensor of zeros.
  Tensor(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// A tensor of zeros with the given strides, which are not negative.
  Tensor(DType dtype, llvm::ArrayRef<int64_t> shape,
         llvm::ArrayRef<int64_t> strides);
  /// A contiguous tensor whose elements are yet to be written: any bits.
  static Tensor makeUninitialized(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// A contiguous tensor of \p values in logical order, rounded to \p dtype.
  /// The number of values is that of the shape.
  template <typename T>
  static Tensor make(DType dtype, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<T> values) {
    Tensor result = makeUninitialized(dtype, shape);
    result.assign(values);
    return result;
  }
  template <typename T>
  static Tensor make(DType dtype, llvm::ArrayRef<int64_t> shape,
                     const std::vector<T> &values) {
    return make(dtype, shape, llvm::ArrayRef<T>(values));
  }
  /// A tensor of one element.
  template <typename T>
  static Tensor scalar(DType dtype, T value) {
    return make(dtype, {}, llvm::ArrayRef<T>(value));
  }

  DType getDType() const { return dtype; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getOffset() const { return offset; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDim(int64_t dim) const { return shape[wrapDim(dim)]; }
  int64_t getNumElements() const { return countElements(shape); }
  int64_t getNumBytes() const { return getNumElements() * getByteSize(dtype); }
  bool isContiguous() const;
  /// \p dim, counted from the end if negative. It is in range.
  int64_t wrapDim(int64_t dim) const {
    return dim < 0 ? dim + std::max<int64_t>(getRank(), 1) : dim;
  }

  /// \name Views
  /// @{
  /// Any view of the storage. Every element lies in it (see isInStorage).
  Tensor asStrided(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, int64_t offset) const;
  /// The same bytes as elements of \p dtype: the last dimension grows or
  /// shrinks by what is between the sizes of the types. None where strides do
  /// not allow it, or the last dimension does not divide.
  std::optional<Tensor> viewAs(DType dtype) const;
  bool isInStorage(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, int64_t offset) const;
  Tensor permute(llvm::ArrayRef<int64_t> dims) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  /// \p start and \p length are in range, \p step is positive.
  Tensor slice(int64_t dim, int64_t start, int64_t length,
               int64_t step = 1) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor unsqueeze(int64_t dim) const;
  /// The tensor broadcast to \p shape, which isBroadcastableTo it.
  Tensor expand(llvm::ArrayRef<int64_t> shape) const;
  bool isBroadcastableTo(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, in order, in another shape of as many: a view where
  /// strides allow it, else a copy.
  Tensor reshape(llvm::ArrayRef<int64_t> shape) const;
  /// @}

  /// \name Copies
  /// @{
  /// The tensor itself if contiguous, else a contiguous copy.
  Tensor contiguous() const;
  Tensor clone() const;
  /// The tensor itself if of \p dtype, else its elements converted.
  Tensor to(DType dtype) const;
  /// All elements in logical order. Reading complex numbers as another type
  /// drops the imaginary part, reading floats as integers truncates.
  template <typename T>
  std::vector<T> getValues() const;
  /// The element of a tensor of one.
  template <typename T>
  T getItem() const {
    return getValues<T>().front();
  }
  /// The bytes in logical order.
  std::vector<char> getBytes() const;
  /// @}

  /// \name Writes
  /// @{
  /// Replaces the elements, in logical order. As many as the tensor has.
  template <typename T>
  void assign(llvm::ArrayRef<T> values);
  /// Replaces the elements by those of \p other, broadcast and converted.
  void assign(const Tensor &other);
  /// Replaces the elements by \p bytes, in logical order.
  void setBytes(llvm::ArrayRef<char> bytes);
  /// How often the storage has been written to by an in-place op
  /// (noteWrite).
  uint64_t getVersion() const { return storage->version; }
  void noteWrite() { ++storage->version; }
  /// @}

  /// The address of the first element.
  char *getData() const { return storage->data + offset * getByteSize(dtype); }
  /// What the views of one storage share; compares by identity.
  const void *getStorageId() const { return storage.get(); }
  /// Bytes of the storage, of which a view may show a part.
  int64_t getStorageBytes() const { return storage->size; }
  /// Counts the storage, once, among the arena's values until it is freed.
  void noteValue() const;

private:
  /// Memory of an arena, or of the system if there is none.
  struct Storage {
    explicit Storage(int64_t size);
    ~Storage();
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;

    std::shared_ptr<Arena> arena;
    int64_t size;
    char *data;
    uint64_t version = 0;
    bool isValue = false;
  };

  struct Uninitialized {};
  Tensor(DType dtype, llvm::ArrayRef<int64_t> shape,
         llvm::ArrayRef<int64_t> strides, Uninitialized);

  DType dtype = DType::F32;
  Shape shape;
  Shape strides;
  int64_t offset = 0;
  std::shared_ptr<Storage> storage;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_TENSOR_H
