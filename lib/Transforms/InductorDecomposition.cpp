// The joint pass `inductor_decomposition`: the ops that Inductor would take
// apart, taken apart; one family a file under Decompositions/.
#include "Decompositions/Decomposer.h"
#include "PassDetail.h"
#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Prims/IR/PrimsDialect.h"

namespace mlir::titan {
#define GEN_PASS_DEF_INDUCTORDECOMPOSITIONPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

static DecompositionTable makeTable() {
  DecompositionTable table;
  populateActivationDecompositions(table);
  populateArithmeticDecompositions(table);
  populateCreationDecompositions(table);
  populateIndexDecompositions(table);
  populateLossDecompositions(table);
  populateNormDecompositions(table);
  populateRandomDecompositions(table);
  populateSoftmaxDecompositions(table);
  populateViewDecompositions(table);
  return table;
}

namespace {
struct InductorDecompositionPass
    : titan::impl::InductorDecompositionPassBase<InductorDecompositionPass> {
  InductorDecompositionPass() = default;
  explicit InductorDecompositionPass(PassObserver *observer)
      : observer(observer) {}

  void runOnOperation() override {
    PassObserver &listener = getObserver(observer);
    DecompositionTable table = makeTable();
    CallBuilder calls(&getContext());
    for (FunctionOpInterface joint : getJointFunctions(getOperation())) {
      listener.info("Applying decompositions to joint graph");
      int64_t count = decompose(joint, table, calls);
      listener.info("Decompositions applied successfully to joint graph");
      listener.counted("inductor_decomposition", {{"decomposed", count}});
    }
  }

  static int64_t decompose(FunctionOpInterface joint,
                           const DecompositionTable &table, CallBuilder &calls);

  PassObserver *observer = nullptr;
};
} // namespace

int64_t InductorDecompositionPass::decompose(FunctionOpInterface joint,
                                             const DecompositionTable &table,
                                             CallBuilder &calls) {
  int64_t count = 0;
  NameTable names(joint);
  // What a decomposition makes stands before the op: the walk does not meet it.
  for (Operation &op :
       llvm::make_early_inc_range(joint.getFunctionBody().front())) {
    auto entry = table.find(op.getName().getStringRef());
    if (entry == table.end())
      continue;
    Decomposer decomposer(&op, calls, names);
    entry->second(decomposer);
    count += decomposer.finish();
  }
  return count;
}

std::unique_ptr<Pass>
titan::createInductorDecompositionPass(PassObserver *observer) {
  return std::make_unique<InductorDecompositionPass>(observer);
}
