// What an op does besides its results, and what its tags ask for, as the
// partition and its verifier need to know it.
#ifndef TITAN_ANALYSIS_EFFECTS_H
#define TITAN_ANALYSIS_EFFECTS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// Whether the policy of \p op is must_recompute or prefer_recompute: to
/// PyTorch the two are one (torch/_functorch/partitioners.py, must_recompute).
bool isTaggedRecompute(Operation *op);

/// Whether \p op draws from a generator's state, so that running it twice gives
/// two answers. An attention op whose dropout is statically zero does not, nor
/// does one that is given its seed as an operand (partitioner.md 27-11).
bool drawsRandom(Operation *op);

/// The operands that \p op writes to.
SmallVector<OpOperand *> getMutatedOperands(Operation *op);

/// Whether \p op writes to an operand.
bool mutatesOperand(Operation *op);

/// Whether \p op is a collective, a wait for one, an assertion, or anything
/// else that the world outside of the graph can see, mutation included; a
/// drawn random number is no such effect.
bool hasVisibleEffect(Operation *op);

} // namespace mlir::titan

#endif // TITAN_ANALYSIS_EFFECTS_H
