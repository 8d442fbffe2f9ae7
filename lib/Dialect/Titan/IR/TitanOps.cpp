// The ops of the titan dialect.
#include "KnownTorchOps.h"
#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Interfaces/OpNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Titan/IR/TitanOps.cpp.inc"

void TitanDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Titan/IR/TitanOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// TorchOp
//===----------------------------------------------------------------------===//

void TorchOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setSourceResultNames(getOperation(), setName);
}

WorkClass TorchOp::getWorkClass() { return lookupTorchOp(getName()).work; }

OpFact TorchOp::getFacts() { return lookupTorchOp(getName()).facts; }

FlopFormula TorchOp::getFlopFormula() { return lookupTorchOp(getName()).flops; }

std::optional<unsigned> TorchOp::getAliasedOperand(unsigned result) {
  std::optional<unsigned> operand =
      aliasedOperand(lookupTorchOp(getName()).aliasOperand, result);
  return operand < getInputs().size() ? operand : std::nullopt;
}

void TorchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getTorchOpEffects(getOperation(), effects);
}

// Every operand in one place of the arguments, and no place without one.
static LogicalResult countOperands(TorchOp op, Attribute attribute,
                                   SmallVectorImpl<unsigned> &uses) {
  if (auto argument = dyn_cast<ArgumentAttr>(attribute)) {
    if (argument.getIndex() >= uses.size())
      return op.emitOpError() << "argument names operand "
                              << argument.getIndex() << " of " << uses.size();
    ++uses[argument.getIndex()];
    return success();
  }
  ArrayAttr nested;
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    nested = array;
  else if (auto tuple = dyn_cast<TupleAttr>(attribute))
    nested = tuple.getElements();
  else if (auto dict = dyn_cast<DictAttr>(attribute))
    nested = dict.getEntries();
  if (nested)
    for (Attribute element : nested)
      if (failed(countOperands(op, element, uses)))
        return failure();
  return success();
}

LogicalResult TorchOp::verify() {
  SmallVector<unsigned> uses(getInputs().size(), 0);
  if (failed(countOperands(*this, getArgs(), uses)) ||
      (getKwargs() && failed(countOperands(*this, *getKwargs(), uses))))
    return failure();
  for (auto [index, count] : llvm::enumerate(uses))
    if (count != 1)
      return emitOpError() << "expected operand " << index
                           << " once among the arguments, found it " << count
                           << " times";
  auto [space, rest] = getName().split('.');
  if (space.empty() || rest.empty())
    return emitOpError() << "expected a name with a namespace, found '"
                         << getName() << "'";
  return success();
}

static LogicalResult verifySymbols(TorchOp op, Attribute attribute,
                                   SymbolTableCollection &symbols) {
  LogicalResult result = success();
  attribute.walk([&](FlatSymbolRefAttr reference) {
    if (!symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, reference) &&
        succeeded(result))
      result = op.emitOpError()
               << "expected a function named '" << reference.getValue() << "'";
  });
  return result;
}

LogicalResult TorchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySymbols(*this, getArgs(), symbols);
}

//===----------------------------------------------------------------------===//
// SymOp
//===----------------------------------------------------------------------===//

void SymOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setSourceResultNames(getOperation(), setName);
}

WorkClass SymOp::getWorkClass() { return WorkClass::Symbolic; }

OpFact SymOp::getFacts() { return OpFact::Recomputable; }

FlopFormula SymOp::getFlopFormula() { return FlopFormula::None; }

std::optional<unsigned> SymOp::getAliasedOperand(unsigned) {
  return std::nullopt;
}

LogicalResult SymOp::verify() {
  for (unsigned index = 0; index < getInputs().size(); ++index)
    if (!getPython().contains(("@" + Twine(index)).str()))
      return emitOpError() << "expected '@" << index << "' in the expression \""
                           << getPython() << '"';
  return success();
}
