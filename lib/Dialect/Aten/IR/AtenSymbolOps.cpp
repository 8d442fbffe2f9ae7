#include "titan/Dialect/Aten/IR/AtenSymbolOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenSymbolOps.cpp.inc"

void aten::AtenDialect::registerSymbolOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenSymbolOps.cpp.inc"
      >();
}
