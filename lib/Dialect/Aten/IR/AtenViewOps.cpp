#include "titan/Dialect/Aten/IR/AtenViewOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenViewOps.cpp.inc"

void aten::AtenDialect::registerViewOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenViewOps.cpp.inc"
      >();
}
