#include "titan/Codegen/CPU/KernelCompiler.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::titan;

struct CompiledKernels::Impl {
  std::unique_ptr<ExecutionEngine> engine;
};

CompiledKernels::CompiledKernels(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}

CompiledKernels::~CompiledKernels() = default;

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return builder->createTargetMachine();
}

// What LLVM calls to round an f32 to bf16 where the CPU has no instruction. A
// bf16 comes back in the low half of the register of an f32.
static float truncateToBFloat16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if (value != value)
    return llvm::bit_cast<float>((bits >> 16) | 0x40);
  // To nearest, ties to even.
  return llvm::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static void registerHelpers(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    symbols[intern("__truncsfbf2")] = {
        llvm::orc::ExecutorAddr::fromPtr(&truncateToBFloat16),
        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
}

// The loops are vectors already: to unroll and vectorize what is left of them
// would take most of the time and win nothing.
static llvm::Error optimize(llvm::Module &module,
                            llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraphs, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(
          manager, "function(early-cse,instcombine,simplifycfg,"
                   "loop-mssa(loop-rotate,licm),early-cse<memssa>)"))
    return error;
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  manager.run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<CompiledKernels>>
CompiledKernels::compile(ModuleOp kernels) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  kernels.getContext()->appendDialectRegistry(registry);

  // One to optimize for, one that the engine owns.
  auto optimized = makeHostMachine();
  if (!optimized)
    return optimized.takeError();
  auto emitted = makeHostMachine();
  if (!emitted)
    return emitted.takeError();
  ExecutionEngineOptions options;
  auto transformer = [&](llvm::Module *module) {
    return optimize(*module, **optimized);
  };
  options.transformer = transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(kernels, options, std::move(*emitted));
  if (!engine)
    return engine.takeError();
  auto impl = std::make_unique<Impl>();
  impl->engine = std::move(*engine);
  registerHelpers(*impl->engine);
  return std::unique_ptr<CompiledKernels>(new CompiledKernels(std::move(impl)));
}

CompiledKernels::Function CompiledKernels::lookup(StringRef name) const {
  auto function = impl->engine->lookup(name);
  if (!function) {
    llvm::consumeError(function.takeError());
    return nullptr;
  }
  return reinterpret_cast<Function>(*function);
}
