// The c10d dialect without its ops, as AtenDialect.h.
#ifndef TITAN_DIALECT_C10D_IR_C10DDIALECT_H
#define TITAN_DIALECT_C10D_IR_C10DDIALECT_H

#include "mlir/IR/Dialect.h"

#include "titan/Dialect/C10d/IR/C10dDialect.h.inc"

#endif // TITAN_DIALECT_C10D_IR_C10DDIALECT_H
