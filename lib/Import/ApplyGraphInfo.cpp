// Puts a graph-info file onto a function that was imported or read as MLIR.
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Import/GraphInfo.h"
#include "titan/Import/Import.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A value of the source graph: an argument, an op, a tuple, or one of a
/// tuple's elements.
struct SourceNode {
  std::string name;
  BlockArgument argument;
  Operation *op = nullptr;
  /// The element of a tuple.
  std::optional<unsigned> element;
};

class GraphInfoApplier {
public:
  GraphInfoApplier(func::FuncOp function, const GraphInfo &info, StringRef file)
      : function(function), info(info), file(file) {
    collectNodes();
  }

  void apply();

private:
  void collectNodes();
  void applyStaticInputs();
  void applySymbols();
  void applyValues();
  void applyToArgument(BlockArgument argument, const ValueInfo &value);
  void applyToOp(Operation *op, const ValueInfo &value);
  void applyRuns();
  InFlightDiagnostic emitWarning() {
    InFlightDiagnostic warning =
        mlir::emitWarning(UnknownLoc::get(function.getContext()));
    warning << file << ": ";
    return warning;
  }

  func::FuncOp function;
  const GraphInfo &info;
  StringRef file;
  std::vector<SourceNode> nodes;
  llvm::StringMap<unsigned> indices;
};

} // namespace

void GraphInfoApplier::collectNodes() {
  auto add = [&](SourceNode node) {
    indices.try_emplace(node.name, nodes.size());
    nodes.push_back(std::move(node));
  };
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (getArgumentRole(function, argument.getArgNumber()) != Role::Constant)
      add({getSourceName(argument).str(), argument, nullptr, {}});
  for (Operation &op : body.without_terminator()) {
    if (isTuple(&op))
      add({getTupleName(&op).str(), {}, &op, {}});
    for (OpResult result : op.getResults()) {
      StringRef name = getSourceName(result);
      if (!name.empty())
        add({name.str(),
             {},
             &op,
             isTuple(&op) ? std::optional(result.getResultNumber())
                          : std::nullopt});
    }
  }
}

void GraphInfoApplier::applyStaticInputs() {
  for (int64_t position : info.staticInputs) {
    if (position >= function.getNumArguments()) {
      emitWarning() << "'static_inputs' names position " << position
                    << ", but the graph has " << function.getNumArguments()
                    << " arguments";
      return;
    }
    std::optional<Role> role = getArgumentRole(function, position);
    if (!role || *role == Role::Input)
      setArgumentRole(function, position, Role::Param);
  }
}

void GraphInfoApplier::applySymbols() {
  if (info.symbols.empty())
    return;
  Builder builder(function.getContext());
  NamedAttrList hints;
  for (const auto &[symbol, hint] : info.symbols)
    hints.set(symbol, hint ? Attribute(builder.getI64IntegerAttr(*hint))
                           : NoneAttr::get(function.getContext()));
  function->getParentOfType<ModuleOp>()->setAttr(
      kDynamicAttr, hints.getDictionary(function.getContext()));
}

void GraphInfoApplier::applyToArgument(BlockArgument argument,
                                       const ValueInfo &value) {
  unsigned index = argument.getArgNumber();
  auto unit = UnitAttr::get(function.getContext());
  if (value.hasBackwardHook)
    function.setArgAttr(index, kBackwardHookAttr, unit);
  if (value.noVersionCheck)
    function.setArgAttr(index, kNoVersionCheckAttr, unit);
  if (value.epilogueMutation)
    function.setArgAttr(index, kEpilogueMutationAttr, unit);
  if (!value.descriptor)
    return;
  StringRef text = *value.descriptor;
  function.setArgAttr(index, kDescAttr,
                      StringAttr::get(function.getContext(), text));
  std::optional<Role> role = getArgumentRole(function, index);
  if (role != Role::Input && role != Role::Param)
    return;
  if (text.contains("ParamAOTInput("))
    setArgumentRole(function, index, Role::Param);
  else if (text.contains("BufferAOTInput("))
    setArgumentRole(function, index, Role::Buffer);
}

