// Runs a function op by op: binds an op's arguments to its schema's names,
// calls its kernel, and keeps the results. Longer than most files, since
// running on one rank and in lockstep share every step.
#include "titan/Execution/Interpreter.h"
#include "titan/Execution/FiniteCheck.h"
#include "titan/Execution/Kernel.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

Interpreter::Interpreter(RandomState random, const InterpreterOptions &options)
    : options(options), kernels(std::make_unique<KernelTable>()) {
  for (int64_t rank = 0; rank < options.numRanks; ++rank)
    randoms.push_back({random.seed + rank, random.offset});
}

Interpreter::~Interpreter() = default;

bool Interpreter::hasKernel(StringRef name) const { return kernels->has(name); }

// Adds the functions that \p op names.
static void findSubgraphs(Operation *op,
                          llvm::SmallSetVector<func::FuncOp, 4> &functions) {
  op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
    if (auto function =
            SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol))
      functions.insert(function);
  });
}

LogicalResult Interpreter::checkSupported(func::FuncOp function) {
  llvm::MapVector<StringRef, SmallVector<Location>> missing;
  llvm::StringMap<char> names;
  llvm::SmallSetVector<func::FuncOp, 4> functions;
  functions.insert(function);
  for (size_t next = 0; next < functions.size(); ++next)
    functions[next]->walk([&](Operation *op) {
      if (isa<func::FuncOp, func::ReturnOp>(op))
        return;
      std::string name = getOpName(op);
      if (!kernels->has(name))
        missing[names.try_emplace(name).first->getKey()].push_back(
            op->getLoc());
      // An engine that replaces calls knows what it calls.
      if (!isa<func::CallOp>(op) || kernels->findLockstep(name))
        findSubgraphs(op, functions);
    });
  if (missing.empty())
    return success();
  InFlightDiagnostic diagnostic = emitError(function.getLoc())
                                  << "no engine has a kernel for "
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

static SmallVector<RuntimeValue>
lookupOperands(Operation *op,
               const llvm::DenseMap<Value, RuntimeValue> &values) {
  SmallVector<RuntimeValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(values.lookup(operand));
  return operands;
}

LogicalResult Interpreter::bindArguments(Call &call,
                                         const Environment &values) {
  Operation *op = call.getOperation();
  SmallVector<RuntimeValue> operands = lookupOperands(op, values);
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
  const LockstepKernel *lockstep =
      kernel ? nullptr : kernels->findLockstep(call.getName());
  if (!kernel && !lockstep)
    return call.fail("the reference engine has no kernel for '" +
                     call.getName() + "'");
  auto interface = dyn_cast<TorchOpInterface>(call.getOperation());
  bool isInPlace = kernel && interface && !interface.getSchema().empty() &&
                   interface.getSchema().front().isMutated &&
                   call.getNumResults() == 1;
  LogicalResult result = isInPlace  ? invokeInPlace(call)
                         : lockstep ? (*lockstep)(call)
                                    : (*kernel)(call);
  if (failed(result) || call.hasFailed())
    return call.fail("the op cannot be executed");
  // The copying form of a view shares no storage.
  if (call.getName().split('.').second.split('.').first.ends_with("_copy"))
    call.cloneResults();
  return success();
}

// Runs the op on every rank: by a kernel that sees them all, or on one after
// the other.
LogicalResult Interpreter::invokeOnAll(MutableArrayRef<Call> calls,
                                       int64_t firstRank,
                                       SmallVectorImpl<OpEvent> &events) {
  using Clock = std::chrono::steady_clock;
  StringRef name = calls.front().getName();
  const LockstepKernel *lockstep =
      kernels->find(name) ? nullptr : kernels->findLockstep(name);
  OpEvent event{
      calls.front().getOperation(), firstRank, depth, {}, Clock::now(), {}};
  LogicalResult result = success();
  if (lockstep)
    result = (*lockstep)(calls);
  for (Call &call : calls) {
    rank = event.rank;
    if (!lockstep)
      result = invoke(call);
    if (failed(result))
      break;
    event.end = Clock::now();
    events.push_back(event);
    ++event.rank;
    event.start = event.end;
  }
  rank = firstRank;
  return result;
}

// What the results of \p op take in memory, where types say it and they are no
// views.
static int64_t countNewBytes(Operation *op) {
  int64_t bytes = 0;
  auto alias = dyn_cast<AliasOpInterface>(op);
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    std::optional<DType> dtype = type ? getDType(type) : std::nullopt;
    if (!dtype || !type.hasStaticShape() ||
        (alias && alias.getAliasedOperand(result.getResultNumber())))
      continue;
    bytes += type.getNumElements() * getByteSize(*dtype);
  }
  return bytes;
}

LogicalResult Interpreter::checkRoom(Operation *op, int64_t numRanks) {
  const std::shared_ptr<Arena> &arena = ArenaScope::getCurrent();
  if (!arena || !arena->getLimit())
    return success();
  int64_t bytes = countNewBytes(op) * numRanks;
  if (arena->hasRoomFor(bytes))
    return success();
  return emitError(op->getLoc())
         << "'" << getOpName(op) << "' needs " << bytes << " bytes where "
         << arena->getBlockBytes() << " of " << *arena->getLimit()
         << " are in use; raise '--memory-limit'";
}

