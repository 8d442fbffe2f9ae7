#include "titan/Dialect/Aten/IR/AtenRecurrentOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenRecurrentOps.cpp.inc"

void aten::AtenDialect::registerRecurrentOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenRecurrentOps.cpp.inc"
      >();
}
