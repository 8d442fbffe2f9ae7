#include "ModuleBuilder.h"

#include "FunctionBuilder.h"
#include "FxText.h"
#include "Roles.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Import/FxParser.h"
#include "titan/Import/GraphInfo.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// Builds the functions, bodies of higher-order ops after what calls them.
class ModuleBuilder {
public:
  ModuleBuilder(GraphTables &tables, ModuleOp module)
      : tables(tables), module(module) {}

  func::FuncOp build(const FxFunction &source, StringRef name,
                     llvm::DenseSet<Operation *> *backwardOps);

private:
  GraphTables &tables;
  ModuleOp module;
  llvm::StringSet<> taken;
};

} // namespace

static void setReturnForm(func::FuncOp function, ReturnForm form,
                          ReturnForm usual) {
  static constexpr llvm::StringLiteral kForms[] = {"tuple", "list", "value",
                                                   "pytree"};
  if (form != usual)
    function->setAttr(kReturnFormAttr,
                      StringAttr::get(function.getContext(),
                                      kForms[static_cast<unsigned>(form)]));
}

// Whether the types of the text have no strides.
static bool hasShapesOnly(const FxFunction &source) {
  bool anyShape = false;
  for (const FxStatement &argument : source.arguments) {
    if (argument.annotation.contains("]["))
      return false;
    anyShape |= argument.annotation.contains('[');
  }
  return anyShape;
}

// How a graph of its kind usually returns its results.
static ReturnForm getUsualReturnForm(func::FuncOp function) {
  auto kind = function->getAttrOfType<StringAttr>(kGraphKindAttr);
  if (kind && kind.getValue() == "joint")
    return ReturnForm::Pytree;
  return kind && kind.getValue() == "step" ? ReturnForm::List
                                           : ReturnForm::Tuple;
}

func::FuncOp ModuleBuilder::build(const FxFunction &source, StringRef name,
                                  llvm::DenseSet<Operation *> *backwardOps) {
  taken.insert(name);
  llvm::DenseMap<StringRef, FlatSymbolRefAttr> symbols;
  SmallVector<std::pair<const FxFunction *, StringAttr>> children;
  for (const std::unique_ptr<FxFunction> &child : source.children) {
    std::string symbol = child->className.str();
    for (unsigned suffix = 1; !taken.insert(symbol).second; ++suffix)
      symbol = (child->className + "_" + Twine(suffix)).str();
    auto attribute = StringAttr::get(tables.context, symbol);
    children.emplace_back(child.get(), attribute);
    symbols[child->className] = FlatSymbolRefAttr::get(attribute);
  }
  FunctionBuilder builder(tables, source, std::move(symbols));
  func::FuncOp function = builder.build(module, name);
  if (!function)
    return nullptr;
  if (backwardOps)
    *backwardOps = std::move(builder.backwardOps);
  for (auto [child, symbol] : children) {
    func::FuncOp body = build(*child, symbol, nullptr);
    if (!body)
      return nullptr;
    body.setPrivate();
    setReturnForm(body, child->returnForm, ReturnForm::Tuple);
  }
  return function;
}

// A text without any type is what `graph.python_code` or `code` gives.
static bool refuseUntyped(const SourceText &source, const FxGraph &graph) {
  auto isTyped = [](const FxStatement &statement) {
    return statement.hasAnnotation();
  };
  const FxFunction &main = *graph.main;
  if (main.statements.empty() || llvm::any_of(main.arguments, isTyped) ||
      llvm::any_of(main.statements, isTyped))
    return false;
  source.emitError(main.position)
      << "this is the plain code of a graph ('GraphModule.code'), which has no "
         "types; "
      << kPrintReadableRemedy;
  return true;
}

OwningOpRef<ModuleOp> titan::buildModule(const SourceText &source,
                                         const FxGraph &graph,
                                         const ImportOptions &options) {
  if (refuseUntyped(source, graph))
    return {};
  MLIRContext *context = source.getContext();
  FailureOr<GraphInfo> info =
      parseGraphInfo(context, options.graphInfo, options.graphInfoName);
  if (failed(info))
    return {};
  GraphTables tables(source);
  tables.allowUnknown = options.allowUnknown;
  if (tables.readAnnotations(*graph.main))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  if (!tables.getDevice().empty())
    (*module)->setAttr(kDeviceAttr,
                       StringAttr::get(context, tables.getDevice()));
  llvm::DenseSet<Operation *> backwardOps;
  func::FuncOp function =
      ModuleBuilder(tables, *module).build(*graph.main, "joint", &backwardOps);
  if (!function)
    return {};
  std::optional<int64_t> numForward = options.numForwardOutputs;
  if (!numForward)
    numForward = info->numForwardOutputs;
  if (failed(
          assignRoles(function, *graph.main, backwardOps, numForward, source)))
    return {};
  setReturnForm(function, graph.main->returnForm, getUsualReturnForm(function));
  StringRef className = graph.main->className;
  if (className != getUsualClassName(function))
    function->setAttr(kClassNameAttr, StringAttr::get(context, className));
  if (hasShapesOnly(*graph.main))
    function->setAttr(kNoStridesAttr, UnitAttr::get(context));
  applyGraphInfo(function, *info, options.graphInfoName);
  return module;
}
