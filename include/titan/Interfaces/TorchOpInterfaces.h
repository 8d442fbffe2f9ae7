// The C++ side of TorchOpInterfaces.td.
#ifndef TITAN_INTERFACES_TORCHOPINTERFACES_H
#define TITAN_INTERFACES_TORCHOPINTERFACES_H

#include "titan/Interfaces/OpFacts.h"
#include "titan/Interfaces/Schema.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace mlir::titan {

/// What the ranks of a group exchange.
enum class CollectiveKind : uint8_t {
  AllGather,
  ReduceScatter,
  AllReduce,
  AllToAll,
  Broadcast,
  Wait,
};

} // namespace mlir::titan

#include "titan/Interfaces/TorchOpInterfaces.h.inc"

#endif // TITAN_INTERFACES_TORCHOPINTERFACES_H