void GraphInfoApplier::applyToOp(Operation *op, const ValueInfo &value) {
  MLIRContext *context = op->getContext();
  auto unit = UnitAttr::get(context);
  if (value.policy && op->getNumResults())
    setPolicy(op, *value.policy);
  if (value.acGraphId)
    setAcGraphId(op, *value.acGraphId);
  if (value.phase)
    op->setDiscardableAttr(kPhaseAttr, PhaseAttr::get(context, *value.phase));
  if (value.module)
    op->setDiscardableAttr(kModuleAttr,
                           StringAttr::get(context, *value.module));
  if (value.custom && !value.custom.empty())
    op->setDiscardableAttr(kCustomAttr, value.custom);
  if (value.hasBackwardHook)
    op->setDiscardableAttr(kBackwardHookAttr, unit);
  if (value.noVersionCheck)
    op->setDiscardableAttr(kNoVersionCheckAttr, unit);
  if (value.epilogueMutation)
    op->setDiscardableAttr(kEpilogueMutationAttr, unit);
}

// The tags that decide a plan must find their values; what else the file holds
// may be of nodes that the IR does not have, such as unread elements.
void GraphInfoApplier::applyValues() {
  size_t unknown = 0;
  StringRef firstUnknown;
  for (const auto &[name, value] : info.values) {
    auto known = indices.find(name);
    if (known == indices.end()) {
      if (value.policy || value.acGraphId) {
        if (!unknown++)
          firstUnknown = name;
      }
      continue;
    }
    const SourceNode &node = nodes[known->second];
    if (node.argument)
      applyToArgument(node.argument, value);
    else if (!node.element)
      applyToOp(node.op, value);
    else if (value.policy || value.acGraphId)
      setResultTag(node.op->getResult(*node.element), value.policy,
                   value.acGraphId);
  }
  if (unknown)
    emitWarning() << "'tags' names " << unknown
                  << " values that the graph does not have, the first is '"
                  << firstUnknown << "'";
}

// Runs follow each other in graph order. An end that the IR does not have (a
// node that only names a constant or a body) lies beside its neighbour's.
void GraphInfoApplier::applyRuns() {
  auto find = [&](StringRef name) -> std::optional<size_t> {
    auto known = indices.find(name);
    if (known == indices.end())
      return std::nullopt;
    return known->second;
  };
  size_t begin = 0;
  for (auto [number, run] : llvm::enumerate(info.runs)) {
    begin = find(run.first).value_or(begin);
    size_t end = nodes.size();
    if (std::optional<size_t> last = find(run.last))
      end = *last + 1;
    else if (number + 1 < info.runs.size())
      end = find(info.runs[number + 1].first).value_or(begin);
    auto phase = PhaseAttr::get(function.getContext(), run.phase);
    for (size_t index = begin; index < end; ++index)
      if (nodes[index].op && !nodes[index].element)
        nodes[index].op->setDiscardableAttr(kPhaseAttr, phase);
    begin = std::max(begin, end);
  }
}

void GraphInfoApplier::apply() {
  applyStaticInputs();
  applySymbols();
  applyRuns();
  applyValues();
}

void titan::applyGraphInfo(func::FuncOp function, const GraphInfo &info,
                           StringRef name) {
  if (info.staticInputs.empty() && info.symbols.empty() &&
      info.values.empty() && info.runs.empty())
    return;
  GraphInfoApplier(function, info, name).apply();
}

static func::FuncOp getMainFunction(ModuleOp module) {
  if (auto joint = getJointFunction(module))
    return dyn_cast<func::FuncOp>(joint.getOperation());
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate() && !function.isDeclaration())
      return function;
  return {};
}

LogicalResult titan::applyGraphInfo(ModuleOp module,
                                    const ImportOptions &options) {
  FailureOr<GraphInfo> info = parseGraphInfo(
      module.getContext(), options.graphInfo, options.graphInfoName);
  if (failed(info))
    return failure();
  func::FuncOp function = getMainFunction(module);
  if (!function)
    return module.emitError("has no function that a graph info could be for");
  applyGraphInfo(function, *info, options.graphInfoName);
  std::optional<int64_t> count = options.numForwardOutputs;
  if (!count)
    count = info->numForwardOutputs;
  if (!count)
    return success();
  // Positions are the source's, the attribute counts the results that are
  // there.
  int64_t present = *count;
  if (auto positions =
          function->getAttrOfType<DenseI64ArrayAttr>(kResultPositionsAttr))
    present = llvm::count_if(positions.asArrayRef(), [&](int64_t position) {
      return position < *count;
    });
  if (present < 0 || present > static_cast<int64_t>(function.getNumResults()))
    return function.emitError()
           << "returns " << function.getNumResults()
           << " values, so it cannot have " << *count << " forward outputs";
  function->setAttr(kJointAttr,
                    Builder(module.getContext()).getI64IntegerAttr(present));
  return success();
}
