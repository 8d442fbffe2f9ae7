// The ops of AtenInPlaceOps.td.
#ifndef TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_H
#define TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_H

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "titan/Dialect/Aten/IR/AtenInPlaceOps.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_H
