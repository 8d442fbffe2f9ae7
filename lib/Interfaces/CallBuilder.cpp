#include "titan/Interfaces/CallBuilder.h"

#include "titan/Interfaces/PythonNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// One parameter
//===----------------------------------------------------------------------===//

namespace {

/// What one parameter stores.
struct StoredArgument {
  SmallVector<Value, 4> operands;
  Attribute attribute;
};

/// Stores one argument in the place of one parameter.
class ArgumentStore {
public:
  ArgumentStore(MLIRContext *context, const SchemaParameter &parameter,
                StoredArgument &stored)
      : context(context), parameter(parameter), stored(stored) {}

  bool store(const CallArgument &argument);

private:
  bool storeValue(const CallArgument &argument);
  bool storeList(ArrayRef<CallArgument> elements);
  bool storeLiteral(const CallArgument &argument);
  bool storePython(StringRef text);

  template <typename Array, typename T, typename Extract>
  bool storeArray(ArrayRef<CallArgument> elements, Extract extract) {
    SmallVector<T> values;
    for (const CallArgument &element : elements) {
      std::optional<T> value = extract(element);
      if (!value)
        return false;
      values.push_back(*value);
    }
    stored.attribute = Array::get(context, values);
    return true;
  }

  MLIRContext *context;
  const SchemaParameter &parameter;
  StoredArgument &stored;
};

} // namespace

static Attribute getLiteral(const CallArgument &argument) {
  return argument.getKind() == CallArgument::Kind::Literal
             ? argument.getLiteral()
             : Attribute();
}

static std::optional<int64_t> getInteger(const CallArgument &argument) {
  auto integer = dyn_cast_or_null<IntegerAttr>(getLiteral(argument));
  if (integer && integer.getType().isInteger(64))
    return integer.getInt();
  return std::nullopt;
}

static std::optional<bool> getFlag(const CallArgument &argument) {
  if (auto flag = dyn_cast_or_null<BoolAttr>(getLiteral(argument)))
    return flag.getValue();
  return std::nullopt;
}

static std::optional<double> getFloat(const CallArgument &argument) {
  auto number = dyn_cast_or_null<FloatAttr>(getLiteral(argument));
  if (number && number.getType().isF64())
    return number.getValueAsDouble();
  return std::nullopt;
}

bool ArgumentStore::store(const CallArgument &argument) {
  switch (argument.getKind()) {
  case CallArgument::Kind::None:
    // Absence is how an op says None; a default of another kind would come
    // back instead.
    return parameter.defaultText == "None" ||
           (parameter.defaultText.empty() &&
            (parameter.isNullable ||
             parameter.kind == ParameterKind::OptionalTensor ||
             parameter.kind == ParameterKind::Generator));
  case CallArgument::Kind::Value:
    return storeValue(argument);
  case CallArgument::Kind::List:
    return storeList(argument.getElements());
  case CallArgument::Kind::Literal:
    return storeLiteral(argument);
  case CallArgument::Kind::Python:
    return storePython(argument.getText());
  }
  return false;
}

bool ArgumentStore::storeValue(const CallArgument &argument) {
  Type type = argument.getValue().getType();
  switch (parameter.kind) {
  case ParameterKind::Tensor:
  case ParameterKind::TensorOrScalar:
  case ParameterKind::OptionalTensor:
    if (!isTorchValueType(type))
      return false;
    break;
  case ParameterKind::SymInt:
    if (!type.isIndex())
      return false;
    break;
  case ParameterKind::Scalar:
    if (!isSymbolicNumberType(type))
      return false;
    break;
  case ParameterKind::Generator:
    break;
  default:
    return false;
  }
  stored.operands.push_back(argument.getValue());
  return true;
}

bool ArgumentStore::storeLiteral(const CallArgument &argument) {
  Attribute literal = argument.getLiteral();
  switch (parameter.kind) {
  case ParameterKind::TensorOrScalar:
  case ParameterKind::Scalar:
  case ParameterKind::Float:
    if (!isNumberAttr(literal))
      return false;
    break;
  case ParameterKind::SymInt:
  case ParameterKind::Int:
    if (!getInteger(argument))
      return false;
    break;
  case ParameterKind::Bool:
    if (!isa<BoolAttr>(literal))
      return false;
    break;
  case ParameterKind::String:
    if (!isa<StringAttr>(literal))
      return false;
    break;
  case ParameterKind::Dtype:
    if (!isa<TypeAttr>(literal))
      return false;
    break;
  default:
    return false;
  }
  stored.attribute = literal;
  return true;
}

