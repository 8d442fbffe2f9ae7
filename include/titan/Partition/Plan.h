// The decision to split a joint function: what is saved, what runs where.
#ifndef TITAN_PARTITION_PLAN_H
#define TITAN_PARTITION_PLAN_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::titan {

/// What a saved value is to the backward function's signature.
enum class SavedKind : uint8_t {
  /// A tensor that the forward computes.
  Value,
  /// An input of the step, passed on.
  Argument,
  /// A symbolic number.
  Symbol,
  /// A device mesh, a random state, a script object.
  Other,
};

/// One value that crosses from forward to backward.
struct SavedValue {
  Value value;
  SavedKind kind = SavedKind::Value;
  /// Bytes of the value as the partitioner counts them (TensorSizes::getBytes).
  int64_t bytes = 0;
  /// Why it is saved, one clause in lower case: "banned from recompute: used by
  /// a non-fusible backward op".
  std::string reason;
};

/// A value of the source that became an equal one, both by source name. A tuple
/// stands for itself, its elements follow.
struct MergedValue {
  std::string name;
  std::string by;
};

/// The size of the flow network behind a min-cut plan; zero for other solvers.
struct CutSize {
  int64_t vertices = 0;
  int64_t edges = 0;
  /// The cut's capacity, saturated to 64 bits.
  int64_t value = 0;
};

/// A partition of a joint function. Values and ops belong to the joint function
/// and stay valid until it is erased.
struct Plan {
  /// In the order of the backward function's inputs: symbols, tensors that need
  /// a version check, tensors that do not, other values. The forward returns
  /// them after its outputs: tensors, other values, symbols
  /// (torch/_functorch/partitioners.py; partitioner.md 9.3).
  std::vector<SavedValue> saved;
  /// The ops of each function, in joint order. An op in both is recomputed.
  std::vector<Operation *> forwardOps;
  std::vector<Operation *> backwardOps;
  CutSize cut;
  /// What the source computes twice and the plan once, in joint order.
  std::vector<MergedValue> merged;
};

} // namespace mlir::titan

#endif // TITAN_PARTITION_PLAN_H
