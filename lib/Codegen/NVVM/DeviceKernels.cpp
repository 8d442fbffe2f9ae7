// The way of a group from aten to code for a GPU: linalg on tensors, the plan
// of loops that the CPU has too, a kernel for each phase of it in the dialects
// gpu, scf, arith, math and llvm, the NVVM dialect, LLVM's back end.
#include "titan/Codegen/NVVM/DeviceKernels.h"

#include "Backend/Backend.h"
#include "LaunchEmitter.h"
#include "titan/Codegen/Loops/LowerToLinalg.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr StringLiteral kModuleName = "kernels";

static int64_t getNumBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

llvm::StringMap<DeviceGroup> titan::emitDeviceKernels(ModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  context->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect,
                       cf::ControlFlowDialect, scf::SCFDialect,
                       math::MathDialect>();
  lowerToLinalg(kernels);
  OpBuilder builder(kernels.getBodyRegion());
  auto module =
      gpu::GPUModuleOp::create(builder, kernels.getLoc(), kModuleName);
  llvm::StringMap<DeviceGroup> groups;
  SmallVector<func::FuncOp> functions(kernels.getOps<func::FuncOp>());
  for (func::FuncOp kernel : functions) {
    FailureOr<LoopPlan> plan = LoopPlan::make(kernel);
    if (succeeded(plan)) {
      DeviceGroup &group = groups[kernel.getSymName()];
      for (Value value : plan->scratch)
        group.scratchBytes.push_back(getNumBytes(value));
      SmallVector<cf::AssertOp> assertions;
      for (auto [index, phase] : llvm::enumerate(plan->phases)) {
        std::string name = (kernel.getSymName() + "_" + Twine(index)).str();
        group.launches.push_back(
            LaunchEmitter(module, kernel, *plan, phase, assertions).emit(name));
      }
      for (cf::AssertOp assertion : assertions)
        group.assertions.push_back(
            {assertion.getLoc(), assertion.getMsg().str()});
    }
    kernel.erase();
  }
  return groups;
}

static void registerConversions(MLIRContext *context) {
  DialectRegistry registry;
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
}

static LogicalResult lowerToNvvm(ModuleOp kernels) {
  PassManager manager(kernels.getContext());
  auto &modules = manager.nest<gpu::GPUModuleOp>();
  auto &functions = modules.nest<gpu::GPUFuncOp>();
  functions.addPass(createCSEPass());
  functions.addPass(arith::createArithExpandOpsPass());
  modules.addPass(createSCFToControlFlowPass());
  modules.addPass(createConvertGpuOpsToNVVMOps());
  // What libdevice does not have is an instruction of LLVM's.
  modules.addPass(createConvertMathToLLVMPass());
  modules.addPass(createArithToLLVMConversionPass());
  modules.addPass(createReconcileUnrealizedCastsPass());
  return manager.run(kernels);
}

llvm::Expected<DeviceCode>
titan::compileDeviceKernels(ModuleOp kernels, const DeviceTarget &target,
                            llvm::StringRef libdevice) {
  registerConversions(kernels.getContext());
  if (failed(lowerToNvvm(kernels)))
    return llvm::createStringError("cannot lower the kernels to NVVM");
  auto module = kernels.lookupSymbol<gpu::GPUModuleOp>(kModuleName);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, kModuleName);
  if (!code)
    return llvm::createStringError("cannot translate the kernels to LLVM IR");
  return compileForDevice(*code, target, libdevice);
}
