#include "Decomposer.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

NameTable::NameTable(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments())
    taken.insert(getSourceName(argument));
  for (Operation &op : function.getFunctionBody().front()) {
    taken.insert(getTupleName(&op));
    for (Value result : op.getResults())
      taken.insert(getSourceName(result));
  }
}

std::string NameTable::makeUnique(StringRef base) {
  std::string name = base.str();
  for (unsigned number = 1; !taken.insert(name).second; ++number)
    name = (base + "_" + Twine(number)).str();
  return name;
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

Decomposer::Decomposer(Operation *op, CallBuilder &calls, NameTable &names)
    : op(op), call(op), calls(calls), names(names), builder(op) {}

Value Decomposer::getOptionalOperand(StringRef name) const {
  return call.getValue(name);
}

Value Decomposer::getOperand(StringRef name) {
  Value value = getOptionalOperand(name);
  if (!value)
    giveUp();
  return value;
}

bool Decomposer::isUsed(unsigned result) const {
  return !op->getResult(result).use_empty();
}

RankedTensorType Decomposer::getResultType(unsigned result) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  if (!type)
    giveUp();
  return type;
}

CallArgument Decomposer::getArgument(StringRef name) {
  std::optional<unsigned> index = call.find(name);
  if (!index || !call.isPresent(*index))
    return CallArgument();
  const SchemaParameter &parameter = call.getSchema()[*index];
  if (parameter.kind == ParameterKind::SymInts ||
      parameter.kind == ParameterKind::Ints) {
    SmallVector<CallArgument> elements;
    OperandRange range = call.getOperands(*index);
    auto operands = range.begin();
    std::optional<SmallVector<int64_t>> sizes = call.getInts(name);
    if (!sizes)
      return CallArgument();
    for (int64_t value : *sizes)
      elements.push_back(ShapedType::isDynamic(value)
                             ? CallArgument(*operands++)
                             : integer(value));
    return values(elements);
  }
  if (Value operand = call.getOperand(*index))
    return operand;
  return call.getAttribute(*index);
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

CallArgument Decomposer::number(double value) {
  return Attribute(builder.getF64FloatAttr(value));
}

CallArgument Decomposer::integer(int64_t value) {
  return Attribute(builder.getI64IntegerAttr(value));
}

CallArgument Decomposer::flag(bool value) {
  return Attribute(builder.getBoolAttr(value));
}

CallArgument Decomposer::dtype(Type type) {
  return Attribute(TypeAttr::get(type));
}

CallArgument Decomposer::scalar(double value) {
  auto whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) == value ? integer(whole) : number(value);
}

// A call takes a device as Python prints it.
CallArgument Decomposer::device(Value like) {
  auto [kind, index] = getDevice(like).split(':');
  if (kind.empty())
    return CallArgument();
  std::string text = ("device(type='" + kind + "'").str();
  if (!index.empty())
    text += (", index=" + index).str();
  texts.push_back(text + ")");
  return CallArgument::python(texts.back());
}

CallArgument Decomposer::values(ArrayRef<CallArgument> elements) {
  lists.emplace_back(elements.begin(), elements.end());
  return CallArgument(ArrayRef<CallArgument>(lists.back()));
}

