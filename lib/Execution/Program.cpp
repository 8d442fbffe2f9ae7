#include "titan/Execution/Program.h"

#include "titan/Analysis/SymbolicExpression.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/DidYouMean.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

static std::string getInputName(func::FuncOp function, unsigned index) {
  StringRef name = getSourceName(function.getArgument(index));
  return name.empty() ? "arg" + std::to_string(index) : name.str();
}

static bool isSaved(func::FuncOp function, unsigned argument) {
  return getArgumentRole(function, argument) == Role::Saved;
}

// The generators that a partition hands to either side of a random op.
static std::optional<StringRef> getGeneratorSide(StringRef name) {
  for (StringRef side : {"fwd", "bwd"})
    if (name.starts_with((side + "_rng_state").str()))
      return side;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

std::optional<int64_t> Program::evaluateSize(Attribute size) const {
  if (auto integer = dyn_cast<IntegerAttr>(size))
    return integer.getInt();
  auto text = dyn_cast<StringAttr>(size);
  if (!text)
    return std::nullopt;
  bool isKnown = true;
  std::optional<int64_t> value =
      evaluateExpression(text.getValue(), [&](StringRef symbol) {
        auto it = symbols.find(symbol);
        isKnown &= it != symbols.end();
        return it == symbols.end() ? 1 : it->second;
      });
  return isKnown ? value : std::nullopt;
}

std::optional<Shape> Program::getLayoutStrides(const Input &input) const {
  LayoutAttr layout = getLayout(input.argument);
  if (!layout || !layout.getStrides())
    return std::nullopt;
  Shape strides;
  for (Attribute stride : layout.getStrides()) {
    std::optional<int64_t> value = evaluateSize(stride);
    if (!value || *value < 0)
      return std::nullopt;
    strides.push_back(*value);
  }
  return strides;
}

// The hint that the module has for a symbol.
static std::optional<int64_t> getHint(BlockArgument argument) {
  Operation *function = argument.getOwner()->getParentOp();
  auto table =
      function->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(
          kDynamicAttr);
  LayoutAttr layout = getLayout(argument);
  if (!table || !layout || !layout.getValue())
    return std::nullopt;
  Attribute entry = table.get(layout.getValue());
  if (auto details = dyn_cast_or_null<DictionaryAttr>(entry))
    entry = details.get("hint");
  if (auto hint = dyn_cast_or_null<IntegerAttr>(entry))
    return hint.getInt();
  return std::nullopt;
}

// Whether ranks hold parts of what \p argument is: an all-gather reads it, past
// ops of one operand (views, conversions).
static bool isShard(BlockArgument argument) {
  SmallVector<Value> next = {argument};
  while (!next.empty())
    for (Operation *user : next.pop_back_val().getUsers()) {
      auto collective = dyn_cast<CollectiveOpInterface>(user);
      if (collective &&
          collective.getCollectiveKind() == CollectiveKind::AllGather)
        return true;
      if (user->getNumOperands() == 1)
        next.append(user->result_begin(), user->result_end());
    }
  return false;
}

static bool differsByRank(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  switch (getArgumentRole(function, argument.getArgNumber())
              .value_or(Role::Input)) {
  case Role::Param:
  case Role::Buffer:
  case Role::Constant:
    return isShard(argument);
  default:
    return true;
  }
}

RuntimeValue Program::drawInput(const Input &input, const InputSource &source) {
  // A stream by name: halves list inputs in another order than the whole.
  uint64_t index = static_cast<uint32_t>(llvm::xxh3_64bits(input.name));
  // Streams of other ranks lie behind those of all inputs.
  if (differsByRank(input.argument))
    index += static_cast<uint64_t>(source.rank) << 32;
  RandomStream stream({source.seed, index});
  // Sizes need not be small, but they have to differ from 0 and 1, which mean
  // something of their own.
  constexpr int64_t kDefaultSize = 2;
  if (input.type.isIndex())
    return getHint(input.argument).value_or(kDefaultSize);
  if (input.type.isF64())
    return stream.getUniform(0);
  if (input.type.isInteger(1))
    return true;
  auto type = dyn_cast<RankedTensorType>(input.type);
  std::optional<DType> dtype = type ? titan::getDType(type) : std::nullopt;
  if (!dtype)
    return {};
  Shape shape(type.getShape());
  LayoutAttr layout = getLayout(input.argument);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    std::optional<int64_t> known;
    if (layout && layout.getShape() && dim < layout.getShape().size())
      known = evaluateSize(layout.getShape()[dim]);
    size = std::max<int64_t>(known.value_or(kDefaultSize), 0);
  }
  int64_t count = countElements(shape);
  if (isInteger(*dtype)) {
    std::vector<int64_t> values(count);
    for (auto [i, value] : llvm::enumerate(values))
      value = stream.getBits(i) & 1;
    return Tensor::make(*dtype, shape, values);
  }
  std::vector<std::complex<double>> values(count);
  for (auto [i, value] : llvm::enumerate(values))
    value = {stream.getNormal(2 * i), stream.getNormal(2 * i + 1)};
  return Tensor::make(*dtype, shape, values);
}

