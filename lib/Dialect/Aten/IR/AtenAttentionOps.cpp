#include "titan/Dialect/Aten/IR/AtenAttentionOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenAttentionOps.cpp.inc"

void aten::AtenDialect::registerAttentionOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenAttentionOps.cpp.inc"
      >();
}
