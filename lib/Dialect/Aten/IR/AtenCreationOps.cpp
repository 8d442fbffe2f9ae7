#include "titan/Dialect/Aten/IR/AtenCreationOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenCreationOps.cpp.inc"

void aten::AtenDialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenCreationOps.cpp.inc"
      >();
}
