// tools/titan_plan.py makes the same lines from a torch.fx graph; the two must
// change together (test/Integration holds them together).
#include "titan/Report/GraphSignature.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/StringSaver.h"

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

  /// Each line with its end; what \p emit is given lives for the call.
  void run(llvm::function_ref<void(StringRef)> emit);

private:
  void addValue(Value value, unsigned position);
  StringRef getName(Value value) const;
  StringRef getType(Type type);
  StringRef getOpName(Operation &op);
  void describeOp(Operation &op);
  void describeResults(Operation &op);
  /// The operands in the order PyTorch passes them: positional ones, then
  /// keywords by name.
  void getArguments(Operation &op, SmallVectorImpl<Value> &arguments) const;
  void describeReturn(Operation &op);
  void add(StringRef text) { line.append(text.data(), text.size()); }

  FunctionOpInterface function;
  /// The line that is being written.
  std::string line;
  /// The source's names, or positions of values that the source did not name.
  llvm::DenseMap<Value, StringRef> names;
  llvm::DenseMap<Type, std::string> types;
  llvm::DenseMap<OperationName, std::string> ops;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver positions{allocator};
};
} // namespace

void Describer::addValue(Value value, unsigned position) {
  StringRef name = getSourceName(value);
  names[value] =
      name.empty() ? positions.save("%" + llvm::Twine(position)) : name;
}

StringRef Describer::getName(Value value) const {
  if (auto entry = names.find(value); entry != names.end())
    return entry->second;
  StringRef name = getSourceName(value);
  return name.empty() ? "?" : name;
}

StringRef Describer::getType(Type type) {
  auto [entry, isNew] = types.try_emplace(type);
  if (isNew)
    entry->second = describeType(type);
  return entry->second;
}

StringRef Describer::getOpName(Operation &op) {
  // An escape op says its name itself.
  if (isa<TorchOp>(op))
    return ops[op.getName()] = getTorchName(&op);
  auto [entry, isNew] = ops.try_emplace(op.getName());
  if (isNew)
    entry->second = isa<SymOp>(op) ? "sym" : getTorchName(&op);
  return entry->second;
}

void Describer::run(llvm::function_ref<void(StringRef)> emit) {
  Block &block = function.getFunctionBody().front();
  unsigned next = 0;
  names.reserve(block.getNumArguments() + block.getOperations().size());
  auto finish = [&] {
    line += '\n';
    emit(line);
    line.clear();
  };
  for (BlockArgument argument : block.getArguments()) {
    addValue(argument, next++);
    if (getArgumentRole(function, argument.getArgNumber()) == Role::Constant)
      continue;
    add(getName(argument));
    add(": ");
    add(getType(argument.getType()));
    finish();
  }
  for (Operation &op : block) {
    for (Value result : op.getResults())
      addValue(result, next++);
    if (op.hasTrait<OpTrait::IsTerminator>())
      describeReturn(op);
    else
      describeOp(op);
    finish();
  }
}

void Describer::describeResults(Operation &op) {
  if (!isTuple(&op)) {
    add(getName(op.getResult(0)));
    add(": ");
    add(getType(op.getResult(0).getType()));
    return;
  }
  add(getTupleName(&op));
  add(": (");
  bool first = true;
  for (OpResult result : op.getResults()) {
    if (getSourceName(result).empty())
      continue;
    add(first ? "" : ", ");
    first = false;
    line += std::to_string(result.getResultNumber());
    add(" ");
    add(getName(result));
    add(": ");
    add(getType(result.getType()));
  }
  add(")");
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
    // Keys and values take turns; keys are no graph values.
    llvm::for_each(dictionary.getEntries(), visit);
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

void Describer::getArguments(Operation &op,
                             SmallVectorImpl<Value> &arguments) const {
  std::vector<Keyword> keywords;
  if (auto call = dyn_cast<TorchOp>(op)) {
    collectArguments(call.getArgs(), op, arguments);
    if (std::optional<DictAttr> named = call.getKwargs())
      for (ArrayRef<Attribute> entries = named->getEntries().getValue();
           entries.size() > 1; entries = entries.drop_front(2)) {
        Keyword keyword;
        if (auto name = dyn_cast<StringAttr>(entries[0]))
          keyword.first = name.str();
        collectArguments(entries[1], op, keyword.second);
        keywords.push_back(std::move(keyword));
      }
    return addKeywords(keywords, arguments);
  }
  auto torch = dyn_cast<TorchOpInterface>(op);
  if (!torch) {
    llvm::append_range(arguments, op.getOperands());
    return;
  }
  unsigned group = 0;
  for (const SchemaParameter &parameter : torch.getSchema()) {
    if (!hasOperands(parameter.kind))
      continue;
    auto [start, length] = torch.getOperandGroup(group++);
    OperandRange operands = op.getOperands().slice(start, length);
    if (!parameter.keywordOnly)
      llvm::append_range(arguments, operands);
    else if (length)
      keywords.emplace_back(parameter.name.str(), llvm::to_vector(operands));
  }
  addKeywords(keywords, arguments);
}

void Describer::describeOp(Operation &op) {
  describeResults(op);
  add(" = ");
  add(getOpName(op));
  SmallVector<Value> arguments;
  getArguments(op, arguments);
  add("(");
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    add(i ? ", " : "");
    add(getName(argument));
  }
  add(")");
}

void Describer::describeReturn(Operation &op) {
  auto positions =
      function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  SmallVector<StringRef> returned;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    size_t position = positions && i < size_t(positions.size())
                          ? positions[i]
                          : returned.size();
    while (returned.size() < position)
      returned.push_back("None");
    returned.push_back(getName(operand));
  }
  add("return (");
  add(llvm::join(returned, ", "));
  add(")");
}

static std::string finish(llvm::SHA256 &hash) {
  std::array<uint8_t, 32> digest = hash.final();
  return "sha256:" + llvm::toHex(digest, /*LowerCase=*/true);
}

GraphSignature mlir::titan::describeGraph(FunctionOpInterface function) {
  GraphSignature signature;
  llvm::SHA256 hash;
  Describer(function).run([&](StringRef line) {
    hash.update(line);
    signature.nodes.push_back(line.drop_back().str());
  });
  signature.fingerprint = finish(hash);
  return signature;
}

std::string mlir::titan::writeGraphLines(FunctionOpInterface function) {
  std::string text;
  Describer(function).run([&](StringRef line) { text += line; });
  return text;
}

std::string mlir::titan::fingerprintLines(StringRef lines) {
  llvm::SHA256 hash;
  hash.update(lines);
  return finish(hash);
}
