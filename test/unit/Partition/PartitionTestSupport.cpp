#include "PartitionTestSupport.h"

#include "titan/Dialect/Registration.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;
using namespace mlir::titan::test;

Graph::Graph(StringRef text) {
  DialectRegistry registry;
  registerTitanDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { collect(diagnostic); });
  module = parseSourceString<ModuleOp>(text, &context);
  if (!messages.empty())
    FAIL(messages.front());
}

void Graph::collect(Diagnostic &diagnostic) {
  messages.push_back(diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    collect(note);
}

Value Graph::value(StringRef name) {
  Value found;
  for (BlockArgument argument : joint().getArguments())
    if (getSourceName(argument) == name)
      found = argument;
  for (Operation &op : joint().front())
    for (Value result : op.getResults())
      if (getSourceName(result) == name)
        found = result;
  if (!found)
    FAIL("no value " << name.str());
  return found;
}

Plan Graph::plan(const Names &saved, const Names &forward,
                 const Names &backward) {
  Plan plan;
  for (const std::string &name : saved) {
    Value saved = value(name);
    SavedKind kind =
        isa<BlockArgument>(saved) ? SavedKind::Argument : SavedKind::Value;
    plan.saved.push_back({saved, kind, 0, "a test says so"});
  }
  auto add = [&](const Names &names, std::vector<Operation *> &ops) {
    for (const std::string &name : names) {
      Operation *op = value(name).getDefiningOp();
      ops.push_back(op);
    }
  };
  add(forward, plan.forwardOps);
  add(backward, plan.backwardOps);
  return plan;
}

static std::string withRole(StringRef name, std::optional<Role> role) {
  return (name + ":" + (role ? stringifyRole(*role) : "")).str();
}

Names test::arguments(func::FuncOp function) {
  Names names;
  for (BlockArgument argument : function.getArguments())
    names.push_back(
        withRole(getSourceName(argument),
                 getArgumentRole(function, argument.getArgNumber())));
  return names;
}

Names test::results(func::FuncOp function) {
  Names names;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    names.push_back(withRole(name ? name.getValue() : StringRef(),
                             getResultRole(function, i)));
  }
  return names;
}

Names test::body(func::FuncOp function) {
  auto list = [](auto &&values) {
    return llvm::join(
        llvm::map_range(values,
                        [](Value value) { return getDisplayName(value); }),
        ", ");
  };
  Names lines;
  for (Operation &op : function.front()) {
    std::string call = (isa<func::ReturnOp>(op) ? "return" : getOpName(&op)) +
                       "(" + list(op.getOperands()) + ")";
    lines.push_back(op.getNumResults() ? list(op.getResults()) + " = " + call
                                       : call);
  }
  return lines;
}
