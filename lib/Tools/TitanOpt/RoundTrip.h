// `--verify-roundtrip`.
#ifndef TITAN_LIB_TOOLS_TITANOPT_ROUNDTRIP_H
#define TITAN_LIB_TOOLS_TITANOPT_ROUNDTRIP_H

#include "mlir/IR/Operation.h"

namespace mlir::titan {

/// Whether \p module prints and parses to itself, as text and as bytecode; says
/// so if not.
LogicalResult verifyRoundTrip(Operation *module, bool useExplicitModule);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_ROUNDTRIP_H
