#include "titan/Dialect/Aten/IR/AtenScanOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenScanOps.cpp.inc"

void aten::AtenDialect::registerScanOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenScanOps.cpp.inc"
      >();
}
