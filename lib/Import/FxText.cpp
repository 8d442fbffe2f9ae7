#include "FxText.h"

#include "CallForm.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Import/Annotation.h"
#include "titan/Import/Literal.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/PythonNames.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

template <typename Range, typename Each>
static std::string joinList(Range &&range, Each each) {
  std::string text = "[";
  for (auto [index, element] : llvm::enumerate(range))
    text += (index ? ", " : "") + each(element);
  return text + "]";
}

static std::string getEntryText(Attribute entry) {
  if (auto text = dyn_cast<StringAttr>(entry))
    return text.str();
  return std::to_string(cast<IntegerAttr>(entry).getInt());
}

static std::string getTensorText(RankedTensorType type, LayoutAttr layout,
                                 const FxTypeForm &form) {
  std::string text = getAbbreviation(type.getElementType()).str();
  auto number = [](int64_t value) {
    return ShapedType::isDynamic(value) ? "?" : std::to_string(value);
  };
  if (layout && layout.getShape())
    text += joinList(layout.getShape(), getEntryText);
  else
    text += joinList(type.getShape(), number);
  if (!form.hasStrides)
    return text;
  if (layout && layout.getStrides())
    text += joinList(layout.getStrides(), getEntryText);
  else if (type.hasStaticShape())
    text += joinList(getContiguousStrides(type.getShape()), number);
  StringRef device = form.device;
  if (layout && layout.getDevice() && !layout.getDevice().empty())
    device = layout.getDevice();
  return text + device.str();
}

