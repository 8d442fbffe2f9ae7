#include "ModuleBuilder.h"

#include "FunctionBuilder.h"
#include "Roles.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/Verifier.h"
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
    if (child->returnForm != ReturnForm::Tuple)
      body->setAttr(
          kReturnFormAttr,
          StringAttr::get(tables.context, child->returnForm == ReturnForm::List
                                              ? "list"
                                              : "value"));
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
         "types; print it with 'gm.print_readable(print_output=False, "
         "include_stride=True, include_device=True)'";
  return true;
}

OwningOpRef<ModuleOp> titan::buildModule(const SourceText &source,
                                         const FxGraph &graph,
                                         const ImportOptions &options) {
  if (refuseUntyped(source, graph))
    return {};
  MLIRContext *context = source.getContext();
  GraphTables tables(source);
  if (tables.readAnnotations(*graph.main))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  if (!tables.getDevice().empty())
    (*module)->setAttr(kDeviceAttr,
                       StringAttr::get(context, tables.getDevice()));
  llvm::DenseSet<Operation *> backwardOps;
  func::FuncOp function =
      ModuleBuilder(tables, *module).build(*graph.main, "joint", &backwardOps);
  if (!function ||
      failed(assignRoles(function, *graph.main, backwardOps, options, source)))
    return {};
  return module;
}
