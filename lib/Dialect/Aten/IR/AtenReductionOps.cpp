#include "titan/Dialect/Aten/IR/AtenReductionOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenReductionOps.cpp.inc"

void aten::AtenDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenReductionOps.cpp.inc"
      >();
}
