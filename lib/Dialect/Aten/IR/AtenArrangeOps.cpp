#include "titan/Dialect/Aten/IR/AtenArrangeOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenArrangeOps.cpp.inc"

void aten::AtenDialect::registerArrangeOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenArrangeOps.cpp.inc"
      >();
}
