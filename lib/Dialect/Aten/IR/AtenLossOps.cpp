#include "titan/Dialect/Aten/IR/AtenLossOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenLossOps.cpp.inc"

void aten::AtenDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenLossOps.cpp.inc"
      >();
}
