// What the ops of a decomposition take over from the op they replace: names,
// layouts, phase, module, tags.
#include "Decomposer.h"

using namespace mlir;
using namespace mlir::titan;

// Symbolic sizes and another device than the module's are the ones of a value
// of the same shape.
LayoutAttr Decomposer::findLayout(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return {};
  auto matches = [&](Value other) {
    auto otherType = dyn_cast<RankedTensorType>(other.getType());
    return otherType && otherType.getShape() == type.getShape();
  };
  for (ValueRange candidates :
       {ValueRange(value.getDefiningOp()->getOperands()),
        ValueRange(op->getResults()), ValueRange(op->getOperands())})
    for (Value other : candidates)
      if (LayoutAttr layout = getLayout(other); layout && matches(other)) {
        bool hasDevice = layout.getDevice() && !layout.getDevice().empty();
        if (type.hasStaticShape() && !hasDevice)
          return {};
        return LayoutAttr::get(builder.getContext(),
                               type.hasStaticShape() ? ArrayAttr()
                                                     : layout.getShape(),
                               {}, layout.getDevice(), {}, {});
      }
  return {};
}

void Decomposer::annotate(Operation *created, StringRef base) {
  std::string source = isTuple(op) ? getTupleName(op).str() : "";
  if (source.empty())
    source = getSourceName(op->getResult(0)).str();
  if (!source.empty()) {
    SmallVector<Attribute> list;
    for (unsigned i = 0; i < created->getNumResults(); ++i)
      list.push_back(
          builder.getStringAttr(names.makeUnique(source + "_" + base.str())));
    created->setAttr(kNamesAttr, builder.getArrayAttr(list));
    if (list.size() > 1)
      created->setAttr(kTupleNameAttr,
                       builder.getStringAttr(names.makeUnique(
                           source + "_" + base.str() + "_tuple")));
  }
  for (StringRef name :
       {StringRef(kPhaseAttr), StringRef(kModuleAttr), StringRef(kCustomAttr)})
    if (Attribute attribute = op->getAttr(name))
      created->setAttr(name, attribute);
  // What was to run again runs again in pieces; what was to be saved is the
  // result alone.
  std::optional<Policy> policy = getPolicy(op);
  if (policy == Policy::MustRecompute || policy == Policy::PreferRecompute) {
    setPolicy(created, *policy);
    if (std::optional<int64_t> region = getAcGraphId(op))
      setAcGraphId(created, *region);
  }
  SmallVector<Attribute> layouts;
  for (Value result : created->getResults())
    if (LayoutAttr layout = findLayout(result))
      layouts.push_back(layout);
  if (!layouts.empty() && layouts.size() == created->getNumResults())
    created->setAttr(kLayoutsAttr, builder.getArrayAttr(layouts));
}

// The op that makes the value stands for the result from now on.
void Decomposer::takeOver(Value value, OpResult result) {
  Operation *maker = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  auto setElement = [&](StringRef name, Attribute element, Attribute absent) {
    SmallVector<Attribute> elements(maker->getNumResults(), absent);
    if (auto array = maker->getAttrOfType<ArrayAttr>(name))
      llvm::copy(array, elements.begin());
    elements[index] = element;
    maker->setAttr(name, builder.getArrayAttr(elements));
  };
  if (StringRef name = getSourceName(result); !name.empty())
    setElement(kNamesAttr, builder.getStringAttr(name),
               builder.getStringAttr(""));
  if (LayoutAttr layout = getLayout(result); layout && !isTuple(maker))
    maker->setAttr(kLayoutsAttr, builder.getArrayAttr({layout}));
  if (isTuple(maker))
    return;
  for (StringRef name :
       {StringRef(kBackwardHookAttr), StringRef(kNoVersionCheckAttr)})
    if (Attribute attribute = op->getAttr(name))
      maker->setAttr(name, attribute);
  bool isElement = isTuple(op);
  if (std::optional<Policy> policy =
          isElement ? getResultPolicy(result) : getPolicy(op))
    setPolicy(maker, *policy);
  if (std::optional<int64_t> region =
          isElement ? getResultAcGraphId(result) : getAcGraphId(op))
    setAcGraphId(maker, *region);
}

void Decomposer::replace(ArrayRef<Value> values) {
  if (isGivenUp || values.size() != op->getNumResults())
    return giveUp();
  for (auto [value, result] : llvm::zip(values, op->getResults())) {
    bool isMade = value && llvm::is_contained(made, value.getDefiningOp());
    if (!result.use_empty() && (!isMade || value.getType() != result.getType()))
      return giveUp();
  }
  for (auto [value, result] : llvm::zip(values, op->getResults())) {
    if (result.use_empty())
      continue;
    takeOver(value, result);
    result.replaceAllUsesWith(value);
  }
  isReplaced = true;
}

bool Decomposer::finish() {
  if (isReplaced && !isGivenUp) {
    op->erase();
    return true;
  }
  for (Operation *created : llvm::reverse(made))
    created->erase();
  return false;
}
