// Writes modules as the text that `print_readable` gives, so that they can be
// compared with PyTorch's own dumps and read again.
#include "FxText.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Import/Comment.h"
#include "titan/Import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A node of the source graph, as one line.
struct Line {
  std::string name;
  std::string text;
  std::string comment;
  /// Null for what is read of the module itself.
  Value value;
  /// The nodes it reads, in order, each once.
  llvm::SetVector<unsigned> inputs;
  bool isUsed = false;
};

/// Writes one function, and the bodies that its ops name.
class FunctionWriter {
public:
  FunctionWriter(func::FuncOp function, raw_ostream &output, int indent)
      : function(function), output(output), indent(indent) {
    auto module = function->getParentOfType<ModuleOp>();
    if (auto name = module->getAttrOfType<StringAttr>(kDeviceAttr))
      types.device = name.getValue();
    types.hasStrides = !function->hasAttr(kNoStridesAttr);
    if (auto text = function->getAttrOfType<StringAttr>(kGraphKindAttr))
      kind = text.getValue();
  }

  LogicalResult write(StringRef className);

private:
  unsigned addNode(StringRef name);
  std::string makeName(StringRef name);
  std::string getName(Value value);
  std::string getSymbolName(StringRef symbol);
  void addOp(Operation &op);
  void addGetitems(Operation &op, unsigned tuple);
  std::string getComment(Operation *op, std::optional<Policy> policy,
                         std::optional<int64_t> id);
  /// What is read of the module itself carries no tags.
  std::string getUntaggedComment() {
    return current ? getComment(current, std::nullopt, std::nullopt)
                   : std::string();
  }
  SmallVector<StringRef> getArgumentGroups();
  void writeArguments();
  void writeLines();
  void writeReturn();
  raw_ostream &line(unsigned depth = 2) {
    return output.indent(indent + 4 * static_cast<int>(depth));
  }
  StringRef getDescriptor(unsigned argument) {
    auto text = function.getArgAttrOfType<StringAttr>(argument, kDescAttr);
    return text ? text.getValue() : StringRef();
  }
  bool hasDescriptors() {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (!getDescriptor(i).empty())
        return true;
    return false;
  }
  bool isPytree() const { return kind == "joint"; }

  func::FuncOp function;
  raw_ostream &output;
  int indent;
  FxTypeForm types;
  StringRef kind;
  llvm::StringSet<> taken;
  llvm::DenseMap<Value, unsigned> nodeOfValue;
  llvm::DenseMap<Value, std::string> literals;
  /// All nodes; arguments have no text.
  std::vector<Line> lines;
  unsigned numArguments = 0;
  /// What the line that is being made reads.
  llvm::SetVector<unsigned> *inputs = nullptr;
  /// The op whose line is being made.
  Operation *current = nullptr;
  /// Bodies in the order of their first use.
  llvm::MapVector<StringRef, unsigned> bodies;
};

} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string FunctionWriter::makeName(StringRef name) {
  std::string base = name.empty() ? "value" : name.str();
  std::string unique = base;
  for (unsigned suffix = 1; !taken.insert(unique).second; ++suffix)
    unique = base + "_" + std::to_string(suffix);
  return unique;
}

unsigned FunctionWriter::addNode(StringRef name) {
  lines.push_back({makeName(name), {}, {}, {}, {}, false});
  return lines.size() - 1;
}

// The name of a value that the current line reads. A tensor constant becomes a
// node where it is first read.
std::string FunctionWriter::getName(Value value) {
  if (auto literal = literals.find(value); literal != literals.end())
    return literal->second;
  auto node = nodeOfValue.find(value);
  if (node == nodeOfValue.end()) {
    StringRef name = getSourceName(value);
    unsigned constant = addNode(name);
    lines[constant].text = ("self." + name).str();
    lines[constant].comment = getUntaggedComment();
    lines[constant].value = value;
    node = nodeOfValue.try_emplace(value, constant).first;
  }
  lines[node->second].isUsed = true;
  if (inputs)
    inputs->insert(node->second);
  return lines[node->second].name;
}

