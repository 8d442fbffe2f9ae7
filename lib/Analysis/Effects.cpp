#include "titan/Analysis/Effects.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

bool titan::isTaggedRecompute(Operation *op) {
  std::optional<Policy> policy = getPolicy(op);
  return policy == Policy::MustRecompute || policy == Policy::PreferRecompute;
}

static OpFact getFacts(Operation *op) {
  auto interface = dyn_cast<RecomputeOpInterface>(op);
  return interface ? interface.getFacts() : OpFact::None;
}

bool titan::drawsRandom(Operation *op) {
  if (!contains(getFacts(op), OpFact::Seeded))
    return false;
  if (!isa<TorchOpInterface>(op))
    return true;
  CallView call(op);
  std::optional<unsigned> dropout = call.find("dropout_p");
  if (!dropout || call.getOperand(*dropout))
    return true;
  return call.getNumber("dropout_p") != 0.0;
}

SmallVector<OpOperand *> titan::getMutatedOperands(Operation *op) {
  SmallVector<OpOperand *> mutated;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return mutated;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      if (auto *operand = effect.getEffectValue<OpOperand *>())
        mutated.push_back(operand);
  return mutated;
}

bool titan::mutatesOperand(Operation *op) {
  return !getMutatedOperands(op).empty();
}

bool titan::hasVisibleEffect(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource()->getResourceID() !=
               RandomResource::getResourceID();
  });
}
