#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

#include "titan/Dialect/Titan/IR/TitanDialect.cpp.inc"

void TitanDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

//===----------------------------------------------------------------------===//
// Attributes of ops
//===----------------------------------------------------------------------===//

static InFlightDiagnostic expected(Operation *op, NamedAttribute attribute,
                                   StringRef what) {
  return op->emitOpError() << "expected '" << attribute.getName().strref()
                           << "' to be " << what << ", found "
                           << attribute.getValue();
}

template <typename... Kinds>
static LogicalResult expectKind(Operation *op, NamedAttribute attribute,
                                StringRef what) {
  if (isa<Kinds...>(attribute.getValue()))
    return success();
  return expected(op, attribute, what);
}

// An array with an element a result, each of one of `Kinds`.
template <typename... Kinds>
static LogicalResult expectPerResult(Operation *op, NamedAttribute attribute,
                                     StringRef what) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!array)
    return expected(op, attribute, "an array");
  if (array.size() != op->getNumResults())
    return op->emitOpError()
           << "expected an element of '" << attribute.getName().strref()
           << "' for each of the " << op->getNumResults() << " results, found "
           << array.size();
  for (Attribute element : array)
    if (!isa<Kinds...>(element))
      return op->emitOpError()
             << "expected the elements of '" << attribute.getName().strref()
             << "' to be " << what << ", found " << element;
  return success();
}

static LogicalResult verifyPolicy(Operation *op, NamedAttribute attribute) {
  if (failed(expectKind<PolicyAttr>(op, attribute, "a #titan.policy")))
    return failure();
  if (op->getNumResults() == 0)
    return op->emitOpError()
           << "has a policy but no result that could be saved or recomputed";
  return success();
}

static bool isI64(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isInteger(64);
}

// A count; whether the results fit it is the contract of the joint phase, which
// `titan-verify-joint` checks as a whole.
static LogicalResult verifyJoint(Operation *op, NamedAttribute attribute) {
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError() << "expected '" << kJointAttr << "' on a function";
  if (!isI64(attribute.getValue()))
    return expected(op, attribute, "an i64");
  int64_t count = cast<IntegerAttr>(attribute.getValue()).getInt();
  if (count < 0)
    return op->emitOpError()
           << "expected a number of forward outputs, found " << count;
  return success();
}

static LogicalResult verifyPositions(Operation *op, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto positions = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (!function || !positions)
    return expected(op, attribute, "an i64 array on a function");
  if (positions.size() != function.getNumResults())
    return op->emitOpError()
           << "expected a position for each of the " << function.getNumResults()
           << " results, found " << positions.size();
  return success();
}

static LogicalResult verifyGraphKind(Operation *op, NamedAttribute attribute) {
  auto kind = dyn_cast<StringAttr>(attribute.getValue());
  if (kind && (kind == "joint" || kind == "step" || kind == "forward" ||
               kind == "backward"))
    return success();
  return expected(op, attribute,
                  "\"joint\", \"step\", \"forward\" or \"backward\"");
}

static LogicalResult verifyKeywords(Operation *op, NamedAttribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (array && llvm::all_of(array, llvm::IsaPred<StringAttr>))
    return success();
  return expected(op, attribute, "an array of strings");
}

// An index, or an index and a name.
static bool isGetitem(Operation *op, Attribute element) {
  if (auto pair = dyn_cast<ArrayAttr>(element)) {
    if (pair.size() != 2 || !isa<StringAttr>(pair[1]))
      return false;
    element = pair[0];
  }
  return isI64(element) &&
         cast<IntegerAttr>(element).getValue().ult(op->getNumResults());
}

static LogicalResult verifyGetitems(Operation *op, NamedAttribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (array && llvm::all_of(array, [&](Attribute element) {
        return isGetitem(op, element);
      }))
    return success();
  return expected(op, attribute,
                  "an array of numbers of results, each perhaps with a name");
}

LogicalResult TitanDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kRecomputeAttr)
    return verifyPolicy(op, attribute);
  if (name == kAcGraphIdAttr)
    return isI64(attribute.getValue())
               ? success()
               : LogicalResult(expected(op, attribute, "an i64"));
  if (name == kPhaseAttr)
    return expectKind<PhaseAttr>(op, attribute, "a #titan.phase");
  if (name == kNamesAttr)
    return expectPerResult<StringAttr>(op, attribute, "strings");
  if (name == kLayoutsAttr)
    return expectPerResult<LayoutAttr, NoneAttr>(
        op, attribute, "#titan.layout or #titan.none");
  if (name == kResultRecomputeAttr)
    return expectPerResult<PolicyAttr, NoneAttr>(
        op, attribute, "#titan.policy or #titan.none");
  if (name == kResultAcGraphIdAttr)
    return expectPerResult<IntegerAttr, NoneAttr>(op, attribute,
                                                  "i64 or #titan.none");
  if (name == kTupleNameAttr || name == kModuleAttr || name == kAcModeAttr ||
      name == kDeviceAttr || name == kClassNameAttr)
    return expectKind<StringAttr>(op, attribute, "a string");
  if (name == kNoStridesAttr)
    return expectKind<UnitAttr>(op, attribute, "a unit");
  if (name == kCustomAttr || name == kDynamicAttr)
    return expectKind<DictionaryAttr>(op, attribute, "a dictionary");
  if (name == kJointAttr)
    return verifyJoint(op, attribute);
  if (name == kResultPositionsAttr)
    return verifyPositions(op, attribute);
  if (name == kGraphKindAttr)
    return verifyGraphKind(op, attribute);
  if (name == kKeywordsAttr)
    return verifyKeywords(op, attribute);
  if (name == kGetitemsAttr)
    return verifyGetitems(op, attribute);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

static LogicalResult verifyArgument(Operation *op, unsigned index,
                                    NamedAttribute attribute) {
  auto wrong = [&](StringRef what) -> LogicalResult {
    return op->emitOpError()
           << "expected '" << attribute.getName().strref() << "' of argument "
           << index << " to be " << what << ", found " << attribute.getValue();
  };
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kRoleAttr && !isa<RoleAttr>(value))
    return wrong("a #titan.role");
  if ((name == kNameAttr || name == kDescAttr) && !isa<StringAttr>(value))
    return wrong("a string");
  if (name == kLayoutAttr && !isa<LayoutAttr>(value))
    return wrong("a #titan.layout");
  return success();
}

// The gradient of an output is made anew in each step. PyTorch knows it by its
// name alone, and so do people.
static LogicalResult verifyTangent(Operation *op, unsigned index) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumArguments() ||
      !isStaticArgument(function, index))
    return success();
  auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttr);
  if (name && name.getValue().starts_with("tangents_"))
    return op->emitOpError() << "expected the tangent '" << name.getValue()
                             << "' to have the role tangent, found "
                             << function.getArgAttr(index, kRoleAttr);
  return success();
}

LogicalResult TitanDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  if (failed(verifyArgument(op, index, attribute)))
    return failure();
  return attribute.getName() == kRoleAttr ? verifyTangent(op, index)
                                          : success();
}
