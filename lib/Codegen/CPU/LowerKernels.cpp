// The way of a kernel from aten to LLVM: linalg on tensors, a plan of loops,
// the loops, the LLVM dialect.
#include "EmitLoops.h"

#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Codegen/Loops/LowerToLinalg.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::titan;

static void addLoweringToLlvm(OpPassManager &manager) {
  auto &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCSEPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  functions.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  manager.addPass(createConvertMathToLibmPass());
  functions.addPass(createConvertMathToLLVMPass(math));
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

static int64_t getNumBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

// To wake a thread takes as long as some ten thousand elements.
static int64_t getGrain(const Phase &phase) {
  constexpr int64_t kElements = 1 << 14;
  int64_t trips = std::max<int64_t>(phase.getTrips(), 1);
  int64_t perTrip = std::max<int64_t>(phase.getNumElements() / trips, 1);
  int64_t grain = llvm::divideCeil(kElements, perTrip);
  return phase.isFlat ? llvm::alignTo(grain, kLanes) : grain;
}

FailureOr<llvm::StringMap<KernelLoops>> titan::lowerKernels(ModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  context
      ->loadDialect<LLVM::LLVMDialect, cf::ControlFlowDialect, scf::SCFDialect,
                    math::MathDialect, vector::VectorDialect>();
  lowerToLinalg(kernels);
  llvm::StringMap<KernelLoops> loops;
  SmallVector<func::FuncOp> functions(kernels.getOps<func::FuncOp>());
  for (func::FuncOp kernel : functions) {
    FailureOr<LoopPlan> plan = LoopPlan::make(kernel);
    if (succeeded(plan)) {
      KernelLoops &own = loops[kernel.getSymName()];
      for (Value value : plan->scratch)
        own.scratchBytes.push_back(getNumBytes(value));
      SmallVector<cf::AssertOp> assertions;
      for (auto [index, phase] : llvm::enumerate(plan->phases)) {
        std::string name = (kernel.getSymName() + "_" + Twine(index)).str();
        own.phases.push_back({name, phase.getTrips(), getGrain(phase)});
        emitPhase(kernels, kernel, *plan, index, name, assertions);
      }
      for (cf::AssertOp assertion : assertions)
        own.assertions.push_back(
            {assertion.getLoc(), assertion.getMsg().str()});
    }
    kernel.erase();
  }
  expandMath(kernels);
  PassManager lower(context);
  addLoweringToLlvm(lower);
  if (failed(lower.run(kernels)))
    return failure();
  return loops;
}
