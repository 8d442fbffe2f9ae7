// Runs a function op by op: binds an op's arguments to its schema's names,
// calls its kernel, and keeps the results.
#include "titan/Execution/Interpreter.h"
#include "titan/Execution/Kernel.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

Interpreter::Interpreter(RandomState random, const InterpreterOptions &options)
    : random(random), options(options),
      kernels(std::make_unique<KernelTable>()) {}

Interpreter::~Interpreter() = default;

bool Interpreter::hasKernel(StringRef name) const {
  return kernels->find(name) != nullptr;
}

LogicalResult Interpreter::checkSupported(func::FuncOp function) {
  llvm::MapVector<StringRef, SmallVector<Location>> missing;
  llvm::StringMap<char> names;
  function.walk([&](Operation *op) {
    if (op == function || isa<func::ReturnOp>(op))
      return;
    std::string name = getOpName(op);
    if (!kernels->find(name))
      missing[names.try_emplace(name).first->getKey()].push_back(op->getLoc());
  });
  if (missing.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(function.getLoc())
                                  << "the reference engine has no kernel for "
                                  << missing.size()
                                  << (missing.size() == 1 ? " op" : " ops")
                                  << " of '" << function.getSymName() << "': ";
  llvm::interleave(
      missing,
      [&](const auto &entry) {
        diagnostic << "'" << entry.first << "' (" << entry.second.size()
                   << (entry.second.size() == 1 ? " time)" : " times)");
      },
      [&] { diagnostic << ", "; });
  for (const auto &[name, places] : missing)
    diagnostic.attachNote(places.front()) << "'" << name << "' stands here";
  return failure();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// A default as Python writes it.
static RuntimeValue parseDefault(StringRef text) {
  if (text.empty() || text == "None")
    return {};
  if (text == "True" || text == "False")
    return text == "True";
  if (int64_t integer; !text.getAsInteger(10, integer))
    return integer;
  if (double number; !text.getAsDouble(number))
    return number;
  if (text.consume_front("[") && text.consume_back("]")) {
    RuntimeValue::List list;
    SmallVector<StringRef> elements;
    text.split(elements, ',', -1, /*KeepEmpty=*/false);
    for (StringRef element : elements)
      list.push_back(parseDefault(element.trim()));
    return list;
  }
  return text.trim("'\"").str();
}

static RuntimeValue toValue(Attribute literal, ArrayRef<RuntimeValue> operands);

static RuntimeValue toList(ArrayRef<Attribute> literals,
                           ArrayRef<RuntimeValue> operands) {
  RuntimeValue::List list;
  for (Attribute literal : literals)
    list.push_back(toValue(literal, operands));
  return list;
}

// A literal of an op; operands stand where `#titan.arg` names them.
static RuntimeValue toValue(Attribute literal,
                            ArrayRef<RuntimeValue> operands) {
  if (auto flag = dyn_cast<BoolAttr>(literal))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(literal))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(literal))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(literal))
    return text.getValue().str();
  if (auto type = dyn_cast<TypeAttr>(literal))
    return type.getValue();
  if (auto argument = dyn_cast<ArgumentAttr>(literal))
    return argument.getIndex() < operands.size() ? operands[argument.getIndex()]
                                                 : RuntimeValue();
  if (auto array = dyn_cast<ArrayAttr>(literal))
    return toList(array.getValue(), operands);
  if (auto tuple = dyn_cast<TupleAttr>(literal))
    return toList(tuple.getElements().getValue(), operands);
  if (auto python = dyn_cast<PythonAttr>(literal))
    return python.getText().str();
  if (auto symbol = dyn_cast<SymbolRefAttr>(literal))
    return symbol.getRootReference().getValue().str();
  return {};
}

template <typename Range>
static RuntimeValue makeList(Range &&range) {
  RuntimeValue::List list;
  for (auto element : range)
    list.push_back(element);
  return list;
}

// One parameter of an op with a schema.
static RuntimeValue bindParameter(const CallView &call, unsigned index,
                                  ArrayRef<RuntimeValue> operands) {
  const SchemaParameter &parameter = call.getSchema()[index];
  OperandRange own = call.getOperands(index);
  Attribute literal = call.getAttribute(index);
  ArrayRef<RuntimeValue> given =
      own.empty() ? ArrayRef<RuntimeValue>()
                  : operands.slice(own.getBeginOperandIndex(), own.size());
  switch (parameter.kind) {
  case ParameterKind::Tensors:
    return makeList(given);
  case ParameterKind::OptionalTensors: {
    RuntimeValue::List list;
    if (auto present = dyn_cast_or_null<DenseBoolArrayAttr>(literal))
      for (bool isPresent : present.asArrayRef()) {
        list.push_back(isPresent ? given.front() : RuntimeValue());
        given = given.drop_front(isPresent);
      }
    return list;
  }
  case ParameterKind::SymInts: {
    auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(literal);
    if (!sizes)
      break;
    RuntimeValue::List list;
    for (int64_t size : sizes.asArrayRef()) {
      bool isDynamic = ShapedType::isDynamic(size);
      list.push_back(isDynamic ? given.front() : RuntimeValue(size));
      given = given.drop_front(isDynamic);
    }
    return list;
  }
  default:
    break;
  }
  if (!given.empty())
    return given.front();
  if (auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(literal))
    return makeList(integers.asArrayRef());
  if (auto numbers = dyn_cast_or_null<DenseF64ArrayAttr>(literal))
    return makeList(numbers.asArrayRef());
  if (auto flags = dyn_cast_or_null<DenseBoolArrayAttr>(literal))
    return makeList(flags.asArrayRef());
  if (literal)
    return toValue(literal, {});
  return parseDefault(parameter.defaultText);
}

