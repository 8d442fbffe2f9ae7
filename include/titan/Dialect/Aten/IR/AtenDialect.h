// The aten dialect without its ops: a header with all of them costs every file
// that includes it 18 seconds. Generic code asks interfaces; code that needs an
// op's class includes the header of its family.
#ifndef TITAN_DIALECT_ATEN_IR_ATENDIALECT_H
#define TITAN_DIALECT_ATEN_IR_ATENDIALECT_H

#include "mlir/IR/Dialect.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h.inc"

#endif // TITAN_DIALECT_ATEN_IR_ATENDIALECT_H
