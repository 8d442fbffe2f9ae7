// The ops of AtenScanOps.td.
#ifndef TITAN_DIALECT_ATEN_IR_ATENSCANOPS_H
#define TITAN_DIALECT_ATEN_IR_ATENSCANOPS_H

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenScanOps.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENSCANOPS_H
