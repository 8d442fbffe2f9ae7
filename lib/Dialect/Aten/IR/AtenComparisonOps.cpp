#include "titan/Dialect/Aten/IR/AtenComparisonOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenComparisonOps.cpp.inc"

void aten::AtenDialect::registerComparisonOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenComparisonOps.cpp.inc"
      >();
}
