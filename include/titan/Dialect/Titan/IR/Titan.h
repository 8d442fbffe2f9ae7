// The titan dialect: attributes, types and the ops every other layer needs.
#ifndef TITAN_DIALECT_TITAN_IR_TITAN_H
#define TITAN_DIALECT_TITAN_IR_TITAN_H

#include "titan/Interfaces/TorchOpInterfaces.h"
#include "titan/Interfaces/TorchOpSupport.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "titan/Dialect/Titan/IR/TitanDialect.h.inc"
#include "titan/Dialect/Titan/IR/TitanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Titan/IR/TitanAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Titan/IR/TitanTypes.h.inc"

#define GET_OP_CLASSES
#include "titan/Dialect/Titan/IR/TitanOps.h.inc"

#endif // TITAN_DIALECT_TITAN_IR_TITAN_H