// Each op that names a body does so by a node of its own.
std::string FunctionWriter::getSymbolName(StringRef symbol) {
  bodies.try_emplace(symbol, 0);
  std::string text = ("self." + symbol).str();
  for (unsigned input : *inputs)
    if (lines[input].text == text)
      return lines[input].name;
  unsigned node = addNode(symbol);
  lines[node].text = std::move(text);
  lines[node].comment = getUntaggedComment();
  lines[node].isUsed = true;
  inputs->insert(node);
  return lines[node].name;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::string FunctionWriter::getComment(Operation *op,
                                       std::optional<Policy> policy,
                                       std::optional<int64_t> id) {
  std::string text = "#" + getCommentText(op, policy, id);
  // The phases of a step graph follow from its seed.
  std::optional<Phase> phase = getPhase(op);
  if (!phase || kind == "step")
    return text;
  return ("# partitioner_tag: " + getPhaseTag(*phase) + " " + text).str();
}

// The elements that have names or uses, in the order in which the source read
// them, each with its name; an element may come twice.
static SmallVector<std::pair<OpResult, StringRef>> getReads(Operation &op) {
  SmallVector<std::pair<OpResult, StringRef>> reads;
  llvm::SmallDenseSet<unsigned> seen;
  auto add = [&](unsigned index) {
    OpResult result = op.getResult(index);
    StringRef name = getSourceName(result);
    if (seen.insert(index).second && !(name.empty() && result.use_empty()))
      reads.emplace_back(result, name);
  };
  if (auto order = op.getAttrOfType<ArrayAttr>(kGetitemsAttr))
    for (Attribute element : order) {
      if (auto again = dyn_cast<ArrayAttr>(element))
        reads.emplace_back(op.getResult(cast<IntegerAttr>(again[0]).getInt()),
                           cast<StringAttr>(again[1]).getValue());
      else
        add(cast<IntegerAttr>(element).getInt());
    }
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    add(i);
  return reads;
}

void FunctionWriter::addGetitems(Operation &op, unsigned tuple) {
  for (auto [result, name] : getReads(op)) {
    unsigned node = addNode(name);
    nodeOfValue.try_emplace(result, node);
    Line &getitem = lines[node];
    getitem.value = result;
    getitem.text = lines[tuple].name + "[" +
                   std::to_string(result.getResultNumber()) + "]";
    getitem.comment =
        getComment(&op, getResultPolicy(result), getResultAcGraphId(result));
    getitem.inputs.insert(tuple);
    lines[tuple].isUsed = true;
  }
}

void FunctionWriter::addOp(Operation &op) {
  // A constant among the results is no node.
  if (auto sym = dyn_cast<SymOp>(op); sym && sym.getInputs().empty()) {
    literals[sym.getResult()] = sym.getPython().str();
    return;
  }
  current = &op;
  llvm::SetVector<unsigned> reads;
  inputs = &reads;
  auto value = [&](Value v) { return getName(v); };
  auto symbol = [&](StringRef s) { return getSymbolName(s); };
  std::string text = getCallText(&op, {value, symbol});
  inputs = nullptr;
  bool isTuple = titan::isTuple(&op);
  unsigned node =
      addNode(isTuple ? getTupleName(&op) : getSourceName(op.getResult(0)));
  lines[node].text = std::move(text);
  lines[node].comment = getComment(&op, getPolicy(&op), getAcGraphId(&op));
  lines[node].inputs = std::move(reads);
  if (isTuple)
    addGetitems(op, node);
  else
    nodeOfValue[lines[node].value = op.getResult(0)] = node;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

// `primals`, `tangents`, and for each argument of the random number generator's
// one of its own: `fwd_seed` for `fwd_seed_1`.
SmallVector<StringRef> FunctionWriter::getArgumentGroups() {
  SmallVector<StringRef> groups = {"primals", "tangents"};
  for (BlockArgument argument : function.getArguments())
    if (getArgumentRole(function, argument.getArgNumber()) == Role::Seed) {
      auto [base, number] = getSourceName(argument).rsplit('_');
      if (!number.empty() && llvm::all_of(number, llvm::isDigit) &&
          !llvm::is_contained(groups, base))
        groups.push_back(base);
    }
  return groups;
}

void FunctionWriter::writeArguments() {
  SmallVector<std::pair<std::string, std::string>> arguments;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (getArgumentRole(function, index) == Role::Constant)
      continue;
    unsigned node = addNode(getSourceName(argument));
    nodeOfValue[argument] = node;
    arguments.emplace_back(lines[node].name,
                           getAnnotationText(argument, types));
  }
  numArguments = lines.size();
  bool expanded = hasDescriptors();
  auto descriptor = [&](unsigned index) {
    StringRef text = getDescriptor(index);
    return text.empty() ? std::string() : ("  # " + text).str();
  };
  if (!isPytree()) {
    line(1) << "def forward(" << (expanded ? "\n" : "self");
    if (expanded)
      line() << "self,\n";
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      if (expanded)
        line() << argument.first << argument.second << "," << descriptor(index)
               << "\n";
      else
        output << ", " << argument.first << argument.second;
    }
    if (expanded)
      line(1);
    output << "):\n";
    return;
  }
  SmallVector<StringRef> groups = getArgumentGroups();
  if (expanded) {
    line(1) << "def forward(\n";
    line() << "self,\n";
    for (StringRef name : groups)
      line() << name << ",\n";
    line(1) << "):\n";
  } else {
    line(1) << "def forward(self, " << llvm::join(groups, ", ") << "):\n";
    line();
  }
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (expanded && !argument.second.empty())
      line() << argument.first << argument.second << descriptor(index) << "\n";
    else if (!argument.second.empty())
      output << argument.first << argument.second << "; ";
  }
  if (!expanded)
    output << "\n\n";
  line();
  for (auto &argument : arguments)
    output << argument.first << ", ";
  output << "= fx_pytree.tree_flatten_spec([" << llvm::join(groups, ", ")
         << "], self._in_spec)\n";
}