// The literals of the escape op by the parameters of the overload that it is.
static void bindBySchema(Call &call, TorchOp op,
                         ArrayRef<SchemaParameter> schema,
                         ArrayRef<RuntimeValue> operands) {
  ArrayRef<Attribute> positional = op.getArgs().getValue(), named;
  if (std::optional<DictAttr> kwargs = op.getKwargs())
    named = kwargs->getEntries().getValue();
  for (auto [index, parameter] : llvm::enumerate(schema)) {
    RuntimeValue value = index < positional.size()
                             ? toValue(positional[index], operands)
                             : parseDefault(parameter.defaultText);
    for (size_t i = 0; i + 1 < named.size(); i += 2)
      if (auto name = dyn_cast<StringAttr>(named[i]);
          name && name.getValue() == parameter.name)
        value = toValue(named[i + 1], operands);
    call.addArgument(parameter.name, value);
  }
}

LogicalResult Interpreter::bindArguments(Call &call,
                                         const Environment &values) {
  Operation *op = call.getOperation();
  SmallVector<RuntimeValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(values.lookup(operand));
  if (isa<TorchOpInterface>(op)) {
    CallView view(op);
    for (auto [index, parameter] : llvm::enumerate(view.getSchema()))
      call.addArgument(parameter.name, bindParameter(view, index, operands));
    return success();
  }
  if (isa<func::CallOp>(op)) {
    call.addArgument("operands", makeList(operands));
    return success();
  }
  if (auto symbolic = dyn_cast<SymOp>(op)) {
    call.addArgument("python", symbolic.getPython().str());
    call.addArgument("inputs", makeList(operands));
    return success();
  }
  auto torchOp = dyn_cast<TorchOp>(op);
  if (!torchOp)
    return success();
  call.addArgument("args", toList(torchOp.getArgs().getValue(), operands));
  // The escape op may also hold an overload that a dialect models.
  if (auto registered =
          RegisteredOperationName::lookup(call.getName(), op->getContext()))
    if (auto *interface = registered->getInterface<TorchOpInterface>()) {
      bindBySchema(call, torchOp, interface->getSchema(), operands);
      return success();
    }
  ArrayRef<StringRef> schema = kernels->findSchema(call.getName());
  for (auto [name, literal] : llvm::zip(schema, torchOp.getArgs()))
    call.addArgument(name, toValue(literal, operands));
  if (std::optional<DictAttr> named = torchOp.getKwargs()) {
    ArrayRef<Attribute> entries = named->getEntries().getValue();
    for (size_t i = 0; i + 1 < entries.size(); i += 2)
      if (auto name = dyn_cast<StringAttr>(entries[i]))
        call.addArgument(name, toValue(entries[i + 1], operands));
  }
  return success();
}

