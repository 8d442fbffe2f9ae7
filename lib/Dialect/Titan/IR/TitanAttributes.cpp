#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::titan;

#include "titan/Dialect/Titan/IR/TitanEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Titan/IR/TitanAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Titan/IR/TitanTypes.cpp.inc"

LogicalResult DictAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayAttr entries) {
  if (entries.size() % 2)
    return emitError() << "expected pairs of key and value, found "
                       << entries.size() << " entries";
  return success();
}

void TitanDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "titan/Dialect/Titan/IR/TitanAttrs.cpp.inc"
      >();
}

void TitanDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "titan/Dialect/Titan/IR/TitanTypes.cpp.inc"
      >();
}
