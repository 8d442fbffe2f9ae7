#include "titan/Dialect/Aten/IR/AtenCopyOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenCopyOps.cpp.inc"

void aten::AtenDialect::registerCopyOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenCopyOps.cpp.inc"
      >();
}
