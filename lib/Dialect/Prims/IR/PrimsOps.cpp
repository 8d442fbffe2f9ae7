#include "titan/Dialect/Prims/IR/PrimsOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Prims/IR/PrimsOps.cpp.inc"

void prims::PrimsDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Prims/IR/PrimsOps.cpp.inc"
      >();
}
