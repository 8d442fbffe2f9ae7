#include "titan/Dialect/Aten/IR/AtenSelectOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenSelectOps.cpp.inc"

void aten::AtenDialect::registerSelectOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenSelectOps.cpp.inc"
      >();
}
