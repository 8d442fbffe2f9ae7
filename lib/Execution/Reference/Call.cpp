#include "titan/Execution/Kernel.h"

#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/BuiltinTypes.h"
#include <numeric>

using namespace mlir;
using namespace mlir::titan;

const RuntimeValue &Call::get(StringRef parameter) const {
  static const RuntimeValue none;
  for (const auto &[known, value] : arguments)
    if (known == parameter)
      return value;
  return none;
}

SmallVector<std::pair<StringRef, RuntimeValue>>
Call::getNamedArguments() const {
  SmallVector<std::pair<StringRef, RuntimeValue>> named;
  for (const auto &[name, value] : arguments)
    if (name != "args")
      named.emplace_back(name, value);
  return named;
}

static Tensor toTensor(const RuntimeValue &value) {
  if (const auto *tensor = value.getIf<Tensor>())
    return *tensor;
  if (const auto *integer = value.getIf<int64_t>())
    return Tensor::scalar(DType::I64, *integer);
  if (const auto *number = value.getIf<double>())
    return Tensor::scalar(DType::F64, *number);
  if (const auto *flag = value.getIf<bool>())
    return Tensor::scalar(DType::Bool, static_cast<int64_t>(*flag));
  return Tensor();
}

static double toNumber(const RuntimeValue &value, double otherwise) {
  if (const auto *number = value.getIf<double>())
    return *number;
  if (const auto *integer = value.getIf<int64_t>())
    return static_cast<double>(*integer);
  if (const auto *flag = value.getIf<bool>())
    return *flag;
  if (const auto *tensor = value.getIf<Tensor>();
      tensor && tensor->getNumElements() == 1)
    return tensor->getItem<double>();
  return otherwise;
}

static int64_t toInteger(const RuntimeValue &value, int64_t otherwise) {
  if (const auto *integer = value.getIf<int64_t>())
    return *integer;
  if (const auto *tensor = value.getIf<Tensor>();
      tensor && tensor->getNumElements() == 1)
    return tensor->getItem<int64_t>();
  return static_cast<int64_t>(toNumber(value, static_cast<double>(otherwise)));
}

Tensor Call::tensor(StringRef parameter) { return toTensor(get(parameter)); }

std::vector<Tensor> Call::tensors(StringRef parameter) {
  std::vector<Tensor> result;
  if (const auto *list = get(parameter).getIf<RuntimeValue::List>())
    for (const RuntimeValue &element : *list)
      result.push_back(toTensor(element));
  return result;
}

int64_t Call::integer(StringRef parameter, int64_t otherwise) const {
  return toInteger(get(parameter), otherwise);
}

double Call::number(StringRef parameter, double otherwise) const {
  return toNumber(get(parameter), otherwise);
}

double Call::scalar(StringRef parameter, double otherwise) const {
  double value = number(parameter, otherwise);
  return resultType() == DType::F64 ? value : static_cast<float>(value);
}

bool Call::flag(StringRef parameter, bool otherwise) const {
  return toNumber(get(parameter), otherwise) != 0;
}

StringRef Call::text(StringRef parameter) const {
  if (const auto *text = get(parameter).getIf<std::string>())
    return *text;
  return {};
}

Shape Call::integers(StringRef parameter) const {
  Shape result;
  const RuntimeValue &value = get(parameter);
  if (const auto *list = value.getIf<RuntimeValue::List>())
    for (const RuntimeValue &element : *list)
      result.push_back(toInteger(element, 0));
  else if (!value.isNone())
    result.push_back(toInteger(value, 0));
  return result;
}

std::vector<double> Call::numbers(StringRef parameter) const {
  std::vector<double> result;
  if (const auto *list = get(parameter).getIf<RuntimeValue::List>())
    for (const RuntimeValue &element : *list)
      result.push_back(toNumber(element, 0));
  return result;
}

std::vector<bool> Call::flags(StringRef parameter) const {
  std::vector<bool> result;
  for (double number : numbers(parameter))
    result.push_back(number != 0);
  return result;
}

//===----------------------------------------------------------------------===//
// Operands of pointwise ops
//===----------------------------------------------------------------------===//

// The kinds of numbers, of which the higher wins.
static int getCategory(DType dtype) {
  if (isComplex(dtype))
    return 3;
  if (isFloat(dtype))
    return 2;
  return dtype == DType::Bool ? 0 : 1;
}

