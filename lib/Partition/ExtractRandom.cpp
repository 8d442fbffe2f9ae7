// One state of the random number generator for an op that stands in both
// functions, so that the recomputed op draws what the first one drew. Names and
// modes are PyTorch's (torch/_functorch/partitioners.py, functionalize_rng_ops
// and apply_graphsafe_rng_functionalization; partitioner.md 10.1).
#include "ExtractDetail.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/PythonNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// An op's call as literal arguments
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites the arguments of an op as `titan.torch_op` keeps them, with its
/// operands from number `shift` on.
class CallWriter {
public:
  CallWriter(Operation *op, unsigned shift)
      : op(op), builder(op->getContext()), shift(shift) {
    if (auto torchOp = dyn_cast<TorchOp>(op))
      writeTorchOp(torchOp);
    else
      writeSchemaOp();
  }

  SmallVector<Attribute> args;
  SmallVector<Attribute> kwargs;

private:
  void writeTorchOp(TorchOp torchOp);
  void writeSchemaOp();
  Attribute writeArgument(const CallView &call, unsigned index);
  Attribute place(unsigned operand) {
    return ArgumentAttr::get(op->getContext(), operand + shift);
  }
  Attribute python(StringRef text) {
    return PythonAttr::get(op->getContext(), text);
  }

  Operation *op;
  Builder builder;
  unsigned shift;
};

} // namespace

void CallWriter::writeTorchOp(TorchOp torchOp) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ArgumentAttr argument) -> Attribute {
    return place(argument.getIndex());
  });
  for (Attribute attribute : torchOp.getArgs())
    args.push_back(replacer.replace(attribute));
  if (std::optional<DictAttr> named = torchOp.getKwargs())
    for (Attribute attribute : named->getEntries())
      kwargs.push_back(replacer.replace(attribute));
}

void CallWriter::writeSchemaOp() {
  CallView call(op);
  unsigned numPositional = 0;
  for (auto [index, parameter] : llvm::enumerate(call.getSchema()))
    if (!parameter.keywordOnly && call.isPresent(index))
      numPositional = index + 1;
  for (auto [index, parameter] : llvm::enumerate(call.getSchema())) {
    if (parameter.keywordOnly && call.isPresent(index)) {
      kwargs.push_back(builder.getStringAttr(parameter.name));
      kwargs.push_back(writeArgument(call, index));
    } else if (!parameter.keywordOnly && index < numPositional) {
      args.push_back(writeArgument(call, index));
    }
  }
}

Attribute CallWriter::writeArgument(const CallView &call, unsigned index) {
  OperandRange operands = call.getOperands(index);
  Attribute literal = call.getAttribute(index);
  unsigned next = operands.empty() ? 0 : operands.getBeginOperandIndex();
  auto list = [&](auto &&range, auto &&element) -> Attribute {
    SmallVector<Attribute> elements;
    for (auto value : range)
      elements.push_back(element(value));
    return builder.getArrayAttr(elements);
  };
  auto none = NoneAttr::get(op->getContext());
  switch (call.getSchema()[index].kind) {
  case ParameterKind::Tensors:
    return list(operands, [&](Value) { return place(next++); });
  case ParameterKind::OptionalTensors:
    return list(cast<DenseBoolArrayAttr>(literal).asArrayRef(),
                [&](bool isPresent) -> Attribute {
                  return isPresent ? place(next++) : none;
                });
  case ParameterKind::SymInts:
    if (!literal)
      return none;
    return list(cast<DenseI64ArrayAttr>(literal).asArrayRef(),
                [&](int64_t value) -> Attribute {
                  if (ShapedType::isDynamic(value))
                    return place(next++);
                  return builder.getI64IntegerAttr(value);
                });
  case ParameterKind::Ints:
    if (!literal)
      return none;
    return list(
        cast<DenseI64ArrayAttr>(literal).asArrayRef(),
        [&](int64_t value) { return builder.getI64IntegerAttr(value); });
  case ParameterKind::Floats:
    if (!literal)
      return none;
    return list(cast<DenseF64ArrayAttr>(literal).asArrayRef(),
                [&](double value) { return builder.getF64FloatAttr(value); });
  case ParameterKind::Bools:
    if (!literal)
      return none;
    return list(cast<DenseBoolArrayAttr>(literal).asArrayRef(),
                [&](bool value) { return builder.getBoolAttr(value); });
  case ParameterKind::Layout:
  case ParameterKind::MemoryFormat:
    if (literal)
      return python("torch." + cast<StringAttr>(literal).str());
    return none;
  case ParameterKind::Dtype:
    if (literal)
      return python(
          ("torch." + getDtypeName(cast<TypeAttr>(literal).getValue())).str());
    return none;
  case ParameterKind::Device:
    if (literal)
      return python(getPythonDevice(cast<StringAttr>(literal)));
    return none;
  default:
    if (!operands.empty())
      return place(next);
    return literal ? literal : none;
  }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites the pairs of one module.
class RandomPairing {
public:
  explicit RandomPairing(Halves halves)
      : forward(halves.forward), backward(halves.backward),
        context(forward.getContext()) {}

  void run(ArrayRef<RandomPair> pairs);

private:
  void shareGenerators(const RandomPair &pair, unsigned number);
  void saveState(const RandomPair &pair);
  Value insertArgument(func::FuncOp function, unsigned index, Type type,
                       const Twine &name, Role role, Location loc);
  void insertSavedResult(Value state, const Twine &name);
  TorchOp replace(Operation *op, StringRef wrapper, Value state,
                  StringRef savedStateName = {});
  void addStateResult(TorchOp op, StringRef tupleName, StringRef stateName);
  std::string makeUnique(func::FuncOp function, StringRef base);

  func::FuncOp forward;
  func::FuncOp backward;
  MLIRContext *context;
  unsigned numSavedStates = 0;
  llvm::DenseMap<Operation *, llvm::StringSet<>> usedNames;
};

} // namespace

