#include "titan/Interfaces/TypeRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

bool titan::agree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return agree(std::get<0>(pair), std::get<1>(pair));
         });
}

int64_t titan::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    count *= size;
  }
  return count;
}

std::optional<Shape> titan::broadcast(ArrayRef<int64_t> a,
                                      ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a);
  for (auto [to, from] :
       llvm::zip(MutableArrayRef<int64_t>(result).take_back(b.size()), b)) {
    if (from == 1)
      continue;
    // Of an unknown and a known size other than one, the known one wins.
    if (to == 1 || ShapedType::isDynamic(to))
      to = from;
    else if (!agree(to, from))
      return std::nullopt;
  }
  return result;
}

std::string titan::formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << '?';
    else
      stream << size;
  });
  stream << ']';
  return text;
}

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

bool titan::isFloating(Type type) { return isa_and_nonnull<FloatType>(type); }

bool titan::isIntegral(Type type) {
  return isa_and_nonnull<IntegerType>(type) && !type.isInteger(1);
}

static Type promoteFloats(Type a, Type b) {
  unsigned widthA = a.getIntOrFloatBitWidth();
  unsigned widthB = b.getIntOrFloatBitWidth();
  if (widthA < 16 || widthB < 16)
    return {};
  if (widthA == widthB)
    return Float32Type::get(a.getContext());
  return widthA > widthB ? a : b;
}

static Type promoteIntegers(Type a, Type b) {
  auto narrow = cast<IntegerType>(a), wide = cast<IntegerType>(b);
  if (narrow.getWidth() > wide.getWidth())
    std::swap(narrow, wide);
  if (narrow.isUnsigned() == wide.isUnsigned())
    return wide;
  // A byte without sign fits into all wider types that have one.
  if (narrow.isUnsigned() && narrow.getWidth() == 8)
    return IntegerType::get(a.getContext(), std::max(wide.getWidth(), 16u));
  if (wide.isUnsigned() && wide.getWidth() == 8)
    return IntegerType::get(a.getContext(), 16);
  return {};
}

Type titan::promoteTypes(Type a, Type b) {
  if (!a || !b)
    return {};
  if (a == b || b.isInteger(1))
    return a;
  if (a.isInteger(1))
    return b;
  auto complexA = dyn_cast<ComplexType>(a), complexB = dyn_cast<ComplexType>(b);
  if (complexA || complexB) {
    Type partA = complexA ? complexA.getElementType() : a;
    Type partB = complexB ? complexB.getElementType() : b;
    Type part = !isFloating(partA)   ? partB
                : !isFloating(partB) ? partA
                                     : promoteTypes(partA, partB);
    return part ? ComplexType::get(part) : Type();
  }
  if (isFloating(a) && isFloating(b))
    return promoteFloats(a, b);
  if (isFloating(a) || isFloating(b))
    return isFloating(a) ? a : b;
  return promoteIntegers(a, b);
}

namespace {

/// The dtype of one class of arguments (tensors, tensors of rank 0, numbers)
/// while they are gathered.
struct Gathered {
  bool present = false;
  Dtype dtype;

  void add(Dtype other) {
    if (!std::exchange(present, true)) {
      dtype = other;
      return;
    }
    if (dtype.kind == Dtype::Kind::Exact && other.kind == Dtype::Kind::Exact)
      dtype = Dtype::exactly(promoteTypes(dtype.type, other.type));
    else if (dtype.kind == Dtype::Kind::Unknown ||
             other.kind == Dtype::Kind::Unknown)
      dtype = {};
    else if (isComplex(dtype) || isComplex(other))
      dtype = {};
    else
      dtype = Dtype::anyFloat();
  }
  static bool isComplex(Dtype dtype) {
    return isa_and_nonnull<ComplexType>(dtype.type);
  }
};

} // namespace

// What a higher class makes of a lower one: its own dtype, unless the lower has
// a higher category (bool, integer, float, complex).
static Gathered combine(Gathered higher, Gathered lower) {
  if (!higher.present)
    return lower;
  if (!lower.present || higher.dtype.kind == Dtype::Kind::AnyFloat)
    return higher;
  if (higher.dtype.kind == Dtype::Kind::Unknown)
    return higher;
  Type type = higher.dtype.type;
  if (isa<ComplexType>(type))
    return higher;
  bool lowerComplex = isa_and_nonnull<ComplexType>(lower.dtype.type);
  if (isFloating(type)) {
    if (lowerComplex)
      higher.dtype = Dtype::exactly(ComplexType::get(type));
    return higher;
  }
  if (lower.dtype.kind != Dtype::Kind::Exact)
    return {true, lower.dtype};
  if (type.isInteger(1) || isFloating(lower.dtype.type) || lowerComplex)
    higher.dtype = Dtype::exactly(promoteTypes(type, lower.dtype.type));
  return higher;
}

//===----------------------------------------------------------------------===//
// TypeCheck
//===----------------------------------------------------------------------===//

