#include "titan/Dialect/Aten/IR/AtenSortOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenSortOps.cpp.inc"

void aten::AtenDialect::registerSortOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenSortOps.cpp.inc"
      >();
}
