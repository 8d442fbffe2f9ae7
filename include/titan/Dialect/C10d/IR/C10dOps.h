// The ops of C10dOps.td.
#ifndef TITAN_DIALECT_C10D_IR_C10DOPS_H
#define TITAN_DIALECT_C10D_IR_C10DOPS_H

#include "titan/Dialect/C10d/IR/C10dDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/C10d/IR/C10dOps.h.inc"

#endif // TITAN_DIALECT_C10D_IR_C10DOPS_H
