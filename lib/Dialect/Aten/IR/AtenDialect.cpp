#include "titan/Dialect/Aten/IR/AtenDialect.h"

using namespace mlir;
using namespace mlir::titan::aten;

#include "titan/Dialect/Aten/IR/AtenDialect.cpp.inc"

void AtenDialect::initialize() {
  registerMatmulOps();
  registerReductionOps();
}
