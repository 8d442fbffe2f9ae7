// What the files of this library include; may be precompiled.
#ifndef TITAN_LIB_DIALECT_C10D_IR_PREFIX_H
#define TITAN_LIB_DIALECT_C10D_IR_PREFIX_H

#include "Verify.h"
#include "titan/Dialect/C10d/IR/C10dDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#endif // TITAN_LIB_DIALECT_C10D_IR_PREFIX_H
