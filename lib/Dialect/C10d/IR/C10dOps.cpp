#include "titan/Dialect/C10d/IR/C10dOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/C10d/IR/C10dOps.cpp.inc"

void c10d::C10dDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/C10d/IR/C10dOps.cpp.inc"
      >();
}
