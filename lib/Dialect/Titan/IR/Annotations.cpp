#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::optional<Policy> titan::getPolicy(Operation *op) {
  if (auto attribute =
          dyn_cast_or_null<PolicyAttr>(op->getDiscardableAttr(kRecomputeAttr)))
    return attribute.getValue();
  return std::nullopt;
}

void titan::setPolicy(Operation *op, Policy policy) {
  op->setAttr(kRecomputeAttr, PolicyAttr::get(op->getContext(), policy));
}

std::optional<int64_t> titan::getAcGraphId(Operation *op) {
  if (auto attribute =
          dyn_cast_or_null<IntegerAttr>(op->getDiscardableAttr(kAcGraphIdAttr)))
    return attribute.getInt();
  return std::nullopt;
}

void titan::setAcGraphId(Operation *op, int64_t id) {
  auto type = IntegerType::get(op->getContext(), 64);
  op->setAttr(kAcGraphIdAttr, IntegerAttr::get(type, id));
}

void titan::clearTags(Operation *op) {
  for (StringRef name : {kRecomputeAttr, kAcGraphIdAttr, kResultRecomputeAttr,
                         kResultAcGraphIdAttr})
    op->removeDiscardableAttr(name);
}

std::optional<Phase> titan::getPhase(Operation *op) {
  if (auto attribute =
          dyn_cast_or_null<PhaseAttr>(op->getDiscardableAttr(kPhaseAttr)))
    return attribute.getValue();
  return std::nullopt;
}

StringRef titan::getModulePath(Operation *op) {
  auto attribute =
      dyn_cast_or_null<StringAttr>(op->getDiscardableAttr(kModuleAttr));
  return attribute ? attribute.getValue() : StringRef();
}

bool titan::isTuple(Operation *op) {
  return op->getNumResults() != 1 || op->getDiscardableAttr(kTupleNameAttr);
}

StringRef titan::getTupleName(Operation *op) {
  auto attribute =
      dyn_cast_or_null<StringAttr>(op->getDiscardableAttr(kTupleNameAttr));
  return attribute ? attribute.getValue() : StringRef();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static FunctionOpInterface getFunction(BlockArgument argument) {
  return dyn_cast_or_null<FunctionOpInterface>(
      argument.getOwner()->getParentOp());
}

StringRef titan::getSourceName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    FunctionOpInterface function = getFunction(argument);
    if (!function)
      return {};
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      kNameAttr);
    return name ? name.getValue() : StringRef();
  }
  auto result = cast<OpResult>(value);
  auto names = dyn_cast_or_null<ArrayAttr>(
      result.getOwner()->getDiscardableAttr(kNamesAttr));
  if (!names || result.getResultNumber() >= names.size())
    return {};
  auto name = dyn_cast<StringAttr>(names[result.getResultNumber()]);
  return name ? name.getValue() : StringRef();
}

std::string titan::getDisplayName(Value value) {
  if (StringRef name = getSourceName(value); !name.empty())
    return name.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, OpPrintingFlags().assumeVerified());
  return text;
}

LayoutAttr titan::getLayout(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    FunctionOpInterface function = getFunction(argument);
    return function ? function.getArgAttrOfType<LayoutAttr>(
                          argument.getArgNumber(), kLayoutAttr)
                    : LayoutAttr();
  }
  auto result = cast<OpResult>(value);
  auto layouts = dyn_cast_or_null<ArrayAttr>(
      result.getOwner()->getDiscardableAttr(kLayoutsAttr));
  if (!layouts || result.getResultNumber() >= layouts.size())
    return {};
  return dyn_cast<LayoutAttr>(layouts[result.getResultNumber()]);
}

StringRef titan::getDevice(Value value) {
  if (LayoutAttr layout = getLayout(value))
    if (StringAttr device = layout.getDevice(); device && !device.empty())
      return device.getValue();
  auto module = value.getParentRegion()->getParentOfType<ModuleOp>();
  auto device =
      module ? module->getAttrOfType<StringAttr>(kDeviceAttr) : StringAttr();
  return device ? device.getValue() : StringRef();
}

