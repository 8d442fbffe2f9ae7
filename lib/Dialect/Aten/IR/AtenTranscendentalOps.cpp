#include "titan/Dialect/Aten/IR/AtenTranscendentalOps.h"
#include "Prefix.h"

using namespace mlir;
using namespace mlir::titan;

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenTranscendentalOps.cpp.inc"

void aten::AtenDialect::registerTranscendentalOps() {
  addOperations<
#define GET_OP_LIST
#include "titan/Dialect/Aten/IR/AtenTranscendentalOps.cpp.inc"
      >();
}