bool ArgumentStore::storePython(StringRef text) {
  switch (parameter.kind) {
  case ParameterKind::Dtype: {
    if (!text.consume_front("torch."))
      return false;
    Type type = getTypeOfDtype(context, text);
    if (!type)
      return false;
    stored.attribute = TypeAttr::get(type);
    return true;
  }
  case ParameterKind::Layout:
  case ParameterKind::MemoryFormat:
    if (!text.consume_front("torch.") || text.contains('.'))
      return false;
    stored.attribute = StringAttr::get(context, text);
    return true;
  case ParameterKind::Device: {
    std::optional<std::string> device = parsePythonDevice(text);
    if (!device)
      return false;
    stored.attribute = StringAttr::get(context, *device);
    return true;
  }
  default:
    return false;
  }
}

bool ArgumentStore::storeList(ArrayRef<CallArgument> elements) {
  auto isTensor = [](const CallArgument &element) {
    return element.getKind() == CallArgument::Kind::Value &&
           isTorchValueType(element.getValue().getType());
  };
  switch (parameter.kind) {
  case ParameterKind::Tensors:
    for (const CallArgument &element : elements) {
      if (!isTensor(element))
        return false;
      stored.operands.push_back(element.getValue());
    }
    return true;
  case ParameterKind::OptionalTensors: {
    SmallVector<bool> present;
    for (const CallArgument &element : elements) {
      present.push_back(!element.isNone());
      if (element.isNone())
        continue;
      if (!isTensor(element))
        return false;
      stored.operands.push_back(element.getValue());
    }
    stored.attribute = DenseBoolArrayAttr::get(context, present);
    return true;
  }
  case ParameterKind::SymInts: {
    auto getSize = [&](const CallArgument &element) -> std::optional<int64_t> {
      std::optional<int64_t> integer = getInteger(element);
      if (integer && !ShapedType::isDynamic(*integer))
        return integer;
      if (element.getKind() != CallArgument::Kind::Value ||
          !element.getValue().getType().isIndex())
        return std::nullopt;
      stored.operands.push_back(element.getValue());
      return ShapedType::kDynamic;
    };
    return storeArray<DenseI64ArrayAttr, int64_t>(elements, getSize);
  }
  case ParameterKind::Ints:
    return storeArray<DenseI64ArrayAttr, int64_t>(elements, getInteger);
  case ParameterKind::Bools:
    return storeArray<DenseBoolArrayAttr, bool>(elements, getFlag);
  case ParameterKind::Floats:
    return storeArray<DenseF64ArrayAttr, double>(elements, getFloat);
  case ParameterKind::Scalars: {
    SmallVector<Attribute> numbers;
    for (const CallArgument &element : elements) {
      numbers.push_back(getLiteral(element));
      if (!numbers.back() || !isNumberAttr(numbers.back()))
        return false;
    }
    stored.attribute = ArrayAttr::get(context, numbers);
    return true;
  }
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

CallBuilder::CallBuilder(MLIRContext *context)
    : context(context),
      segmentsName(StringAttr::get(context, "operandSegmentSizes")) {}

static std::optional<unsigned> getNumResults(OperationName name) {
  if (name.hasTrait<OpTrait::OneResult>())
    return 1;
  if (name.hasTrait<OpTrait::ZeroResults>())
    return 0;
  auto matches =
      [&]<unsigned... counts>(std::integer_sequence<unsigned, counts...>) {
        std::optional<unsigned> found;
        ((name.hasTrait<OpTrait::NResults<counts + 2>::template Impl>()
              ? (void)(found = counts + 2)
              : (void)0),
         ...);
        return found;
      };
  return matches(std::make_integer_sequence<unsigned, 14>());
}

const CallTarget *CallBuilder::lookup(StringRef name) {
  auto [entry, isNew] = targets.try_emplace(name);
  if (!isNew)
    return entry->second.get();
  std::optional<RegisteredOperationName> registered =
      RegisteredOperationName::lookup(name, context);
  if (!registered)
    return nullptr;
  auto *model = registered->getInterface<TorchOpInterface>();
  if (!model)
    return nullptr;
  auto target = std::make_unique<CallTarget>(
      CallTarget{*registered, model->getSchema(), {}, {}, false});
  unsigned variableGroups = 0;
  for (const SchemaParameter &parameter : target->schema) {
    target->attributeNames.push_back(
        hasAttribute(parameter.kind)
            ? StringAttr::get(context, getAttributeName(parameter))
            : StringAttr());
    variableGroups +=
        hasOperands(parameter.kind) && parameter.kind != ParameterKind::Tensor;
  }
  target->hasSegments = variableGroups > 1;
  target->numResults = getNumResults(*registered);
  entry->second = std::move(target);
  return entry->second.get();
}

static LogicalResult refuse(std::string *reason, const Twine &text) {
  if (reason)
    *reason = text.str();
  return failure();
}

LogicalResult CallBuilder::store(const CallTarget &target,
                                 ArrayRef<NamedCallArgument> arguments,
                                 StoredCall &call, std::string *reason) {
  ArrayRef<SchemaParameter> schema = target.schema;
  SmallVector<const CallArgument *, 8> given(schema.size(), nullptr);
  unsigned next = 0;
  for (const NamedCallArgument &argument : arguments) {
    unsigned index = next;
    if (argument.keyword.empty()) {
      if (next >= schema.size() || schema[next].keywordOnly)
        return refuse(reason, "more positional arguments than the schema has");
      ++next;
    } else {
      index = llvm::find_if(schema,
                            [&](const SchemaParameter &parameter) {
                              return parameter.name == argument.keyword;
                            }) -
              schema.begin();
      if (index == schema.size())
        return refuse(reason, "no parameter '" + argument.keyword + "'");
    }
    if (std::exchange(given[index], &argument.value))
      return refuse(reason,
                    "argument '" + schema[index].name + "' given twice");
  }
  SmallVector<int32_t, 8> segments;
  for (auto [index, parameter] : llvm::enumerate(schema)) {
    StoredArgument stored;
    if (!given[index]) {
      if (parameter.defaultText.empty())
        return refuse(reason, "no argument for '" + parameter.name + "'");
    } else if (!ArgumentStore(context, parameter, stored)
                    .store(*given[index])) {
      return refuse(reason, "the argument for '" + parameter.name +
                                "' is of a kind that the op cannot hold");
    }
    if (hasOperands(parameter.kind)) {
      llvm::append_range(call.operands, stored.operands);
      segments.push_back(stored.operands.size());
    }
    if (stored.attribute)
      call.attributes.emplace_back(target.attributeNames[index],
                                   stored.attribute);
  }
  if (target.hasSegments)
    call.attributes.emplace_back(segmentsName,
                                 DenseI32ArrayAttr::get(context, segments));
  return success();
}

Operation *
CallBuilder::create(OpBuilder &builder, Location loc, const CallTarget &target,
                    ArrayRef<NamedCallArgument> arguments, TypeRange results,
                    ArrayRef<NamedAttribute> extra, std::string *reason) {
  if (target.numResults && *target.numResults != results.size()) {
    (void)refuse(reason, "expected " + Twine(*target.numResults) +
                             " results, found " + Twine(results.size()));
    return nullptr;
  }
  StoredCall call;
  if (failed(store(target, arguments, call, reason)))
    return nullptr;
  OperationState state(loc, target.name);
  state.addOperands(call.operands);
  state.addTypes(results);
  state.attributes.assign(extra.begin(), extra.end());
  Operation *op = builder.create(state);
  // Straight into the properties: as attributes of the state they would first
  // be made a dictionary, which nobody keeps.
  for (NamedAttribute attribute : call.attributes)
    op->setInherentAttr(attribute.getName(), attribute.getValue());
  return op;
}

Operation *CallBuilder::create(OpBuilder &builder, Location loc, StringRef name,
                               ArrayRef<NamedCallArgument> arguments,
                               TypeRange results, std::string *reason) {
  const CallTarget *target = lookup(name);
  if (!target) {
    (void)refuse(reason, "no op '" + name + "'");
    return nullptr;
  }
  return create(builder, loc, *target, arguments, results, {}, reason);
}
