#include "titan/Dialect/Aten/IR/AtenMatmulOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenMatmulOps.cpp.inc"

void aten::AtenDialect::registerMatmulOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenMatmulOps.cpp.inc"
      >();
}
