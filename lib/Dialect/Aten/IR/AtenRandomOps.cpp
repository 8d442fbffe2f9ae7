#include "titan/Dialect/Aten/IR/AtenRandomOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenRandomOps.cpp.inc"

void aten::AtenDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenRandomOps.cpp.inc"
      >();
}
