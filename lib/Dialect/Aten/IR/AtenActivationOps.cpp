#include "titan/Dialect/Aten/IR/AtenActivationOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenActivationOps.cpp.inc"

void aten::AtenDialect::registerActivationOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenActivationOps.cpp.inc"
      >();
}
