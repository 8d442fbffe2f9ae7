// The dialects of a training graph, for drivers and tests. Code that only walks
// a graph needs none of them: it asks interfaces.
#ifndef TITAN_DIALECT_REGISTRATION_H
#define TITAN_DIALECT_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::titan {

/// Adds aten, prims, c10d, titan and func to \p registry.
void registerTitanDialects(DialectRegistry &registry);

} // namespace mlir::titan

#endif // TITAN_DIALECT_REGISTRATION_H