FailureOr<std::vector<RuntimeValue>> Interpreter::runNamed(
    Call &caller, StringRef name, ArrayRef<RuntimeValue> positional,
    ArrayRef<std::pair<StringRef, RuntimeValue>> named, TypeRange resultTypes) {
  std::string opName = normalizeOpName(name);
  Call call(*this, caller.getOperation(), opName, resultTypes);
  auto registered = RegisteredOperationName::lookup(
      opName, caller.getOperation()->getContext());
  auto *interface =
      registered ? registered->getInterface<TorchOpInterface>() : nullptr;
  if (interface) {
    for (auto [index, parameter] : llvm::enumerate(interface->getSchema())) {
      RuntimeValue value = parseDefault(parameter.defaultText);
      if (index < positional.size())
        value = positional[index];
      for (const auto &[keyword, given] : named)
        if (keyword == parameter.name)
          value = given;
      call.addArgument(parameter.name, value);
    }
  } else {
    for (auto [parameter, value] :
         llvm::zip(kernels->findSchema(opName), positional))
      call.addArgument(parameter, value);
    for (const auto &[keyword, given] : named)
      call.addArgument(keyword, given);
  }
  if (failed(invoke(call))) {
    (void)caller.fail(call.getError());
    return failure();
  }
  return call.takeResults();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// Computes the functional form and writes its result into the first argument,
// whose storage every view of it shares.
LogicalResult Interpreter::invokeInPlace(Call &call) {
  auto interface = cast<TorchOpInterface>(call.getOperation());
  Tensor target = call.tensor(interface.getSchema().front().name);
  if (failed((*kernels->find(call.getName()))(call)))
    return failure();
  std::vector<RuntimeValue> results = call.takeResults();
  if (results.empty() || !results.front().getIf<Tensor>())
    return call.fail("expected a tensor as the result of an op in place");
  target.assign(*results.front().getIf<Tensor>());
  target.noteWrite();
  call.restoreResult(target);
  return success();
}

LogicalResult Interpreter::invoke(Call &call) {
  const Kernel *kernel = kernels->find(call.getName());
  if (!kernel)
    return call.fail("the reference engine has no kernel for '" +
                     call.getName() + "'");
  auto interface = dyn_cast<TorchOpInterface>(call.getOperation());
  bool isInPlace = interface && !interface.getSchema().empty() &&
                   interface.getSchema().front().isMutated &&
                   call.getNumResults() == 1;
  LogicalResult result = isInPlace ? invokeInPlace(call) : (*kernel)(call);
  if (failed(result) || call.hasFailed())
    return call.fail("the op cannot be executed");
  // The copying form of a view shares no storage.
  if (call.getName().split('.').second.split('.').first.ends_with("_copy"))
    call.cloneResults();
  return success();
}

LogicalResult Interpreter::runOp(Operation *op, Environment &values) {
  Call call(*this, op, getOpName(op), op->getResultTypes());
  if (failed(bindArguments(call, values)))
    return failure();
  auto start = std::chrono::steady_clock::now();
  if (failed(invoke(call)))
    return emitError(op->getLoc())
           << "cannot execute '" << call.getName() << "': " << call.getError();
  if (options.profile) {
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    OpProfile &entry = profile[op->getName().getStringRef()];
    ++entry.calls;
    entry.seconds += taken.count();
    for (Value operand : op->getOperands())
      if (const auto *tensor = values[operand].getIf<Tensor>())
        entry.bytes += tensor->getNumBytes();
  }
  for (auto [result, value] : llvm::zip(op->getResults(), call.takeResults())) {
    if (const auto *tensor = value.getIf<Tensor>(); tensor && options.profile)
      profile[op->getName().getStringRef()].bytes += tensor->getNumBytes();
    values[result] = std::move(value);
  }
  return options.checkFinite ? checkFinite(op, values) : success();
}

// Whether every number of a value is finite.
static bool isFiniteValue(const RuntimeValue &value) {
  const auto *tensor = value.getIf<Tensor>();
  if (!tensor || isInteger(tensor->getDType()))
    return true;
  return llvm::all_of(tensor->getValues<Complex>(), [](Complex number) {
    return std::isfinite(number.real()) && std::isfinite(number.imag());
  });
}

LogicalResult Interpreter::checkFinite(Operation *op,
                                       const Environment &values) {
  auto isFiniteAt = [&](Value value) {
    return isFiniteValue(values.lookup(value));
  };
  if (!llvm::all_of(op->getOperands(), isFiniteAt))
    return success();
  for (Value result : op->getResults())
    if (!isFiniteAt(result))
      return emitError(op->getLoc())
             << "'" << getOpName(op)
             << "' is the first op that makes a NaN or an infinity of finite "
                "operands, in '"
             << getDisplayName(result) << "'";
  return success();
}

FailureOr<std::vector<RuntimeValue>>
Interpreter::run(func::FuncOp function, ArrayRef<RuntimeValue> arguments) {
  if (function.isExternal() || arguments.size() != function.getNumArguments()) {
    emitError(function.getLoc())
        << "expected a body and " << function.getNumArguments()
        << " arguments, got " << arguments.size();
    return failure();
  }
  // What is read by no later op is dropped, so that memory is that of the live
  // values.
  llvm::DenseMap<Operation *, SmallVector<Value, 2>> dead;
  Block &body = function.front();
  auto noteLastUse = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (!last || last->isBeforeInBlock(user))
        last = user;
    if (last)
      dead[last].push_back(value);
  };
  Environment values;
  for (auto [argument, value] : llvm::zip(function.getArguments(), arguments)) {
    values[argument] = value;
    noteLastUse(argument);
  }
  for (Operation &op : body.without_terminator()) {
    if (failed(runOp(&op, values)))
      return failure();
    for (Value result : op.getResults()) {
      noteLastUse(result);
      if (result.use_empty())
        values.erase(result);
    }
    for (Value value : dead.lookup(&op))
      values.erase(value);
  }
  std::vector<RuntimeValue> results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(values.lookup(result));
  return results;
}
