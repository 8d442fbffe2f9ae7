#include "titan/Dialect/Aten/IR/AtenUnaryOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenUnaryOps.cpp.inc"

void aten::AtenDialect::registerUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenUnaryOps.cpp.inc"
      >();
}