CallArgument Decomposer::list(ArrayRef<int64_t> values) {
  SmallVector<CallArgument> elements;
  for (int64_t value : values)
    elements.push_back(integer(value));
  return this->values(elements);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

SmallVector<Value> Decomposer::emitMany(StringRef name,
                                        ArrayRef<NamedCallArgument> arguments,
                                        TypeRange types) {
  SmallVector<Value> none(types.size());
  if (isGivenUp)
    return none;
  Operation *created =
      calls.create(builder, op->getLoc(), name, arguments, types);
  if (!created) {
    giveUp();
    return none;
  }
  made.push_back(created);
  // `prims.convert_element_type` is called convert_element_type, `sum.default`
  // sum.
  annotate(created, name.split('.').second.split('.').first);
  return llvm::to_vector_of<Value>(created->getResults());
}

Value Decomposer::emit(StringRef name, ArrayRef<NamedCallArgument> arguments,
                       Type type) {
  return emitMany(name, arguments, type).front();
}

static RankedTensorType getType(const CallArgument &argument) {
  if (argument.getKind() != CallArgument::Kind::Value || !argument.getValue())
    return {};
  return dyn_cast<RankedTensorType>(argument.getValue().getType());
}

// The shape of two tensors broadcast against each other. An unknown dimension
// stays unknown against 1 and against another unknown one.
static std::optional<SmallVector<int64_t>> broadcast(ArrayRef<int64_t> a,
                                                     ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t offset = a.size() - b.size();
  for (auto [index, size] : llvm::enumerate(b)) {
    int64_t &dim = shape[offset + index];
    if (dim == size || size == 1)
      continue;
    if (dim == 1 || ShapedType::isDynamic(dim))
      dim = size;
    else if (!ShapedType::isDynamic(size))
      return std::nullopt;
  }
  return shape;
}

static bool isAbsent(const CallArgument &argument) {
  return argument.getKind() == CallArgument::Kind::Value &&
         !argument.getValue();
}

Value Decomposer::make(StringRef name, CallArgument a) {
  RankedTensorType type = getType(a);
  if (!type)
    giveUp();
  return emit(("aten." + name).str(), {{"", a}}, type);
}

Value Decomposer::make(StringRef name, CallArgument a, CallArgument b) {
  RankedTensorType typeA = getType(a), typeB = getType(b);
  if (isAbsent(a) || isAbsent(b) || (!typeA && !typeB)) {
    giveUp();
    return {};
  }
  RankedTensorType type = typeA ? typeA : typeB;
  if (typeA && typeB) {
    auto shape = broadcast(typeA.getShape(), typeB.getShape());
    if (!shape) {
      giveUp();
      return {};
    }
    type = type.clone(*shape);
  }
  return emit(("aten." + name).str(), {{"", a}, {"", b}}, type);
}

Value Decomposer::compare(StringRef name, Value a, CallArgument b) {
  RankedTensorType type = getType(a);
  if (!type)
    giveUp();
  else
    type = type.clone(builder.getI1Type());
  return emit(("aten." + name).str(), {{"", a}, {"", b}}, type);
}

Value Decomposer::select(Value condition, Value a, Value b) {
  RankedTensorType typeC = getType(condition), typeA = getType(a),
                   typeB = getType(b);
  if (!typeC || !typeA || !typeB) {
    giveUp();
    return {};
  }
  auto shape = broadcast(typeA.getShape(), typeB.getShape());
  if (shape)
    shape = broadcast(*shape, typeC.getShape());
  if (!shape) {
    giveUp();
    return {};
  }
  return emit("aten.where.self", {{"", condition}, {"", a}, {"", b}},
              typeA.clone(*shape));
}

Value Decomposer::reduce(StringRef name, Value value, ArrayRef<int64_t> dims,
                         bool keepDims) {
  RankedTensorType type = getType(value);
  if (!type) {
    giveUp();
    return {};
  }
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    bool isReduced = llvm::any_of(dims, [&, index = index](int64_t dim) {
      return static_cast<int64_t>(index) ==
             (dim < 0 ? dim + type.getRank() : dim);
    });
    if (!isReduced)
      shape.push_back(size);
    else if (keepDims)
      shape.push_back(1);
  }
  SmallVector<NamedCallArgument> arguments = {{"", value}, {"", list(dims)}};
  if (keepDims)
    arguments.push_back({"", flag(true)});
  return emit(("aten." + name).str(), arguments, type.clone(shape));
}

Value Decomposer::convert(Value value, Type elementType) {
  RankedTensorType type = getType(value);
  if (!type) {
    giveUp();
    return {};
  }
  if (type.getElementType() == elementType)
    return value;
  return emit("prims.convert_element_type",
              {{"", value}, {"", dtype(elementType)}}, type.clone(elementType));
}

Value Decomposer::widen(Value value) {
  RankedTensorType type = getType(value);
  if (!type) {
    giveUp();
    return {};
  }
  bool isHalf = type.getElementType().isF16() || type.getElementType().isBF16();
  return isHalf ? convert(value, builder.getF32Type()) : value;
}

Value Decomposer::narrow(Value value, unsigned result) {
  RankedTensorType type = getResultType(result);
  return type && value ? convert(value, type.getElementType()) : Value();
}

Value Decomposer::constant(double value, Type elementType, Value like) {
  bool isFloat = isa<FloatType>(elementType);
  return emit("aten.full",
              {{"", list({})},
               {"", isFloat ? number(value) : scalar(value)},
               {"dtype", dtype(elementType)},
               {"device", device(like)}},
              RankedTensorType::get({}, elementType));
}