// Whether \p tensor has the shape of \p type.
static bool hasShape(const Tensor &tensor, RankedTensorType type) {
  if (tensor.getRank() != type.getRank())
    return false;
  for (auto [size, expected] : llvm::zip(tensor.getShape(), type.getShape()))
    if (!ShapedType::isDynamic(expected) && size != expected)
      return false;
  return true;
}

static std::string formatType(DType dtype, ArrayRef<int64_t> shape) {
  return (getName(dtype) + formatShape(shape)).str();
}

FailureOr<RuntimeValue> Program::bindInput(const Input &input,
                                           const InputSource &source,
                                           std::string &problem) {
  if (std::optional<StringRef> side = getGeneratorSide(input.name)) {
    auto generator = std::make_shared<Generator>();
    generator->followsProgram = *side == "fwd";
    return RuntimeValue(generator);
  }
  auto type = dyn_cast<RankedTensorType>(input.type);
  bool isNumber = isa<IndexType, IntegerType, FloatType>(input.type);
  if (!type && !isNumber)
    return RuntimeValue();
  auto it = source.tensors->find(input.name);
  if (it == source.tensors->end()) {
    problem = "'" + input.name + "' is missing";
    return failure();
  }
  Tensor tensor = it->second;
  if (isNumber) {
    if (tensor.getNumElements() != 1) {
      problem = "'" + input.name + "' is " +
                formatType(tensor.getDType(), tensor.getShape()) +
                ", expected one number";
      return failure();
    }
    if (input.type.isF64())
      return RuntimeValue(tensor.getItem<double>());
    if (input.type.isInteger(1))
      return RuntimeValue(tensor.getItem<int64_t>() != 0);
    return RuntimeValue(tensor.getItem<int64_t>());
  }
  std::optional<DType> dtype = titan::getDType(type);
  if (dtype && isComplex(*dtype) && isFloat(tensor.getDType()) &&
      tensor.getRank() == type.getRank() + 1 && tensor.getDim(-1) == 2)
    tensor = toComplex(tensor);
  if (dtype != tensor.getDType() || !hasShape(tensor, type)) {
    problem = "'" + input.name + "' is " +
              formatType(tensor.getDType(), tensor.getShape()) + ", expected " +
              (dtype ? formatType(*dtype, type.getShape())
                     : std::string("a type that cannot be computed with"));
    return failure();
  }
  return RuntimeValue(tensor);
}

LogicalResult Program::checkRoom(ArrayRef<Input> wanted) {
  const std::shared_ptr<Arena> &arena = ArenaScope::getCurrent();
  llvm::StringMap<int64_t> sizes;
  int64_t bytes = 0;
  for (const Input &input : wanted) {
    auto type = dyn_cast<RankedTensorType>(input.type);
    std::optional<DType> dtype = type ? titan::getDType(type) : std::nullopt;
    if (dtype && type.hasStaticShape() &&
        sizes.try_emplace(input.name, 0).second)
      bytes += type.getNumElements() * getByteSize(*dtype);
  }
  if (!arena || arena->hasRoomFor(bytes))
    return success();
  return emitError(functions.front().getLoc())
         << "the inputs of '" << functions.front().getSymName() << "' need "
         << bytes << " bytes where " << arena->getBlockBytes() << " of "
         << *arena->getLimit() << " are in use; raise '--memory-limit'";
}

