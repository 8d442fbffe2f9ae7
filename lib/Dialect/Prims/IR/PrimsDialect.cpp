#include "titan/Dialect/Prims/IR/PrimsDialect.h"

using namespace mlir;
using namespace mlir::titan::prims;

#include "titan/Dialect/Prims/IR/PrimsDialect.cpp.inc"

void PrimsDialect::initialize() { registerOps(); }
