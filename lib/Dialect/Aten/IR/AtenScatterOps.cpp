#include "titan/Dialect/Aten/IR/AtenScatterOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenScatterOps.cpp.inc"

void aten::AtenDialect::registerScatterOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenScatterOps.cpp.inc"
      >();
}
