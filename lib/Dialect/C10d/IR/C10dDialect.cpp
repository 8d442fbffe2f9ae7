#include "titan/Dialect/C10d/IR/C10dDialect.h"

using namespace mlir;
using namespace mlir::titan::c10d;

#include "titan/Dialect/C10d/IR/C10dDialect.cpp.inc"

void C10dDialect::initialize() { registerOps(); }
