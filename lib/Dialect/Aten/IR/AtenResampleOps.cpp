#include "titan/Dialect/Aten/IR/AtenResampleOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenResampleOps.cpp.inc"

void aten::AtenDialect::registerResampleOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenResampleOps.cpp.inc"
      >();
}