std::string titan::getAnnotationText(Value value, const FxTypeForm &form) {
  LayoutAttr layout = titan::getLayout(value);
  std::string text;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    text = getTensorText(tensor, layout, form);
  else if (auto sym = value.getDefiningOp<SymOp>())
    text = sym.getValue().empty() ? "" : ("Sym(" + sym.getValue() + ")").str();
  else if (layout && layout.getValue())
    text = ("Sym(" + layout.getValue().getValue() + ")").str();
  else if (auto opaque = dyn_cast<titan::OpaqueType>(value.getType()))
    text = opaque.getKind().str();
  if (text.empty())
    return text;
  if (layout && layout.getWrapper()) {
    auto [before, after] = layout.getWrapper().getValue().split('@');
    text = (before + text + after).str();
  }
  return ": \"" + text + "\"";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static std::string getArgumentText(const CallView &call, unsigned index,
                                   const FxNames &names) {
  OperandRange operands = call.getOperands(index);
  Attribute attribute = call.getAttribute(index);
  switch (call.getSchema()[index].kind) {
  case ParameterKind::Tensors:
    return joinList(operands, names.value);
  case ParameterKind::OptionalTensors: {
    auto operand = operands.begin();
    return joinList(
        cast<DenseBoolArrayAttr>(attribute).asArrayRef(), [&](bool present) {
          return present ? names.value(*operand++) : std::string("None");
        });
  }
  case ParameterKind::SymInts: {
    auto operand = operands.begin();
    return joinList(
        cast<DenseI64ArrayAttr>(attribute).asArrayRef(), [&](int64_t size) {
          return ShapedType::isDynamic(size) ? names.value(*operand++)
                                             : std::to_string(size);
        });
  }
  case ParameterKind::Ints:
    return joinList(cast<DenseI64ArrayAttr>(attribute).asArrayRef(),
                    [](int64_t value) { return std::to_string(value); });
  case ParameterKind::Floats:
    return joinList(cast<DenseF64ArrayAttr>(attribute).asArrayRef(),
                    getFloatText);
  case ParameterKind::Bools:
    return joinList(
        cast<DenseBoolArrayAttr>(attribute).asArrayRef(),
        [](bool value) { return std::string(value ? "True" : "False"); });
  case ParameterKind::Dtype:
    return ("torch." + getDtypeName(cast<TypeAttr>(attribute).getValue()))
        .str();
  case ParameterKind::Layout:
  case ParameterKind::MemoryFormat:
    return "torch." + cast<StringAttr>(attribute).str();
  case ParameterKind::Device:
    return getPythonDevice(cast<StringAttr>(attribute));
  default:
    return operands.empty() ? getLiteralText(attribute)
                            : names.value(operands.front());
  }
}

// The keyword of each argument: as the source had it, else as is usual. What a
// pass has added since then comes last.
static SmallVector<StringRef>
getKeywords(Operation *op, ArrayRef<SchemaParameter> schema,
            llvm::function_ref<bool(unsigned)> isPresent) {
  SmallVector<StringRef> keywords;
  auto written = op->getAttrOfType<ArrayAttr>(kKeywordsAttr);
  if (!written) {
    getUsualKeywords(schema, isPresent, keywords);
    return keywords;
  }
  unsigned numPositional = 0;
  for (auto keyword : written.getAsRange<StringAttr>()) {
    keywords.push_back(keyword.getValue());
    numPositional += keyword.empty();
  }
  for (unsigned i = numPositional; i < schema.size(); ++i)
    if (isPresent(i) && !llvm::is_contained(keywords, schema[i].name))
      keywords.push_back(schema[i].name);
  return keywords;
}

static std::string getSchemaCallText(Operation *op, const FxNames &names) {
  CallView call(op);
  ArrayRef<SchemaParameter> schema = call.getSchema();
  auto isPresent = [&](unsigned index) {
    return call.isPresent(index) ||
           (schema[index].kind == ParameterKind::Tensors &&
            schema[index].defaultText.empty());
  };
  SmallVector<std::string> arguments;
  unsigned next = 0;
  for (StringRef keyword : getKeywords(op, schema, isPresent)) {
    std::optional<unsigned> index =
        keyword.empty() ? next++ : call.find(keyword);
    if (!index || *index >= schema.size())
      continue;
    // What a pass has removed since then is the default, which None may not be.
    StringRef usual = schema[*index].defaultText;
    if (!isPresent(*index) && !keyword.empty() && !usual.empty() &&
        usual != "None")
      continue;
    std::string text =
        isPresent(*index) ? getArgumentText(call, *index, names) : "None";
    arguments.push_back(keyword.empty() ? text : keyword.str() + " = " + text);
  }
  return "torch.ops." + getTorchName(op) + "(" + llvm::join(arguments, ", ") +
         ")";
}

namespace {

/// Writes the literals of a `titan.torch_op`, operands in their places.
class TorchOpText {
public:
  TorchOpText(TorchOp op, const FxNames &names) : op(op), names(names) {}

  std::string get();

private:
  std::string get(Attribute attribute);
  std::string join(ArrayRef<Attribute> attributes) {
    std::string text;
    for (auto [index, attribute] : llvm::enumerate(attributes))
      text += (index ? ", " : "") + get(attribute);
    return text;
  }

  TorchOp op;
  const FxNames &names;
};

} // namespace

std::string TorchOpText::get(Attribute attribute) {
  if (auto argument = dyn_cast<ArgumentAttr>(attribute))
    return names.value(op.getInputs()[argument.getIndex()]);
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
    return names.symbol(symbol.getValue());
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    return "[" + join(list.getValue()) + "]";
  if (auto tuple = dyn_cast<TupleAttr>(attribute)) {
    ArrayRef<Attribute> elements = tuple.getElements().getValue();
    return "(" + join(elements) + (elements.size() == 1 ? ",)" : ")");
  }
  if (auto dict = dyn_cast<DictAttr>(attribute)) {
    ArrayRef<Attribute> entries = dict.getEntries().getValue();
    std::string text = "{";
    for (size_t i = 0; i + 1 < entries.size(); i += 2)
      text += (i ? ", " : "") + get(entries[i]) + ": " + get(entries[i + 1]);
    return text + "}";
  }
  return getLiteralText(attribute);
}

std::string TorchOpText::get() {
  ArrayRef<Attribute> args = op.getArgs().getValue();
  if (op.getName() == "operator.getitem" && args.size() == 2)
    return get(args[0]) + "[" + get(args[1]) + "]";
  std::string text = (op.getName().starts_with("torch.") ? "" : "torch.ops.") +
                     op.getName().str() + "(" + join(args);
  if (std::optional<DictAttr> kwargs = op.getKwargs()) {
    ArrayRef<Attribute> entries = kwargs->getEntries().getValue();
    for (size_t i = 0; i + 1 < entries.size(); i += 2)
      text += (args.empty() && i == 0 ? "" : ", ") +
              cast<StringAttr>(entries[i]).str() + " = " + get(entries[i + 1]);
  }
  return text + ")";
}

// `@0 + 1` with the names of the operands.
static std::string getSymbolText(SymOp op, const FxNames &names) {
  std::string text;
  StringRef rest = op.getPython();
  while (true) {
    size_t mark = rest.find('@');
    text += rest.take_front(mark);
    if (mark == StringRef::npos)
      return text;
    rest = rest.drop_front(mark + 1);
    unsigned index;
    if (rest.consumeInteger(10, index) || index >= op.getInputs().size())
      text += '@';
    else
      text += names.value(op.getInputs()[index]);
  }
}

std::string titan::getCallText(Operation *op, const FxNames &names) {
  if (auto torch = dyn_cast<TorchOp>(op))
    return TorchOpText(torch, names).get();
  if (auto sym = dyn_cast<SymOp>(op))
    return getSymbolText(sym, names);
  return getSchemaCallText(op, names);
}
