// The prims dialect without its ops, as AtenDialect.h.
#ifndef TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_H
#define TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_H

#include "mlir/IR/Dialect.h"

#include "titan/Dialect/Prims/IR/PrimsDialect.h.inc"

#endif // TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_H
