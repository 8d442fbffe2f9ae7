#include "titan/Dialect/Aten/IR/AtenBinaryMathOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenBinaryMathOps.cpp.inc"

void aten::AtenDialect::registerBinaryMathOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenBinaryMathOps.cpp.inc"
      >();
}
