#include "titan/Interfaces/TorchOpInterfaces.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::titan;

#include "titan/Interfaces/TorchOpInterfaces.cpp.inc"

bool titan::isSymbolicNumberType(Type type) {
  return type.isIndex() || type.isF64() || type.isInteger(1);
}

bool titan::isTorchValueType(Type type) {
  // The titan dialect's types are known by their dialect's name: the dialect is
  // built on this library.
  return isa<RankedTensorType>(type) || isSymbolicNumberType(type) ||
         type.getDialect().getNamespace() == "titan";
}

bool titan::isNumberAttr(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getType().isInteger(64) || integer.getType().isInteger(1);
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getType().isF64();
  return false;
}

void titan::setSourceResultNames(Operation *op, OpAsmSetValueNameFn setName) {
  auto names =
      dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr("titan.names"));
  if (!names || names.size() != op->getNumResults())
    return;
  for (auto [result, attribute] : llvm::zip(op->getResults(), names))
    if (auto name = dyn_cast<StringAttr>(attribute); name && !name.empty())
      setName(result, name.getValue());
}

void titan::getTorchOpEffects(
    Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto recompute = cast<RecomputeOpInterface>(op);
  OpFact facts = recompute.getFacts();
  if (contains(facts, OpFact::Seeded)) {
    effects.emplace_back(MemoryEffects::Read::get(), RandomResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), RandomResource::get());
  }
  // Collectives are matched up by their order on every rank: two equal ones may
  // not become one behind the partitioner's back.
  // What an op outside the schemas writes to is not known either.
  bool isCollective = recompute.getWorkClass() == WorkClass::Collective;
  bool isMutable = contains(facts, OpFact::Mutable);
  bool isTorchOp = isMutable && isa<TorchOpInterface>(op);
  if (contains(facts, OpFact::Impure) || isCollective ||
      (isMutable && !isTorchOp)) {
    effects.emplace_back(MemoryEffects::Read::get(), WorldResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), WorldResource::get());
  }
  if (!isTorchOp)
    return;
  CallView call(op);
  for (auto [index, parameter] : llvm::enumerate(call.getSchema())) {
    if (!hasOperands(parameter.kind))
      continue;
    // An empty range has no begin to number.
    OperandRange operands = call.getOperands(index);
    if (operands.empty())
      continue;
    for (OpOperand &operand : op->getOpOperands().slice(
             operands.getBeginOperandIndex(), operands.size())) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
      if (parameter.isMutated)
        effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}
