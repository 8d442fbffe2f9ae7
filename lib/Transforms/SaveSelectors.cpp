#include "SaveSelectors.h"

#include "titan/Interfaces/DidYouMean.h"
#include "titan/Interfaces/OpNames.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr llvm::StringLiteral kOption =
    "--compile.full_recompute_save_ops";

static StringRef getNamespace(StringRef name) { return name.split('.').first; }

bool titan::isModelledNamespace(StringRef name, MLIRContext *context) {
  StringRef space = getNamespace(name);
  return space != "titan" && context->getLoadedDialect(space);
}

static SmallVector<StringRef> getOpsOf(StringRef space, MLIRContext *context) {
  SmallVector<StringRef> names;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (getNamespace(op.getStringRef()) == space)
      names.push_back(op.getStringRef());
  return names;
}

static bool isRegistered(StringRef name, MLIRContext *context) {
  return RegisteredOperationName::lookup(name, context).has_value();
}

// `aten.add` stands for all of aten.add.Tensor, aten.add.Scalar.
static SmallVector<StringRef> getOverloads(StringRef name,
                                           MLIRContext *context) {
  SmallVector<StringRef> overloads;
  for (StringRef op : getOpsOf(getNamespace(name), context))
    if (op.starts_with((name + ".").str()))
      overloads.push_back(op);
  return overloads;
}

llvm::Error titan::checkOpName(StringRef spelling, MLIRContext *context) {
  std::string name = normalizeOpName(spelling);
  if (!isModelledNamespace(name, context) || isRegistered(name, context))
    return llvm::Error::success();
  SmallVector<StringRef> overloads = getOverloads(name, context);
  if (!overloads.empty())
    return llvm::createStringError(
        "expected one overload, found '" + spelling +
        "', which stands for several; name one of '" +
        llvm::join(overloads, "', '") + "'");
  return llvm::createStringError(
      "unknown op '" + spelling + "'" +
      didYouMean(name, getOpsOf(getNamespace(name), context)));
}

static llvm::Error checkSelectedOp(StringRef spelling, MLIRContext *context) {
  StringRef path = spelling;
  path.consume_front("torch.ops.");
  std::string name = normalizeOpName(path);
  bool isHigherOrder = getNamespace(name) == "higher_order";
  bool hasOverload = path.count('.') >= 2;
  bool isModelled = isModelledNamespace(name, context);
  bool isUnknown = !path.contains('.') ||
                   (isModelled && !isRegistered(name, context) &&
                    (hasOverload || getOverloads(name, context).empty()));
  if (isUnknown)
    return llvm::createStringError(
        "Unknown op in " + kOption + ": '" + spelling + "'" +
        didYouMean(name, getOpsOf(getNamespace(name), context)));
  if (!hasOverload && !isHigherOrder)
    return llvm::createStringError(
        "Ops in " + kOption +
        " must name a specific overload or higher-order op, got '" + spelling +
        "'");
  return llvm::Error::success();
}

llvm::Expected<std::vector<SaveSelector>>
titan::parseSaveSelectors(StringRef text, MLIRContext *context) {
  std::vector<SaveSelector> selectors;
  if (text.trim().empty())
    return selectors;
  SmallVector<StringRef> items;
  text.split(items, '|');
  for (StringRef item : items) {
    SmallVector<StringRef> parts;
    item.split(parts, "::");
    for (StringRef &part : parts)
      part = part.trim();
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
      return llvm::createStringError("Invalid " + kOption + " selector '" +
                                     item.trim() +
                                     "'; expected 'MODULE_FQN_PATTERN::OP'");
    if (llvm::Error error = checkSelectedOp(parts[1], context))
      return error;
    selectors.push_back({parts[0].str(), normalizeOpName(parts[1]),
                         (parts[0] + "::" + parts[1]).str()});
  }
  return selectors;
}
