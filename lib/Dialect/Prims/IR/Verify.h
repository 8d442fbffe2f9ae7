// The verifiers of shapes and dtypes that ODS records name by `rule`.
#ifndef TITAN_LIB_DIALECT_PRIMS_IR_VERIFY_H
#define TITAN_LIB_DIALECT_PRIMS_IR_VERIFY_H

#include "titan/Interfaces/TypeRules.h"

namespace mlir::titan::prims {

LogicalResult verifySameType(Operation *op);
LogicalResult verifyConvert(Operation *op);
LogicalResult verifyBroadcast(Operation *op);
LogicalResult verifyBroadcastInDim(Operation *op);
LogicalResult verifyIota(Operation *op);
LogicalResult verifyReduction(Operation *op);
LogicalResult verifyDrawn(Operation *op);

} // namespace mlir::titan::prims

#endif // TITAN_LIB_DIALECT_PRIMS_IR_VERIFY_H