// Gives \p result storage of its own unless the graph has it share that of an
// operand: what the analysis of memory says is what happens.
static void separate(Call &call, unsigned index, RuntimeValue &result,
                     ArrayRef<const void *> operandStorage) {
  auto *tensor = std::get_if<Tensor>(&result.storage);
  auto interface = dyn_cast<TorchOpInterface>(call.getOperation());
  auto alias = dyn_cast<AliasOpInterface>(call.getOperation());
  if (!tensor || !interface || !alias || alias.getAliasedOperand(index) ||
      llvm::any_of(interface.getSchema(), [](const SchemaParameter &parameter) {
        return parameter.isMutated;
      }))
    return;
  bool isShared = llvm::is_contained(operandStorage, tensor->getStorageId());
  if (isShared || tensor->getStorageBytes() > tensor->getNumBytes())
    *tensor = tensor->clone();
}

LogicalResult Interpreter::runOp(Operation *op,
                                 MutableArrayRef<Environment> ranks) {
  if (failed(checkRoom(op, ranks.size())))
    return failure();
  std::vector<Call> calls;
  calls.reserve(ranks.size());
  for (const Environment &values : ranks) {
    calls.emplace_back(*this, op, getOpName(op), op->getResultTypes());
    if (failed(bindArguments(calls.back(), values)))
      return failure();
  }
  SmallVector<FiniteChecker, 1> checkers;
  for (const Environment &values : ranks)
    checkers.emplace_back(options.finiteCheck, op,
                          options.finiteCheck == FiniteCheck::None
                              ? SmallVector<RuntimeValue>()
                              : lookupOperands(op, values));
  double outside = nestedSeconds;
  nestedSeconds = 0;
  SmallVector<OpEvent, 1> events;
  if (failed(invokeOnAll(calls, rank, events))) {
    for (auto [number, call] : llvm::enumerate(calls))
      if (call.hasFailed()) {
        std::optional<Location> place = call.getErrorPlace();
        std::string name =
            place ? "the op" : ("'" + call.getName() + "'").str();
        InFlightDiagnostic diagnostic = emitError(place.value_or(op->getLoc()))
                                        << "cannot execute " << name << ": "
                                        << call.getError();
        if (options.numRanks > 1)
          diagnostic << " (rank " << rank + number << ")";
        break;
      }
    return failure();
  }
  for (auto [event, call, values, checker] :
       llvm::zip_equal(events, calls, ranks, checkers)) {
    SmallVector<const void *> operandStorage;
    for (Value operand : op->getOperands())
      if (const auto *tensor = values[operand].getIf<Tensor>())
        operandStorage.push_back(tensor->getStorageId());
    std::vector<RuntimeValue> results = call.takeResults();
    for (auto [index, result] : llvm::enumerate(results)) {
      separate(call, index, result, operandStorage);
      if (const auto *tensor = result.getIf<Tensor>(); tensor && depth == 1)
        tensor->noteValue();
      values[op->getResult(index)] = result;
    }
    event.results = results;
    if (options.profile)
      addToProfile(event, values);
    if (failed(checker.checkResults(results)))
      return failure();
    if (options.observer && failed(options.observer(event)))
      return failure();
  }
  std::chrono::duration<double> taken =
      events.back().end - events.front().start;
  nestedSeconds = outside + taken.count();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<RankValues> Interpreter::run(func::FuncOp function,
                                       RankValues arguments) {
  std::vector<RankValues> single;
  single.push_back(std::move(arguments));
  FailureOr<std::vector<RankValues>> results =
      runLockstep(function, std::move(single));
  if (failed(results))
    return failure();
  return std::move(results->front());
}

// The values that no op behind the key reads: memory is that of the live ones.
static llvm::DenseMap<Operation *, SmallVector<Value, 2>>
findLastUses(Block &body) {
  llvm::DenseMap<Operation *, SmallVector<Value, 2>> dead;
  auto note = [&](Value value, Operation *last) {
    for (Operation *user : value.getUsers())
      if (!last || last->isBeforeInBlock(user))
        last = user;
    if (last)
      dead[last].push_back(value);
  };
  for (BlockArgument argument : body.getArguments())
    note(argument, nullptr);
  for (Operation &op : body)
    for (Value result : op.getResults())
      note(result, &op);
  return dead;
}

FailureOr<std::vector<RankValues>>
Interpreter::runLockstep(func::FuncOp function,
                         std::vector<RankValues> arguments) {
  for (const RankValues &own : arguments)
    if (function.isExternal() || own.size() != function.getNumArguments()) {
      emitError(function.getLoc())
          << "expected a body and " << function.getNumArguments()
          << " arguments, got " << own.size();
      return failure();
    }
  Block &body = function.front();
  std::vector<Environment> ranks(arguments.size());
  for (auto [own, values] : llvm::zip_equal(arguments, ranks))
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), own))
      if (!argument.use_empty())
        values[argument] = std::move(value);
  arguments.clear();
  auto dead = findLastUses(body);
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  for (Operation &op : body.without_terminator()) {
    if (failed(runOp(&op, ranks)))
      return failure();
    for (Environment &values : ranks)
      for (Value value : dead.lookup(&op))
        values.erase(value);
  }
  std::vector<RankValues> results(ranks.size());
  for (auto [own, values] : llvm::zip_equal(results, ranks))
    for (Value result : body.getTerminator()->getOperands())
      own.push_back(values.lookup(result));
  return results;
}
