#include "titan/Dialect/Aten/IR/AtenInPlaceOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenInPlaceOps.cpp.inc"

void aten::AtenDialect::registerInPlaceOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenInPlaceOps.cpp.inc"
      >();
}
