// What every file of op classes includes; may be precompiled.
#ifndef TITAN_LIB_DIALECT_ATEN_IR_PREFIX_H
#define TITAN_LIB_DIALECT_ATEN_IR_PREFIX_H

#include "Verify.h"
#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#endif // TITAN_LIB_DIALECT_ATEN_IR_PREFIX_H
