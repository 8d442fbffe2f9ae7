#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::titan;

CallView::CallView(Operation *op)
    : op(op), schema(cast<TorchOpInterface>(op).getSchema()) {}

std::optional<unsigned> CallView::find(StringRef name) const {
  for (auto [index, parameter] : llvm::enumerate(schema))
    if (parameter.name == name)
      return index;
  return std::nullopt;
}

OperandRange CallView::getOperands(unsigned index) const {
  if (!hasOperands(schema[index].kind))
    return op->getOperands().take_front(0);
  unsigned group =
      llvm::count_if(schema.take_front(index), [](const SchemaParameter &p) {
        return hasOperands(p.kind);
      });
  auto [start, length] = cast<TorchOpInterface>(op).getOperandGroup(group);
  return op->getOperands().slice(start, length);
}

Value CallView::getOperand(unsigned index) const {
  OperandRange operands = getOperands(index);
  return operands.empty() ? Value() : operands.front();
}

Attribute CallView::getAttribute(unsigned index) const {
  const SchemaParameter &parameter = schema[index];
  if (!hasAttribute(parameter.kind))
    return {};
  return op->getInherentAttr(parameter.attributeName).value_or(Attribute());
}

bool CallView::isPresent(unsigned index) const {
  return !getOperands(index).empty() || getAttribute(index);
}

static std::optional<int64_t> parsePythonInt(StringRef text) {
  int64_t value;
  if (text.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<int64_t> CallView::getInt(StringRef name) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return std::nullopt;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(getAttribute(*index)))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getInt();
  if (isPresent(*index))
    return std::nullopt;
  return parsePythonInt(schema[*index].defaultText);
}

bool CallView::getBool(StringRef name, bool otherwise) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return otherwise;
  if (auto flag = dyn_cast_or_null<BoolAttr>(getAttribute(*index)))
    return flag.getValue();
  StringRef text = schema[*index].defaultText;
  return text == "True" || (text != "False" && otherwise);
}

std::optional<double> CallView::getNumber(StringRef name) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return std::nullopt;
  Attribute attribute = getAttribute(*index);
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (isa_and_nonnull<IntegerAttr>(attribute))
    return static_cast<double>(*getInt(name));
  if (isPresent(*index))
    return std::nullopt;
  double value;
  if (schema[*index].defaultText.getAsDouble(value))
    return std::nullopt;
  return value;
}

StringRef CallView::getString(StringRef name) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return {};
  if (auto text = dyn_cast_or_null<StringAttr>(getAttribute(*index)))
    return text.getValue();
  return {};
}

Type CallView::getDtype(StringRef name) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return {};
  if (auto type = dyn_cast_or_null<TypeAttr>(getAttribute(*index)))
    return type.getValue();
  return {};
}

std::optional<SmallVector<int64_t>> CallView::getInts(StringRef name) const {
  std::optional<unsigned> index = find(name);
  if (!index)
    return std::nullopt;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(getAttribute(*index)))
    return llvm::to_vector(array.asArrayRef());
  return std::nullopt;
}

SmallVector<Value> CallView::getValues(StringRef name) const {
  if (std::optional<unsigned> index = find(name))
    return llvm::to_vector_of<Value>(getOperands(*index));
  return {};
}

Value CallView::getValue(StringRef name) const {
  if (std::optional<unsigned> index = find(name))
    return getOperand(*index);
  return {};
}
