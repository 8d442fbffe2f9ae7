// The ops of AtenIndexOps.td.
#ifndef TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_H
#define TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_H

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenIndexOps.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_H
