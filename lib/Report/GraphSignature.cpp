// tools/titan_plan.py makes the same lines from a torch.fx graph; the two must
// change together (test/Integration holds them together).
#include "titan/Report/GraphSignature.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::titan;

/// PyTorch's short name of an element type (torch.utils._dtype_abbrs).
static std::string getDtypeName(Type type) {
  if (type.isInteger(1))
    return "b8";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() ? "u" : "i") +
           std::to_string(integer.getWidth());
  if (auto complex = dyn_cast<ComplexType>(type))
    return "c" +
           std::to_string(2 * complex.getElementType().getIntOrFloatBitWidth());
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return StringRef(text).lower();
}

static std::string describeType(Type type) {
  if (isSymbolicNumberType(type))
    return "Sym";
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "other";
  std::string text = getDtypeName(tensor.getElementType()) + "[";
  for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
    text += i ? ", " : "";
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text + "]";
}

namespace {
/// Writes the lines of one function, one after the other.
class Describer {
public:
  explicit Describer(FunctionOpInterface function) : function(function) {}

  void run(llvm::function_ref<void(std::string)> emit);

private:
  std::string getName(Value value);
  std::string describeOp(Operation &op);
  std::string describeResults(Operation &op);
  /// The operands in the order PyTorch passes them: positional ones, then
  /// keywords by name.
  SmallVector<Value> getArguments(Operation &op);
  std::string describeReturn(Operation &op);

  FunctionOpInterface function;
  /// Names of values that the source did not name, by position.
  llvm::DenseMap<Value, std::string> positions;
};
} // namespace

std::string Describer::getName(Value value) {
  if (StringRef name = getSourceName(value); !name.empty())
    return name.str();
  auto entry = positions.find(value);
  return entry == positions.end() ? "?" : entry->second;
}

void Describer::run(llvm::function_ref<void(std::string)> emit) {
  Block &block = function.getFunctionBody().front();
  unsigned next = 0;
  auto number = [&](Value value) {
    if (getSourceName(value).empty())
      positions[value] = "%" + std::to_string(next);
    ++next;
  };
  for (BlockArgument argument : block.getArguments()) {
    number(argument);
    if (getArgumentRole(function, argument.getArgNumber()) != Role::Constant)
      emit(getName(argument) + ": " + describeType(argument.getType()));
  }
  for (Operation &op : block) {
    llvm::for_each(op.getResults(), number);
    emit(op.hasTrait<OpTrait::IsTerminator>() ? describeReturn(op)
                                              : describeOp(op));
  }
}

std::string Describer::describeResults(Operation &op) {
  if (!isTuple(&op))
    return getName(op.getResult(0)) + ": " +
           describeType(op.getResult(0).getType());
  std::string text = getTupleName(&op).str() + ": (";
  bool first = true;
  for (OpResult result : op.getResults()) {
    if (getSourceName(result).empty())
      continue;
    text += first ? "" : ", ";
    first = false;
    text += std::to_string(result.getResultNumber()) + " " + getName(result) +
            ": " + describeType(result.getType());
  }
  return text + ")";
}

/// The operands that \p attribute of an escape op mentions, in order.
static void collectArguments(Attribute attribute, Operation &op,
                             SmallVectorImpl<Value> &arguments) {
  if (auto argument = dyn_cast_or_null<ArgumentAttr>(attribute)) {
    if (argument.getIndex() < op.getNumOperands())
      arguments.push_back(op.getOperand(argument.getIndex()));
    return;
  }
  auto visit = [&](Attribute element) {
    collectArguments(element, op, arguments);
  };
  if (auto array = dyn_cast_or_null<ArrayAttr>(attribute))
    llvm::for_each(array, visit);
  else if (auto tuple = dyn_cast_or_null<TupleAttr>(attribute))
    llvm::for_each(tuple.getElements(), visit);
  else if (auto dictionary = dyn_cast_or_null<DictAttr>(attribute))
    for (Attribute entry : dictionary.getEntries())
      if (auto pair = dyn_cast<ArrayAttr>(entry); pair && pair.size() == 2)
        visit(pair[1]);
}

using Keyword = std::pair<std::string, SmallVector<Value>>;

static void addKeywords(std::vector<Keyword> &keywords,
                        SmallVectorImpl<Value> &arguments) {
  llvm::sort(keywords, [](const Keyword &a, const Keyword &b) {
    return a.first < b.first;
  });
  for (Keyword &keyword : keywords)
    arguments.append(keyword.second);
}

SmallVector<Value> Describer::getArguments(Operation &op) {
  SmallVector<Value> arguments;
  std::vector<Keyword> keywords;
  if (auto call = dyn_cast<TorchOp>(op)) {
    collectArguments(call.getArgs(), op, arguments);
    if (std::optional<DictAttr> named = call.getKwargs())
      for (Attribute entry : named->getEntries())
        if (auto pair = dyn_cast<ArrayAttr>(entry); pair && pair.size() == 2) {
          Keyword keyword;
          if (auto name = dyn_cast<StringAttr>(pair[0]))
            keyword.first = name.str();
          collectArguments(pair[1], op, keyword.second);
          keywords.push_back(std::move(keyword));
        }
    addKeywords(keywords, arguments);
    return arguments;
  }
  auto torch = dyn_cast<TorchOpInterface>(op);
  if (!torch)
    return llvm::to_vector(op.getOperands());
  CallView view(&op);
  for (auto [i, parameter] : llvm::enumerate(view.getSchema())) {
    OperandRange operands = view.getOperands(i);
    if (parameter.keywordOnly)
      keywords.emplace_back(parameter.name.str(), llvm::to_vector(operands));
    else
      llvm::append_range(arguments, operands);
  }
  addKeywords(keywords, arguments);
  return arguments;
}

std::string Describer::describeOp(Operation &op) {
  std::string text = describeResults(op) + " = ";
  text += isa<SymOp>(op) ? "sym" : getTorchName(&op);
  SmallVector<std::string> names;
  for (Value argument : getArguments(op))
    names.push_back(getName(argument));
  return text + "(" + llvm::join(names, ", ") + ")";
}

std::string Describer::describeReturn(Operation &op) {
  auto positions =
      function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  SmallVector<std::string> names;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    size_t position =
        positions && i < size_t(positions.size()) ? positions[i] : names.size();
    while (names.size() < position)
      names.push_back("None");
    names.push_back(getName(operand));
  }
  return "return (" + llvm::join(names, ", ") + ")";
}

static std::string finish(llvm::SHA256 &hash) {
  std::array<uint8_t, 32> digest = hash.final();
  return "sha256:" + llvm::toHex(digest, /*LowerCase=*/true);
}

GraphSignature mlir::titan::describeGraph(FunctionOpInterface function) {
  GraphSignature signature;
  llvm::SHA256 hash;
  Describer(function).run([&](std::string line) {
    hash.update(line);
    hash.update("\n");
    signature.nodes.push_back(std::move(line));
  });
  signature.fingerprint = finish(hash);
  return signature;
}

std::string mlir::titan::fingerprintGraph(FunctionOpInterface function) {
  llvm::SHA256 hash;
  Describer(function).run([&](std::string line) {
    hash.update(line);
    hash.update("\n");
  });
  return finish(hash);
}