// Names that are nobody's are mistyped where others are drawn.
void Program::findStrangers(const TensorMap &tensors, ArrayRef<Input> wanted,
                            SmallVectorImpl<std::string> &problems) {
  SmallVector<StringRef> known;
  for (const Input &input : wanted)
    known.push_back(input.name);
  for (const auto &[name, tensor] : tensors)
    if (!llvm::is_contained(known, name))
      problems.push_back("'" + name + "' is no input" +
                         didYouMean(name, known));
}

LogicalResult Program::bindInputs(const InputSource &source) {
  SmallVector<Input> wanted;
  for (func::FuncOp function : functions)
    for (BlockArgument argument : function.getArguments())
      if (unsigned index = argument.getArgNumber(); !isSaved(function, index))
        wanted.push_back(
            {getInputName(function, index), argument.getType(), argument});
  if (failed(checkRoom(wanted)))
    return failure();
  // Numbers first: shapes and strides are said in terms of them.
  std::vector<const Input *> order;
  for (bool wantsNumbers : {true, false})
    for (const Input &input : wanted)
      if (input.type.isIndex() == wantsNumbers)
        order.push_back(&input);
  auto isGiven = [&](const std::string &name) {
    return source.tensors &&
           (!source.drawsMissing || source.tensors->contains(name));
  };
  SmallVector<std::string> problems;
  if (source.tensors && source.drawsMissing)
    findStrangers(*source.tensors, wanted, problems);
  for (const Input *each : order) {
    const Input &input = *each;
    if (inputs.contains(input.name))
      continue;
    std::string problem;
    FailureOr<RuntimeValue> value =
        isGiven(input.name) || getGeneratorSide(input.name)
            ? bindInput(input, source, problem)
            : FailureOr<RuntimeValue>(drawInput(input, source));
    if (failed(value)) {
      problems.push_back(problem);
      continue;
    }
    if (const auto *size = value->getIf<int64_t>())
      if (LayoutAttr layout = getLayout(input.argument);
          layout && layout.getValue())
        symbols[layout.getValue().getValue()] = *size;
    if (const auto *tensor = value->getIf<Tensor>()) {
      // Storage of its own, laid out as the graph says.
      std::optional<Shape> strides = getLayoutStrides(input);
      Tensor own =
          strides && static_cast<int64_t>(strides->size()) == tensor->getRank()
              ? Tensor(tensor->getDType(), tensor->getShape(), *strides)
              : Tensor(tensor->getDType(), tensor->getShape());
      own.assign(*tensor);
      own.noteValue();
      value->storage = own;
    }
    inputs[input.name] = *value;
  }
  if (problems.empty())
    return success();
  return emitError(functions.front().getLoc())
         << problems.size() << (problems.size() == 1 ? " input" : " inputs")
         << " of '" << functions.front().getSymName()
         << "' cannot be bound: " << llvm::join(problems, "; ");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

FailureOr<RuntimeValue> Program::findArgument(func::FuncOp function,
                                              unsigned index) {
  std::string name = getInputName(function, index);
  if (!isSaved(function, index))
    return inputs.lookup(name);
  auto it = saved.find(name);
  if (it == saved.end())
    return emitError(function.getLoc())
           << "the saved value '" << name
           << "' is an argument, but no result of the forward function";
  return std::move(it->second);
}

// The position of a result in the joint function's list.
static std::string getResultKey(func::FuncOp function, unsigned index) {
  auto positions =
      function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  if (positions && index < positions.size())
    return std::to_string(positions[index]);
  return std::to_string(index);
}

LogicalResult Program::keepResults(func::FuncOp function,
                                   ArrayRef<RuntimeValue> values,
                                   TensorMap &outputs) {
  for (auto [index, value] : llvm::enumerate(values)) {
    if (getResultRole(function, index) == Role::Saved) {
      auto name = function.getResultAttrOfType<StringAttr>(index, kNameAttr);
      if (!name)
        return emitError(function.getLoc())
               << "result " << index << " is saved, but has no name";
      saved[name.getValue()] = value;
      continue;
    }
    std::string key = getResultKey(function, index);
    if (const auto *tensor = value.getIf<Tensor>())
      outputs.insert_or_assign(key, *tensor);
    else if (const auto *size = value.getIf<int64_t>())
      outputs.insert_or_assign(key, Tensor::scalar(DType::I64, *size));
    else if (const auto *number = value.getIf<double>())
      outputs.insert_or_assign(key, Tensor::scalar(DType::F64, *number));
    else if (const auto *flag = value.getIf<bool>())
      outputs.insert_or_assign(
          key, Tensor::scalar(DType::Bool, static_cast<int64_t>(*flag)));
  }
  return success();
}

// The generators of the backward start where the forward's stood.
void Program::handOverGenerators() {
  for (auto &entry : inputs) {
    const auto *own = entry.second.getIf<std::shared_ptr<Generator>>();
    StringRef name = entry.first();
    if (!own || !name.consume_front("bwd"))
      continue;
    RuntimeValue partner = inputs.lookup(("fwd" + name).str());
    if (const auto *first = partner.getIf<std::shared_ptr<Generator>>())
      (*own)->state = (*first)->state;
  }
}

// What is saved is handed over: nobody holds it longer than the backward.
FailureOr<RankValues> Program::takeArguments(func::FuncOp function) {
  RankValues arguments;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    FailureOr<RuntimeValue> value = findArgument(function, index);
    if (failed(value))
      return failure();
    arguments.push_back(std::move(*value));
  }
  return arguments;
}

