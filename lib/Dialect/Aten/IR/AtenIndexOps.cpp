#include "titan/Dialect/Aten/IR/AtenIndexOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenIndexOps.cpp.inc"

void aten::AtenDialect::registerIndexOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenIndexOps.cpp.inc"
      >();
}