// The device whose generator the op draws from, as far as a CUDA graph can hold
// it: empty for the CPU and the unknown.
static StringRef getCudaDevice(Operation *op) {
  for (Value result : op->getResults())
    if (StringRef device = getDevice(result);
        isa<TensorType>(result.getType()) && device.starts_with("cuda"))
      return device;
  return {};
}

// The first of the arguments that stand behind all of PyTorch's placeholders.
static unsigned getFirstConstant(func::FuncOp function) {
  unsigned index = function.getNumArguments();
  while (index > 0 && getArgumentRole(function, index - 1) == Role::Constant)
    --index;
  return index;
}

void RandomPairing::run(ArrayRef<RandomPair> pairs) {
  llvm::StringSet<> devices;
  for (const RandomPair &pair : pairs)
    if (StringRef device = getCudaDevice(pair.forward); !device.empty())
      devices.insert(device);
  for (auto [number, pair] : llvm::enumerate(pairs)) {
    if (devices.size() == 1 && !getCudaDevice(pair.forward).empty())
      shareGenerators(pair, number);
    else
      saveState(pair);
  }
}

Value RandomPairing::insertArgument(func::FuncOp function, unsigned index,
                                    Type type, const Twine &name, Role role,
                                    Location loc) {
  NamedAttrList attributes;
  attributes.set(kNameAttr, StringAttr::get(context, name));
  attributes.set(kRoleAttr, RoleAttr::get(context, role));
  // The body's argument comes with the signature's.
  (void)function.insertArgument(index, type, attributes.getDictionary(context),
                                loc);
  return function.getArgument(index);
}

void RandomPairing::shareGenerators(const RandomPair &pair, unsigned number) {
  auto type = titan::OpaqueType::get(context, kGeneratorKind);
  Location loc = pair.forward->getLoc();
  Value forwardState =
      insertArgument(forward, getFirstConstant(forward), type,
                     "fwd_rng_state_" + Twine(number), Role::Seed, loc);
  Value backwardState =
      insertArgument(backward, getFirstConstant(backward), type,
                     "bwd_rng_state_" + Twine(number), Role::Seed, loc);
  StringRef wrapper = "graphsafe_run_with_rng_state";
  replace(pair.forward, wrapper, forwardState);
  replace(pair.backward, wrapper, backwardState);
}

void RandomPairing::saveState(const RandomPair &pair) {
  std::string name = "rng_state_output_" + std::to_string(numSavedStates++);
  Location loc = pair.forward->getLoc();
  unsigned firstTangent = 0;
  while (firstTangent < backward.getNumArguments() &&
         getArgumentRole(backward, firstTangent) == Role::Saved)
    ++firstTangent;
  TorchOp producer =
      replace(pair.forward, "run_and_save_rng_state", Value(), name);
  insertSavedResult(producer.getResult(0), name);
  Value state =
      insertArgument(backward, firstTangent, producer.getResult(0).getType(),
                     name, Role::Saved, loc);
  replace(pair.backward, "run_with_rng_state", state);
}

