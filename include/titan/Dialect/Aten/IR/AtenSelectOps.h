// The ops of AtenSelectOps.td.
#ifndef TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_H
#define TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_H

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenSelectOps.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_H
