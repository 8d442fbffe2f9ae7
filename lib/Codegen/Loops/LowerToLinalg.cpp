#include "titan/Codegen/Loops/LowerToLinalg.h"

#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::titan;

// A copy stands for a result that is an argument, or returned before, so that
// each result has memory of its own.
static void copySharedResults(func::FuncOp kernel) {
  Operation *terminator = kernel.front().getTerminator();
  llvm::DenseSet<Value> seen;
  OpBuilder builder(terminator);
  for (OpOperand &result : terminator->getOpOperands()) {
    Value value = result.get();
    auto type = cast<RankedTensorType>(value.getType());
    if (isa<OpResult>(value) && seen.insert(value).second)
      continue;
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    Value target = tensor::EmptyOp::create(
        builder, kernel.getLoc(), type.getShape(), type.getElementType());
    auto copy = linalg::GenericOp::create(
        builder, kernel.getLoc(), TypeRange(type), ValueRange(value),
        ValueRange(target), ArrayRef<AffineMap>{map, map}, loops,
        [](OpBuilder &nested, Location loc, ValueRange elements) {
          linalg::YieldOp::create(nested, loc, elements[0]);
        });
    result.set(copy.getResult(0));
    seen.insert(copy.getResult(0));
  }
}

void titan::lowerToLinalg(ModuleOp kernels) {
  kernels.getContext()
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    linalg::LinalgDialect, math::MathDialect,
                    tensor::TensorDialect>();
  RewritePatternSet patterns(kernels.getContext());
  populateAtenToLinalgPatterns(patterns);
  walkAndApplyPatterns(kernels, std::move(patterns));
  for (auto kernel : kernels.getOps<func::FuncOp>())
    copySharedResults(kernel);
}