static Attribute getElement(OpResult result, StringRef name) {
  auto array =
      dyn_cast_or_null<ArrayAttr>(result.getOwner()->getDiscardableAttr(name));
  if (!array || result.getResultNumber() >= array.size())
    return {};
  return array[result.getResultNumber()];
}

std::optional<Policy> titan::getResultPolicy(OpResult result) {
  auto policy =
      dyn_cast_or_null<PolicyAttr>(getElement(result, kResultRecomputeAttr));
  return policy ? std::optional(policy.getValue()) : std::nullopt;
}

std::optional<int64_t> titan::getResultAcGraphId(OpResult result) {
  auto id =
      dyn_cast_or_null<IntegerAttr>(getElement(result, kResultAcGraphIdAttr));
  return id ? std::optional(id.getInt()) : std::nullopt;
}

static void setElement(OpResult result, StringRef name, Attribute value) {
  Operation *op = result.getOwner();
  auto none = NoneAttr::get(op->getContext());
  SmallVector<Attribute> elements(op->getNumResults(), none);
  if (auto array = op->getAttrOfType<ArrayAttr>(name))
    llvm::copy(array, elements.begin());
  elements[result.getResultNumber()] = value ? value : none;
  if (llvm::all_equal(elements) && elements.front() == none)
    op->removeAttr(name);
  else
    op->setAttr(name, ArrayAttr::get(op->getContext(), elements));
}

void titan::setResultTag(OpResult result, std::optional<Policy> policy,
                         std::optional<int64_t> acGraphId) {
  MLIRContext *context = result.getContext();
  setElement(result, kResultRecomputeAttr,
             policy ? PolicyAttr::get(context, *policy) : Attribute());
  auto type = IntegerType::get(context, 64);
  setElement(result, kResultAcGraphIdAttr,
             acGraphId ? IntegerAttr::get(type, *acGraphId) : Attribute());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::optional<Role> titan::getArgumentRole(FunctionOpInterface function,
                                           unsigned index) {
  auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleAttr);
  return role ? std::optional(role.getValue()) : std::nullopt;
}

static SmallVector<DictionaryAttr>
withRoles(MLIRContext *context, ArrayRef<Role> roles,
          function_ref<DictionaryAttr(unsigned)> get) {
  SmallVector<DictionaryAttr> all;
  for (auto [index, role] : llvm::enumerate(roles)) {
    NamedAttrList attributes(get(index));
    attributes.set(kRoleAttr, RoleAttr::get(context, role));
    all.push_back(attributes.getDictionary(context));
  }
  return all;
}

void titan::setArgumentRoles(FunctionOpInterface function,
                             ArrayRef<Role> roles) {
  function.setAllArgAttrs(
      withRoles(function.getContext(), roles, [&](unsigned index) {
        return function.getArgAttrDict(index);
      }));
}

void titan::setResultRoles(FunctionOpInterface function, ArrayRef<Role> roles) {
  function.setAllResultAttrs(
      withRoles(function.getContext(), roles, [&](unsigned index) {
        return function.getResultAttrDict(index);
      }));
}

void titan::setArgumentRole(FunctionOpInterface function, unsigned index,
                            Role role) {
  function.setArgAttr(index, kRoleAttr,
                      RoleAttr::get(function.getContext(), role));
}

std::optional<Role> titan::getResultRole(FunctionOpInterface function,
                                         unsigned index) {
  auto role = function.getResultAttrOfType<RoleAttr>(index, kRoleAttr);
  return role ? std::optional(role.getValue()) : std::nullopt;
}

bool titan::isStaticArgument(FunctionOpInterface function, unsigned index) {
  std::optional<Role> role = getArgumentRole(function, index);
  return role == Role::Param || role == Role::Buffer;
}

std::optional<int64_t>
titan::getNumForwardOutputs(FunctionOpInterface function) {
  if (auto count = function->getAttrOfType<IntegerAttr>(kJointAttr))
    return count.getInt();
  return std::nullopt;
}

FunctionOpInterface titan::getJointFunction(Operation *module) {
  for (Region &region : module->getRegions())
    for (Block &block : region)
      for (auto function : block.getOps<FunctionOpInterface>())
        if (function->hasAttr(kJointAttr))
          return function;
  return {};
}
