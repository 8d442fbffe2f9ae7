// The pipeline from aten to LLVM for the kernels of the CPU, which are small
// functions of static shapes.
#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::titan;

static void registerInterfaces(MLIRContext *context) {
  DialectRegistry registry;
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<LLVM::LLVMDialect>();
}

// A value that several read is computed again for each only if that costs no
// more than to load it: a copy or a conversion.
static bool isCheap(linalg::GenericOp producer) {
  int64_t ops = 0;
  producer.getBody()->walk([&](Operation *op) {
    ops += !isa<linalg::YieldOp>(op) && !op->hasTrait<OpTrait::ConstantLike>();
  });
  return ops <= 1;
}

static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  if (!producer)
    return true;
  return producer->hasOneUse() || isCheap(producer);
}

static LogicalResult fuse(ModuleOp kernels) {
  RewritePatternSet patterns(kernels.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldFuse);
  return applyPatternsGreedily(kernels, std::move(patterns));
}

// What the kernels are given belongs to others: it is read, never written in
// place.
static void markReadOnly(ModuleOp kernels) {
  for (auto kernel : kernels.getOps<func::FuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (isa<TensorType>(kernel.getArgument(i).getType()))
        kernel.setArgAttr(
            i, bufferization::BufferizationDialect::kWritableAttrName,
            BoolAttr::get(kernels.getContext(), false));
}

// What the kernels are given does not overlap.
static void markNoAlias(ModuleOp kernels) {
  for (auto kernel : kernels.getOps<func::FuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (isa<MemRefType>(kernel.getArgument(i).getType()))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(kernels.getContext()));
}

// Copies between strided buffers become loops like all others.
static void expandCopies(ModuleOp kernels) {
  kernels.walk([](memref::CopyOp copy) {
    OpBuilder builder(copy);
    linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  });
}

// LLVM has no e^x - 1, and to subtract afterwards loses what it is for.
static void callExpM1(ModuleOp kernels) {
  func::FuncOp callee;
  kernels.walk([&](math::ExpM1Op op) {
    OpBuilder builder(op);
    Type type = builder.getF64Type();
    if (!callee) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(kernels.getBody());
      callee = func::FuncOp::create(atEnd, kernels.getLoc(), "expm1",
                                    atEnd.getFunctionType({type}, {type}));
      callee.setPrivate();
    }
    auto call =
        func::CallOp::create(builder, op.getLoc(), callee, op.getOperand());
    op.replaceAllUsesWith(call.getResult(0));
    op.erase();
  });
}

static void addBufferization(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(createCanonicalizerPass());
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.hoistStaticAllocs = true;
  results.modifyPublicFunctions = true;
  manager.addPass(bufferization::createBufferResultsToOutParamsPass(results));
}

static void addLoweringToLlvm(OpPassManager &manager) {
  auto &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  functions.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  functions.addPass(createConvertMathToLLVMPass(math));
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions function;
  function.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(function));
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

LogicalResult titan::lowerKernels(ModuleOp kernels) {
  registerInterfaces(kernels.getContext());
  RewritePatternSet patterns(kernels.getContext());
  populateAtenToLinalgPatterns(patterns);
  walkAndApplyPatterns(kernels, std::move(patterns));
  if (failed(fuse(kernels)))
    return failure();
  PassManager bufferize(kernels.getContext());
  bufferize.addPass(createCanonicalizerPass());
  bufferize.addPass(createCSEPass());
  addBufferization(bufferize);
  markReadOnly(kernels);
  if (failed(bufferize.run(kernels)))
    return failure();
  markNoAlias(kernels);
  expandCopies(kernels);
  callExpM1(kernels);
  PassManager lower(kernels.getContext());
  addLoweringToLlvm(lower);
  return lower.run(kernels);
}
