#include "titan/Dialect/Aten/IR/AtenActivationBackwardOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenActivationBackwardOps.cpp.inc"

void aten::AtenDialect::registerActivationBackwardOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenActivationBackwardOps.cpp.inc"
      >();
}