void Program::addWrittenInputs(TensorMap &outputs) const {
  for (const auto &entry : inputs)
    if (const auto *tensor = entry.second.getIf<Tensor>();
        tensor && tensor->getVersion() > 0)
      outputs.insert_or_assign("input:" + entry.first().str(), *tensor);
}

FailureOr<std::vector<TensorMap>>
Program::runRanks(MutableArrayRef<Program> ranks, Engine engine) {
  std::vector<TensorMap> outputs(ranks.size());
  for (auto [number, function] : llvm::enumerate(ranks.front().functions)) {
    std::vector<RankValues> arguments;
    for (Program &program : ranks) {
      if (number > 0)
        program.handOverGenerators();
      FailureOr<RankValues> own = program.takeArguments(function);
      if (failed(own))
        return failure();
      arguments.push_back(std::move(*own));
    }
    FailureOr<std::vector<RankValues>> results =
        engine(function, std::move(arguments));
    if (failed(results))
      return failure();
    for (auto [program, own, kept] : llvm::zip_equal(ranks, *results, outputs))
      if (failed(program.keepResults(function, own, kept)))
        return failure();
  }
  for (auto [program, kept] : llvm::zip_equal(ranks, outputs))
    program.addWrittenInputs(kept);
  return outputs;
}

FailureOr<TensorMap> Program::run(Engine engine) {
  FailureOr<std::vector<TensorMap>> outputs = runRanks(*this, engine);
  if (failed(outputs))
    return failure();
  return std::move(outputs->front());
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

// What differs between two tensors, empty if nothing does.
static std::string describeDifference(const Tensor &actual,
                                      const Tensor &expected,
                                      double tolerance) {
  if (actual.getDType() != expected.getDType() ||
      actual.getShape() != expected.getShape())
    return "is " + formatType(actual.getDType(), actual.getShape()) +
           ", expected " + formatType(expected.getDType(), expected.getShape());
  if (actual.getBytes() == expected.getBytes())
    return {};
  std::vector<double> a = actual.getValues<double>();
  std::vector<double> e = expected.getValues<double>();
  double largest = 0, difference = 0;
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isnan(e[i]))
      largest = std::max(largest, std::abs(e[i]));
    if (a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i])))
      continue;
    ++count;
    double distance = std::abs(a[i] - e[i]);
    difference =
        distance == distance ? std::max(difference, distance) : HUGE_VAL;
  }
  if (count == 0 || (tolerance > 0 && difference <= tolerance * largest))
    return {};
  std::string text;
  llvm::raw_string_ostream(text)
      << "differs in " << count << " of " << a.size()
      << " elements, by at most " << llvm::format("%g", difference)
      << " where the largest is " << llvm::format("%g", largest);
  return text;
}

Comparison titan::compareTensors(const TensorMap &actual,
                                 const TensorMap &expected, double tolerance) {
  Comparison result;
  for (const auto &[name, tensor] : expected) {
    auto it = actual.find(name);
    if (it == actual.end()) {
      result.differences.push_back("'" + name + "' is missing");
      continue;
    }
    Tensor got = it->second;
    if (isComplex(got.getDType()))
      got = fromComplex(got);
    std::string difference = describeDifference(got, tensor, tolerance);
    if (difference.empty())
      ++result.equal;
    else
      result.differences.push_back("'" + name + "' " + difference);
  }
  return result;
}
