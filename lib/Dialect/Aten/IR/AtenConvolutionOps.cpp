#include "titan/Dialect/Aten/IR/AtenConvolutionOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenConvolutionOps.cpp.inc"

void aten::AtenDialect::registerConvolutionOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenConvolutionOps.cpp.inc"
      >();
}
