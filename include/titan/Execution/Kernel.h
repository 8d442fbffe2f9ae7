// What a reference kernel sees: the arguments of one op by their schema names,
// and places for its results.
//
// The reference engine computes every op in one of three types (integers in
// int64, floats in f64, complex numbers in c128) and rounds each result once to
// its own type. So a kernel is written once, is at least as exact as PyTorch's,
// and what is stored between two ops has the type that the graph says.
#ifndef TITAN_EXECUTION_KERNEL_H
#define TITAN_EXECUTION_KERNEL_H

#include "titan/Execution/RuntimeValue.h"
#include "titan/Interfaces/Schema.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <set>

namespace mlir::titan {

class Interpreter;

using Complex = std::complex<double>;

/// One op that is being executed.
class Call {
public:
  Call(Interpreter &interpreter, Operation *op, StringRef name,
       TypeRange resultTypes)
      : interpreter(interpreter), op(op), name(name), resultTypes(resultTypes),
        results(resultTypes.size()) {}

  Interpreter &getInterpreter() { return interpreter; }
  Operation *getOperation() const { return op; }
  /// The op's name as Titan spells it: `aten.add.Tensor`.
  StringRef getName() const { return name; }

  /// \name Arguments, by schema name
  /// @{
  const RuntimeValue &get(StringRef parameter) const;
  void addArgument(StringRef parameter, RuntimeValue value) {
    arguments.emplace_back(parameter, std::move(value));
  }
  /// The arguments given by name, without the list of the positional ones.
  SmallVector<std::pair<StringRef, RuntimeValue>> getNamedArguments() const;
  bool has(StringRef parameter) const { return !get(parameter).isNone(); }
  /// A tensor; a number is a tensor of one element.
  Tensor tensor(StringRef parameter);
  std::vector<Tensor> tensors(StringRef parameter);
  int64_t integer(StringRef parameter, int64_t otherwise = 0) const;
  double number(StringRef parameter, double otherwise = 0) const;
  /// The number as kernels that compute in f32 see it, unless results are f64.
  double scalar(StringRef parameter, double otherwise = 0) const;
  bool flag(StringRef parameter, bool otherwise = false) const;
  StringRef text(StringRef parameter) const;
  /// A list of integers, one of them for a list of one; empty if absent.
  Shape integers(StringRef parameter) const;
  std::vector<double> numbers(StringRef parameter) const;
  std::vector<bool> flags(StringRef parameter) const;
  /// @}

  /// \name Operands of pointwise ops
  /// @{
  bool isLiteral(StringRef parameter) const {
    return get(parameter).isNumber();
  }
  /// The type that arguments of these names are converted to before they are
  /// compared or computed with (torch.result_type).
  DType commonType(ArrayRef<StringRef> parameters);
  /// The argument as an operand of a computation in \p dtype: converted to it,
  /// or to f32 where that is narrower.
  Tensor operand(StringRef parameter, DType dtype);
  /// @}

  /// \name Results
  /// @{
  unsigned getNumResults() const { return results.size(); }
  /// Whether somebody may read the result: one of no known type is not.
  bool isWanted(unsigned index) const;
  Type getResultType(unsigned index) const { return resultTypes[index]; }
  /// The shape that the graph gives a result, if it is static.
  std::optional<Shape> getStaticShape(unsigned index) const;
  /// The element type of a result, f32 where nobody says.
  DType resultType(unsigned index = 0) const;
  /// A result that is no tensor, or whose type is as it should be.
  LogicalResult set(unsigned index, RuntimeValue value);
  /// A tensor result, converted to the type that the graph says.
  LogicalResult set(unsigned index, const Tensor &value);
  template <typename T>
  LogicalResult set(unsigned index, ArrayRef<int64_t> shape,
                    const std::vector<T> &values) {
    if (!isWanted(index))
      return success();
    return set(index, Tensor::make(resultType(index), shape, values));
  }
  std::vector<RuntimeValue> takeResults() { return std::move(results); }
  /// Puts \p value in the place of the first result, after takeResults.
  void restoreResult(RuntimeValue value) { results = {std::move(value)}; }
  void cloneResults();
  /// @}

  /// Remembers why the op cannot be executed; the first reason counts.
  LogicalResult fail(const Twine &message);
  /// The same where the call stands for several ops and the one at \p place is
  /// to blame.
  LogicalResult failAt(Location place, const Twine &message);
  bool hasFailed() const { return !error.empty(); }
  /// Where the op that is to blame stands; none if it is this one.
  std::optional<Location> getErrorPlace() const { return errorPlace; }
  const std::string &getError() const { return error; }

