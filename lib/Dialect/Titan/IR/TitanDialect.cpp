#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

#include "titan/Dialect/Titan/IR/TitanDialect.cpp.inc"

void TitanDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

LogicalResult TitanDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kRecomputeAttr) {
    if (!isa<PolicyAttr>(attribute.getValue()))
      return op->emitOpError()
             << "expected '" << name << "' to be a #titan.policy, found "
             << attribute.getValue();
    if (op->getNumResults() == 0)
      return op->emitOpError()
             << "has a policy but no result that could be saved or recomputed";
  }
  return success();
}

LogicalResult TitanDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kRoleAttr && !isa<RoleAttr>(attribute.getValue()))
    return op->emitOpError()
           << "expected '" << kRoleAttr << "' of argument " << index
           << " to be a #titan.role, found " << attribute.getValue();
  return success();
}
