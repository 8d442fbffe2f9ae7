#include "titan/Analysis/TensorSize.h"

#include "titan/Analysis/SymbolicExpression.h"
#include "titan/Dialect/Titan/IR/Annotations.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::titan;

// The table's entries are hints, or dictionaries that hold one.
static std::optional<int64_t> getHint(Attribute entry) {
  if (auto table = dyn_cast<DictionaryAttr>(entry))
    entry = table.get("hint");
  if (auto hint = dyn_cast_or_null<IntegerAttr>(entry))
    return hint.getInt();
  return std::nullopt;
}

TensorSizes::TensorSizes(ModuleOp module) {
  auto table = module ? module->getAttrOfType<DictionaryAttr>(kDynamicAttr)
                      : DictionaryAttr();
  if (!table)
    return;
  for (NamedAttribute entry : table)
    if (std::optional<int64_t> hint = getHint(entry.getValue()))
      hints[entry.getName().getValue()] = *hint;
}

std::optional<int64_t> TensorSizes::evaluate(StringRef expression) const {
  return evaluateExpression(expression, [&](StringRef symbol) {
    auto it = hints.find(symbol);
    return it == hints.end() ? kDefaultSymbolHint : it->second;
  });
}

int64_t TensorSizes::getNumElements(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  if (type.hasStaticShape())
    return type.getNumElements();
  LayoutAttr layout = getLayout(value);
  ArrayAttr shape = layout ? layout.getShape() : ArrayAttr();
  int64_t product = 1;
  for (auto [dimension, size] : llvm::enumerate(type.getShape())) {
    int64_t factor = size;
    if (ShapedType::isDynamic(size)) {
      factor = kDefaultSymbolHint;
      if (shape && dimension < shape.size())
        if (auto text = dyn_cast<StringAttr>(shape[dimension]))
          factor = evaluate(text.getValue()).value_or(kDefaultSymbolHint);
    }
    if (llvm::MulOverflow(product, factor, product))
      return INT64_MAX;
  }
  return std::max<int64_t>(product, 0);
}

int64_t TensorSizes::getBytes(Value value) const {
  Type type = value.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    int64_t bytes;
    if (llvm::MulOverflow(getNumElements(value),
                          getItemSize(tensor.getElementType()), bytes))
      return INT64_MAX;
    return bytes;
  }
  return isSymbolicNumberType(type) ? 1 : 0;
}

int64_t titan::getItemSize(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getItemSize(complex.getElementType());
  if (type.isIndex())
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}
