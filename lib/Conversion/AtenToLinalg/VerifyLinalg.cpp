// Closes the linalg phase.
#include "titan/Dialect/C10d/IR/C10dDialect.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::titan {
#define GEN_PASS_DEF_VERIFYLINALGPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

static bool belongs(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return isa<ModuleOp>(op) || dialect == "func" || dialect == "linalg" ||
         dialect == "tensor" || dialect == "arith" || dialect == "math" ||
         dialect == "scf" || dialect == "cf" || dialect == "c10d";
}

using Places = llvm::MapVector<StringAttr, SmallVector<Location>>;

namespace {
struct VerifyLinalgPass
    : public titan::impl::VerifyLinalgPassBase<VerifyLinalgPass> {
  void runOnOperation() override {
    Places left;
    getOperation().walk([&](Operation *op) {
      if (!belongs(op))
        left[StringAttr::get(&getContext(), titan::getOpName(op))].push_back(
            op->getLoc());
    });
    if (!left.empty()) {
      report(left);
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

private:
  void report(const Places &left) {
    InFlightDiagnostic diagnostic =
        emitError(getOperation().getLoc(),
                  "expected only linalg and what goes with it, "
                  "found ")
        << left.size()
        << (left.size() == 1 ? " op without a lowering: "
                             : " ops without a lowering: ");
    bool isFirst = true;
    for (const auto &[name, places] : left) {
      diagnostic << (isFirst ? "" : ", ") << name << " (" << places.size()
                 << (places.size() == 1 ? " time)" : " times)");
      isFirst = false;
    }
    for (const auto &[name, places] : left)
      diagnostic.attachNote(places.front()) << name << " stands here";
  }
};
} // namespace