RankedTensorType TypeCheck::getTensor(StringRef name) const {
  Value value = call.getValue(name);
  return value ? dyn_cast<RankedTensorType>(value.getType())
               : RankedTensorType();
}

RankedTensorType TypeCheck::getFirstTensor() const {
  return op->getNumOperands()
             ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
             : RankedTensorType();
}

std::optional<SmallVector<RankedTensorType>>
TypeCheck::getTensors(StringRef name) const {
  SmallVector<RankedTensorType> types;
  for (Value value : call.getValues(name)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return std::nullopt;
    types.push_back(type);
  }
  return types;
}

bool TypeCheck::isSymbolic(StringRef name) const {
  std::optional<unsigned> index = call.find(name);
  return index && !call.getOperands(*index).empty();
}

std::string TypeCheck::nameResult(unsigned result) const {
  return op->getNumResults() == 1 ? std::string("the result")
                                  : "result " + std::to_string(result);
}

LogicalResult TypeCheck::expectRank(StringRef name, unsigned rank) const {
  RankedTensorType type = getTensor(name);
  if (type && type.getRank() != static_cast<int64_t>(rank))
    return error() << "'" << name << "' to have " << rank
                   << " dimensions, found " << type;
  return success();
}

std::optional<unsigned> TypeCheck::wrapDim(int64_t dim, unsigned rank) const {
  int64_t limit = std::max(rank, 1u);
  if (dim < -limit || dim >= limit) {
    error() << "a dimension from " << -limit << " to " << limit - 1
            << ", found " << dim;
    return std::nullopt;
  }
  return dim < 0 ? dim + limit : dim;
}

LogicalResult TypeCheck::expectAtMostResults(unsigned count) const {
  if (op->getNumResults() > count)
    return error() << "at most " << count << " results, found "
                   << op->getNumResults();
  return success();
}

LogicalResult TypeCheck::expectShape(unsigned result,
                                     ArrayRef<int64_t> shape) const {
  if (result >= op->getNumResults())
    return success();
  Type found = op->getResult(result).getType();
  auto type = dyn_cast<RankedTensorType>(found);
  if (type && !agree(type.getShape(), shape))
    return error() << nameResult(result) << " to have shape "
                   << formatShape(shape) << ", found "
                   << formatShape(type.getShape());
  if (!type && isSymbolicNumberType(found))
    return error() << nameResult(result) << " to be a tensor, found " << found;
  return success();
}

LogicalResult TypeCheck::expectDtype(unsigned result, Dtype dtype) const {
  if (result >= op->getNumResults())
    return success();
  auto type = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  if (!type)
    return success();
  Type found = type.getElementType();
  if (dtype.kind == Dtype::Kind::Exact && found != dtype.type)
    return error() << nameResult(result) << " to hold " << dtype.type
                   << ", found " << found;
  if (dtype.kind == Dtype::Kind::AnyFloat && !isFloating(found))
    return error() << nameResult(result)
                   << " to hold a floating point type, found " << found;
  return success();
}

LogicalResult TypeCheck::expectSameDtype(StringRef a, StringRef b) const {
  RankedTensorType typeA = getTensor(a), typeB = getTensor(b);
  if (typeA && typeB && typeA.getElementType() != typeB.getElementType())
    return error() << "'" << a << "' and '" << b << "' to hold the same type, "
                   << "found " << typeA.getElementType() << " and "
                   << typeB.getElementType();
  return success();
}

FailureOr<std::optional<Shape>>
TypeCheck::broadcastArguments(ArrayRef<StringRef> names) const {
  Shape shape;
  for (StringRef name : names) {
    Value value = call.getValue(name);
    if (!value || isSymbolicNumberType(value.getType()))
      continue;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return std::optional<Shape>();
    std::optional<Shape> wider = broadcast(shape, type.getShape());
    if (!wider) {
      error() << "'" << name << "' to be broadcast with shape "
              << formatShape(shape) << ", found " << type;
      return failure();
    }
    shape = *wider;
  }
  return std::optional<Shape>(shape);
}

static Dtype getNumberDtype(Type type) {
  if (type.isF64())
    return Dtype::anyFloat();
  if (type.isIndex())
    return Dtype::exactly(IntegerType::get(type.getContext(), 64));
  return Dtype::exactly(type);
}

Dtype TypeCheck::promoteArguments(ArrayRef<StringRef> names) const {
  Gathered tensors, scalars, numbers;
  for (StringRef name : names) {
    std::optional<unsigned> index = call.find(name);
    if (!index)
      continue;
    if (Value value = call.getOperand(*index)) {
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        (type.getRank() ? tensors : scalars)
            .add(Dtype::exactly(type.getElementType()));
      else if (isSymbolicNumberType(value.getType()))
        numbers.add(getNumberDtype(value.getType()));
      else
        return {};
    } else if (auto number =
                   dyn_cast_or_null<TypedAttr>(call.getAttribute(*index))) {
      numbers.add(getNumberDtype(number.getType()));
    }
  }
  return combine(tensors, combine(scalars, numbers)).dtype;
}
