#include "titan/Dialect/Aten/IR/AtenNormOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenNormOps.cpp.inc"

void aten::AtenDialect::registerNormOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenNormOps.cpp.inc"
      >();
}