// The last line that reads a value deletes it; what nothing reads is deleted
// where it is made.
void FunctionWriter::writeLines() {
  SmallVector<SmallVector<unsigned, 2>> deleted(lines.size());
  llvm::BitVector seen(lines.size());
  for (Value operand :
       function.getBody().front().getTerminator()->getOperands())
    if (auto node = nodeOfValue.find(operand); node != nodeOfValue.end()) {
      seen.set(node->second);
      lines[node->second].isUsed = true;
    }
  for (unsigned user = lines.size(); user-- > numArguments;)
    for (unsigned input : lines[user].inputs)
      if (!seen.test(input)) {
        seen.set(input);
        deleted[user].push_back(input);
      }
  StringRef previous;
  for (unsigned node = numArguments; node < lines.size(); ++node) {
    Line &current = lines[node];
    if (current.comment != previous) {
      if (node != numArguments)
        output << "\n";
      line() << current.comment << "\n";
      previous = current.comment;
    }
    line() << current.name;
    if (current.value)
      output << getAnnotationText(current.value, types);
    output << " = " << current.text;
    if (!current.isUsed)
      deleted[node].push_back(node);
    if (!deleted[node].empty()) {
      output << ";  ";
      for (unsigned input : deleted[node])
        output << lines[input].name << " = ";
      output << "None";
    }
    output << "\n";
  }
}

void FunctionWriter::writeReturn() {
  auto positions =
      function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr);
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<std::string> results, descriptors;
  auto fill = [&](size_t count) {
    results.resize(std::max(results.size(), count), "None");
    descriptors.resize(results.size(), "None");
  };
  bool anyDescriptor = false;
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    fill(positions ? positions[index] : index);
    results.push_back(getName(value));
    auto text = function.getResultAttrOfType<StringAttr>(index, kDescAttr);
    descriptors.push_back(text ? text.str() : "None");
    anyDescriptor |= bool(text);
  }
  if (auto count = function->getAttrOfType<IntegerAttr>(kNumPositionsAttr))
    fill(count.getInt());
  StringRef form = isPytree() ? "pytree" : kind == "step" ? "list" : "tuple";
  if (auto text = function->getAttrOfType<StringAttr>(kReturnFormAttr))
    form = text.getValue();
  line() << "return ";
  if (form == "value") {
    output << (results.empty() ? "None" : results.front()) << "\n";
    return;
  }
  bool isTuple = form == "tuple";
  output << (form == "pytree" ? "pytree.tree_unflatten(["
             : isTuple        ? "("
                              : "[");
  for (auto [index, result] : llvm::enumerate(results)) {
    if (anyDescriptor) {
      output << "\n";
      line(3) << result << ",  # " << descriptors[index];
    } else {
      output << (index ? ", " : "") << result;
    }
  }
  if (anyDescriptor) {
    output << "\n";
    line();
  } else if (isTuple && results.size() == 1) {
    output << ",";
  }
  output << (form == "pytree" ? "], self._out_spec)"
             : isTuple        ? ")"
                              : "]")
         << "\n";
}

LogicalResult FunctionWriter::write(StringRef className) {
  if (className.empty()) {
    // The code of a module alone, as older versions printed it.
    line(0) << "from __future__ import annotations\n\n\n\n";
    indent -= 4;
  } else {
    line(0) << "class " << className << "(torch.nn.Module):\n";
  }
  writeArguments();
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!isa<TorchOp, SymOp>(op) && !isa<TorchOpInterface>(op))
      return op.emitError(
          "is no op of PyTorch and cannot be written as FX text");
    addOp(op);
  }
  // A constant that is only returned is a node, too.
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    getName(result);
  writeLines();
  writeReturn();
  auto module = function->getParentOfType<ModuleOp>();
  for (auto [symbol, unused] : bodies) {
    auto body = module.lookupSymbol<func::FuncOp>(symbol);
    if (!body || body.isDeclaration())
      return function.emitError()
             << "names the function '" << symbol << "', which is not there";
    output << "\n";
    if (failed(FunctionWriter(body, output, indent + 4).write(symbol)))
      return failure();
  }
  return success();
}

StringRef titan::getUsualClassName(func::FuncOp function) {
  auto kind = function->getAttrOfType<StringAttr>(kGraphKindAttr);
  if (kind && kind.getValue() == "joint")
    return "inner_f";
  if (kind && kind.getValue() == "step")
    return "<lambda>";
  return "GraphModule";
}

LogicalResult titan::writeFx(ModuleOp module, llvm::raw_ostream &output) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate() && !function.isDeclaration())
      functions.push_back(function);
  if (functions.empty())
    return module.emitError("has no function to write as FX text");
  for (func::FuncOp function : functions) {
    // Several graphs in one text are told apart as in PyTorch's logs.
    if (functions.size() > 1) {
      std::string title = function.getName().str();
      title[0] = llvm::toUpper(title[0]);
      output << "TRACED GRAPH\n ===== " << title << " graph 0 =====\n";
    }
    StringRef className = getUsualClassName(function);
    if (auto name = function->getAttrOfType<StringAttr>(kClassNameAttr))
      className = name.getValue();
    if (failed(FunctionWriter(function, output, 0).write(className)))
      return failure();
  }
  return success();
}
