#include "titan/Dialect/Aten/IR/AtenSliceOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenSliceOps.cpp.inc"

void aten::AtenDialect::registerSliceOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenSliceOps.cpp.inc"
      >();
}
