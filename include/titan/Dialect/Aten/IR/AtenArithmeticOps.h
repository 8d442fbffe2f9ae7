// The ops of AtenArithmeticOps.td.
#ifndef TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_H
#define TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_H

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenArithmeticOps.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_H