// Tensors with dimensions decide, then those without, then literals; a later
// group counts only if its category is higher.
DType Call::commonType(ArrayRef<StringRef> parameters) {
  std::optional<DType> groups[3];
  for (StringRef parameter : parameters) {
    if (!has(parameter))
      continue;
    Tensor value = tensor(parameter);
    bool literal = isLiteral(parameter);
    unsigned group = literal ? 2 : value.getRank() == 0 ? 1 : 0;
    // A literal float is of the default type.
    DType dtype =
        literal && isFloat(value.getDType()) ? DType::F32 : value.getDType();
    groups[group] = groups[group] ? promote(*groups[group], dtype) : dtype;
  }
  std::optional<DType> result;
  for (std::optional<DType> group : groups)
    if (group && (!result || getCategory(*group) > getCategory(*result)))
      result = result ? promote(*result, *group) : *group;
  return result.value_or(DType::F32);
}

Tensor Call::operand(StringRef parameter, DType dtype) {
  return tensor(parameter).to(getComputeType(dtype));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Call::isWanted(unsigned index) const {
  return index < resultTypes.size() &&
         !isa<titan::UnknownType>(resultTypes[index]);
}

std::optional<Shape> Call::getStaticShape(unsigned index) const {
  auto type = index < resultTypes.size()
                  ? dyn_cast<RankedTensorType>(resultTypes[index])
                  : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  return Shape(type.getShape());
}

DType Call::resultType(unsigned index) const {
  if (!isWanted(index))
    return DType::F32;
  return getDType(resultTypes[index]).value_or(DType::F32);
}

LogicalResult Call::set(unsigned index, RuntimeValue value) {
  if (const auto *tensor = value.getIf<Tensor>())
    return set(index, *tensor);
  if (index < results.size())
    results[index] = std::move(value);
  return success();
}

LogicalResult Call::set(unsigned index, const Tensor &value) {
  if (!isWanted(index))
    return success();
  if (auto type = dyn_cast<RankedTensorType>(resultTypes[index])) {
    bool agrees = type.getRank() == value.getRank();
    for (int64_t dim = 0; agrees && dim < value.getRank(); ++dim)
      agrees = type.isDynamicDim(dim) ||
               type.getDimSize(dim) == value.getShape()[dim];
    if (!agrees)
      return fail("result " + Twine(index) + " has the shape " +
                  formatShape(value.getShape()) + ", the graph says " +
                  formatShape(type.getShape()));
  }
  results[index].storage = value.to(resultType(index));
  return success();
}

void Call::cloneResults() {
  for (RuntimeValue &result : results)
    if (const auto *tensor = result.getIf<Tensor>())
      result = tensor->clone();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult Call::fail(const Twine &message) {
  if (error.empty())
    error = message.str();
  return failure();
}

LogicalResult Call::failAt(Location place, const Twine &message) {
  if (error.empty())
    errorPlace = place;
  return fail(message);
}

FailureOr<int64_t> Call::wrapDim(int64_t dim, int64_t rank) {
  int64_t limit = std::max<int64_t>(rank, 1);
  if (dim < -limit || dim >= limit)
    return fail("dimension " + Twine(dim) + " does not exist in a tensor of " +
                Twine(rank) + " dimensions");
  return dim < 0 ? dim + limit : dim;
}

FailureOr<Shape> Call::wrapDims(ArrayRef<int64_t> dims, int64_t rank) {
  Shape result;
  if (dims.empty()) {
    result.resize(rank);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  for (int64_t dim : dims) {
    FailureOr<int64_t> wrapped = wrapDim(dim, rank);
    if (failed(wrapped))
      return failure();
    // A tensor without dimensions has none to fold.
    if (rank > 0)
      result.push_back(*wrapped);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

FailureOr<Shape> Call::broadcast(ArrayRef<Tensor> tensors) {
  Shape shape;
  for (const Tensor &tensor : tensors) {
    if (tensor.getRank() > static_cast<int64_t>(shape.size()))
      shape.insert(shape.begin(), tensor.getRank() - shape.size(), 1);
    int64_t offset = shape.size() - tensor.getRank();
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (int64_t size = tensor.getShape()[dim]; size != 1)
        shape[offset + dim] = size;
  }
  for (const Tensor &tensor : tensors)
    if (!tensor.isBroadcastableTo(shape))
      return fail("cannot broadcast " + formatShape(tensor.getShape()) +
                  " to " + formatShape(shape));
  return shape;
}

FailureOr<int64_t> Call::wrapIndex(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    return fail("index " + Twine(index) +
                " is out of range of a dimension of " + Twine(size));
  return index < 0 ? index + size : index;
}