  /// \name Checks that fail the call
  /// @{
  /// \p dim from the front, in a tensor of \p rank dimensions.
  FailureOr<int64_t> wrapDim(int64_t dim, int64_t rank);
  /// Wrapped, sorted and without repetition; all where \p dims is empty.
  FailureOr<Shape> wrapDims(ArrayRef<int64_t> dims, int64_t rank);
  FailureOr<Shape> broadcast(ArrayRef<Tensor> tensors);
  /// \p index of a dimension of \p size, from the front.
  FailureOr<int64_t> wrapIndex(int64_t index, int64_t size);
  /// @}

private:
  Interpreter &interpreter;
  Operation *op;
  std::string name;
  TypeRange resultTypes;
  SmallVector<std::pair<StringRef, RuntimeValue>, 8> arguments;
  std::vector<RuntimeValue> results;
  std::string error;
  std::optional<Location> errorPlace;
};

using Kernel = std::function<LogicalResult(Call &)>;

/// Computes one op on several ranks at once, one call a rank, in their order.
/// A single call may stand alone: the program has one rank, or runs the op out
/// of a subgraph.
using LockstepKernel = std::function<LogicalResult(MutableArrayRef<Call>)>;

/// The kernels by op: under the full name (`aten.max.dim`), or without the
/// overload where all overloads are computed alike (`aten.add`).
class KernelTable {
public:
  /// Every kernel there is.
  KernelTable();

  /// Replaces what is there under \p name.
  void add(StringRef name, Kernel kernel) {
    lockstep.erase(name);
    kernels[name] = std::move(kernel);
  }
  void add(ArrayRef<StringRef> names, const Kernel &kernel) {
    for (StringRef name : names)
      add(name, kernel);
  }
  /// The kernel of \p name, of its packet, or of the op it is the in-place form
  /// (`add_`) or the copying form (`view_copy`) of; null if there is none.
  const Kernel *find(StringRef name) const;
  /// The same, for a kernel that is faster than the reference engine's.
  void addFaster(StringRef name, Kernel kernel) {
    add(name, std::move(kernel));
    faster.insert(name.str());
  }
  /// The names that an engine has faster kernels for.
  const std::set<std::string> &getFaster() const { return faster; }
  /// Kernels that see all ranks are found by their full name or packet.
  void addLockstep(ArrayRef<StringRef> names, const LockstepKernel &kernel) {
    for (StringRef name : names)
      lockstep[name] = kernel;
  }
  const LockstepKernel *findLockstep(StringRef name) const;
  bool has(StringRef name) const { return find(name) || findLockstep(name); }
  /// The parameter names of an op without schema, in order.
  void addSchema(StringRef name, ArrayRef<StringRef> parameters) {
    schemas[name].assign(parameters.begin(), parameters.end());
  }
  ArrayRef<StringRef> findSchema(StringRef name) const;

private:
  llvm::StringMap<Kernel> kernels;
  llvm::StringMap<LockstepKernel> lockstep;
  std::set<std::string> faster;
  llvm::StringMap<SmallVector<StringRef>> schemas;
};

/// \name The families
/// @{
void addActivationKernels(KernelTable &table);
void addArrangeKernels(KernelTable &table);
void addAttentionKernels(KernelTable &table);
void addCollectiveKernels(KernelTable &table);
void addConvolutionKernels(KernelTable &table);
void addCreationKernels(KernelTable &table);
void addHigherOrderKernels(KernelTable &table);
void addIndexKernels(KernelTable &table);
void addLossKernels(KernelTable &table);
void addMatmulKernels(KernelTable &table);
void addNormKernels(KernelTable &table);
void addPointwiseKernels(KernelTable &table);
void addPoolingKernels(KernelTable &table);
void addRandomKernels(KernelTable &table);
void addRecurrentKernels(KernelTable &table);
void addReductionKernels(KernelTable &table);
void addResampleKernels(KernelTable &table);
void addScanKernels(KernelTable &table);
void addScatterKernels(KernelTable &table);
void addSortKernels(KernelTable &table);
void addSymbolKernels(KernelTable &table);
void addUnaryKernels(KernelTable &table);
void addViewKernels(KernelTable &table);
/// @}

/// Calls \p visit with a value of the type that \p dtype is computed in.
template <typename Visit>
LogicalResult dispatch(DType dtype, Visit visit) {
  if (isComplex(dtype))
    return visit(Complex());
  if (isFloat(dtype))
    return visit(double());
  return visit(int64_t());
}

/// The same without complex numbers.
template <typename Visit>
LogicalResult dispatchReal(Call &call, DType dtype, Visit visit) {
  if (isComplex(dtype))
    return call.fail("not defined for complex numbers");
  if (isFloat(dtype))
    return visit(double());
  return visit(int64_t());
}

/// A tensor seen as `outer x size x inner` around one dimension.
struct DimSplit {
  int64_t outer = 1, size = 1, inner = 1;
  DimSplit(ArrayRef<int64_t> shape, int64_t dim) {
    for (int64_t before : shape.take_front(dim))
      outer *= before;
    if (shape.empty())
      return;
    size = shape[dim];
    for (int64_t behind : shape.drop_front(dim + 1))
      inner *= behind;
  }
  int64_t at(int64_t o, int64_t s, int64_t i) const {
    return (o * size + s) * inner + i;
  }
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_KERNEL_H
