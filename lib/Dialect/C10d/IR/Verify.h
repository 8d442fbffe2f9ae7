// The verifiers of shapes and dtypes that ODS records name by `rule`.
#ifndef TITAN_LIB_DIALECT_C10D_IR_VERIFY_H
#define TITAN_LIB_DIALECT_C10D_IR_VERIFY_H

#include "titan/Interfaces/TypeRules.h"

namespace mlir::titan::c10d {

LogicalResult verifyAllGather(Operation *op);
LogicalResult verifyReduceScatter(Operation *op);
LogicalResult verifyAllReduce(Operation *op);
LogicalResult verifyAllToAll(Operation *op);
LogicalResult verifyBroadcast(Operation *op);
LogicalResult verifyWait(Operation *op);

} // namespace mlir::titan::c10d

#endif // TITAN_LIB_DIALECT_C10D_IR_VERIFY_H