// States stand behind what is saved and before the symbols, which the runtime
// looks for at the very end.
void RandomPairing::insertSavedResult(Value state, const Twine &name) {
  unsigned index = forward.getNumResults();
  while (index > 0 && getResultRole(forward, index - 1) == Role::Saved &&
         isSymbolicNumberType(forward.getResultTypes()[index - 1]))
    --index;
  NamedAttrList attributes;
  attributes.set(kNameAttr, StringAttr::get(context, name));
  attributes.set(kRoleAttr, RoleAttr::get(context, Role::Saved));
  (void)forward.insertResult(index, state.getType(),
                             attributes.getDictionary(context));
  Operation *terminator = forward.front().getTerminator();
  terminator->insertOperands(index, state);
  if (auto positions =
          forward->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr)) {
    SmallVector<int64_t> shifted = llvm::to_vector(positions.asArrayRef());
    int64_t position = index < shifted.size() ? shifted[index]
                       : index                ? shifted[index - 1] + 1
                                              : 0;
    for (int64_t &later : MutableArrayRef(shifted).drop_front(index))
      ++later;
    shifted.insert(shifted.begin() + index, position);
    forward->setAttr(kResultPositionsAttr,
                     DenseI64ArrayAttr::get(context, shifted));
  }
}

std::string RandomPairing::makeUnique(func::FuncOp function, StringRef base) {
  llvm::StringSet<> &used = usedNames[function];
  if (used.empty())
    for (Operation &op : function.front()) {
      used.insert(getTupleName(&op));
      for (Value result : op.getResults())
        used.insert(getSourceName(result));
    }
  std::string name = base.str();
  for (unsigned number = 1; !used.insert(name).second; ++number)
    name = (base + "_" + Twine(number)).str();
  return name;
}

// What the op had a result, with the state's own in front.
void RandomPairing::addStateResult(TorchOp op, StringRef tupleName,
                                   StringRef stateName) {
  Attribute none = NoneAttr::get(context);
  std::pair<StringRef, Attribute> fronts[] = {
      {kNamesAttr, StringAttr::get(context, stateName)},
      {kLayoutsAttr, none},
      {kResultRecomputeAttr, none},
      {kResultAcGraphIdAttr, none}};
  for (auto [name, front] : fronts) {
    auto array = op->getAttrOfType<ArrayAttr>(name);
    if (!array)
      continue;
    SmallVector<Attribute> elements = llvm::to_vector(array);
    elements.insert(elements.begin(), front);
    op->setAttr(name, ArrayAttr::get(context, elements));
  }
  op->setAttr(kTupleNameAttr, StringAttr::get(context, tupleName));
}

// Runs \p op under \p wrapper in its place. \p state is the first argument of
// `run_with_rng_state` and the keyword argument of the graph-safe form; with a
// name for it, the state before is the first result.
TorchOp RandomPairing::replace(Operation *op, StringRef wrapper, Value state,
                               StringRef savedStateName) {
  bool isKeyword = wrapper == "graphsafe_run_with_rng_state";
  bool isFirst = state && !isKeyword;
  CallWriter call(op, isFirst ? 1 : 0);
  SmallVector<Value> operands = llvm::to_vector_of<Value>(op->getOperands());
  auto target = PythonAttr::get(context, "torch.ops." + getTorchName(op));
  call.args.insert(call.args.begin(), target);
  if (isFirst) {
    operands.insert(operands.begin(), state);
    call.args.insert(call.args.begin(), ArgumentAttr::get(context, 0));
  } else if (isKeyword) {
    call.kwargs.push_back(StringAttr::get(context, "rng_state"));
    call.kwargs.push_back(ArgumentAttr::get(context, operands.size()));
    operands.push_back(state);
  }
  SmallVector<Type> types = llvm::to_vector(op->getResultTypes());
  bool returnsState = !savedStateName.empty();
  if (returnsState)
    types.insert(types.begin(),
                 titan::OpaqueType::get(context, kRandomStateKind));

  OpBuilder builder(op);
  OperationState wrapped(op->getLoc(), TorchOp::getOperationName(), operands,
                         types);
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    // Results move behind the state, arguments into a tuple.
    if (attribute.getName() != kGetitemsAttr &&
        attribute.getName() != kKeywordsAttr)
      wrapped.attributes.append(attribute);
  wrapped.addAttribute("name",
                       StringAttr::get(context, "higher_order." + wrapper));
  wrapped.addAttribute("args", ArrayAttr::get(context, call.args));
  if (!call.kwargs.empty())
    wrapped.addAttribute(
        "kwargs", DictAttr::get(context, ArrayAttr::get(context, call.kwargs)));
  auto replacement = cast<TorchOp>(builder.create(wrapped));

  ResultRange results = replacement->getResults();
  if (returnsState) {
    addStateResult(replacement, makeUnique(forward, wrapper), savedStateName);
    results = results.drop_front();
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return replacement;
}

void titan::pairRandomOps(Halves halves, ArrayRef<RandomPair> pairs) {
  RandomPairing(halves).run(pairs);
}
