#include "Elementwise.h"

#include "titan/Interfaces/TypeRules.h"

using namespace mlir;
using namespace mlir::titan;

std::function<bool(Operation *)> titan::hasResultOf(NumberKinds kinds) {
  return [kinds](Operation *op) {
    bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    return kinds == NumberKinds::All ||
           isFloat == (kinds == NumberKinds::Floats);
  };
}

FailureOr<SmallVector<Value>>
titan::mapNamed(Lowering &l, ArrayRef<StringRef> names, Width width,
                function_ref<Value(Formula &, ValueRange)> body) {
  SmallVector<Operand> operands;
  for (StringRef name : names) {
    operands.push_back(l.operand(name));
    if (operands.back().isNull())
      return failure();
  }
  Type element = l.resultElementType();
  Type narrow = getComputeType(element);
  Type compute = width == Width::Wide && isa<FloatType>(narrow)
                     ? l.builder().getF64Type()
                     : narrow;
  return SmallVector<Value>{l.map(operands, compute, element, body, narrow)};
}

double titan::getParameter(Lowering &l, StringRef name, double otherwise) {
  double value = l.call().getNumber(name).value_or(otherwise);
  return l.resultElementType().isF64() ? value : static_cast<float>(value);
}

std::optional<double> titan::getLiteral(Operand operand) {
  auto attribute = dyn_cast_if_present<Attribute>(operand);
  if (auto number = dyn_cast_if_present<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_if_present<IntegerAttr>(attribute))
    return static_cast<double>(number.getInt());
  return std::nullopt;
}

bool titan::getOperands(Operation *op, ArrayRef<StringRef> names,
                        MutableArrayRef<Operand> operands) {
  CallView call(op);
  for (auto [name, operand] : llvm::zip_equal(names, operands)) {
    std::optional<unsigned> index = call.find(name);
    if (!index)
      return false;
    if (Value value = call.getOperand(*index))
      operand = value;
    else if (Attribute literal = call.getAttribute(*index))
      operand = literal;
    else
      return false;
  }
  return true;
}

// Bool, integer, float: a number of a higher kind decides over tensors.
static unsigned getCategory(Type type) {
  return type.isInteger(1) ? 0 : isa<FloatType>(type) ? 2 : 1;
}

Type titan::getCommonType(ArrayRef<Operand> operands) {
  Type byRank[2], ofNumbers;
  auto merge = [](Type &into, Type type) {
    into = into ? promoteTypes(into, type) : type;
  };
  for (Operand operand : operands) {
    if (auto value = dyn_cast<Value>(operand)) {
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
        merge(byRank[tensor.getRank() == 0], tensor.getElementType());
        continue;
      }
      Type type = value.getType();
      merge(ofNumbers,
            type.isIndex() ? IntegerType::get(type.getContext(), 64) : type);
      continue;
    }
    merge(ofNumbers, cast<TypedAttr>(cast<Attribute>(operand)).getType());
  }
  Type result = byRank[0];
  for (Type type : {byRank[1], ofNumbers}) {
    if (!type)
      continue;
    if (!result)
      result = type;
    else if (getCategory(type) > getCategory(result))
      // A Python float brings PyTorch's default type.
      result = type == ofNumbers && isa<FloatType>(type)
                   ? Type(Float32Type::get(type.getContext()))
                   : type;
  }
  return result;
}
