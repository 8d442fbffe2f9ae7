#include "titan/Dialect/Aten/IR/AtenArithmeticOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenArithmeticOps.cpp.inc"

void aten::AtenDialect::registerArithmeticOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenArithmeticOps.cpp.inc"
      >();
}
