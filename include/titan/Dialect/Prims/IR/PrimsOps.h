// The ops of PrimsOps.td.
#ifndef TITAN_DIALECT_PRIMS_IR_PRIMSOPS_H
#define TITAN_DIALECT_PRIMS_IR_PRIMSOPS_H

#include "titan/Dialect/Prims/IR/PrimsDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Prims/IR/PrimsOps.h.inc"

#endif // TITAN_DIALECT_PRIMS_IR_PRIMSOPS_H
