// LLVM's NVPTX back end in this process. It is given all that a kernel calls:
// PTX with unresolved functions would only fail when it is loaded.
#include "Backend.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir::titan;

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeMachine(const DeviceTarget &target) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!known)
    return llvm::createStringError("LLVM makes no code for GPUs: " + error);
  llvm::TargetOptions options;
  // The numbers are those of the ops as written.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(known->createTargetMachine(
      triple, target.chip, target.features, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

static llvm::Error linkLibdevice(llvm::Module &module, llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  auto library = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!library)
    return llvm::createStringError(
        "'" + path + "' is no bitcode: " + toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded,
      [](llvm::Module &all, const llvm::StringSet<> &linked) {
        llvm::internalizeModule(all, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !linked.contains(value.getName());
        });
      });
  if (failed)
    return llvm::createStringError("cannot link '" + path + "'");
  return llvm::Error::success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

static llvm::Error checkResolved(const llvm::Module &module) {
  std::string names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
  if (names.empty())
    return llvm::Error::success();
  return llvm::createStringError("kernels call functions that libdevice does "
                                 "not have: " +
                                 names);
}

llvm::Expected<DeviceCode>
mlir::titan::compileForDevice(llvm::Module &module, const DeviceTarget &target,
                              llvm::StringRef libdevice) {
  auto machine = makeMachine(target);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (llvm::Error error = linkLibdevice(module, libdevice))
    return error;
  optimize(module, **machine);
  if (llvm::Error error = checkResolved(module))
    return error;
  DeviceCode code;
  llvm::raw_string_ostream bitcode(code.bitcode);
  llvm::WriteBitcodeToFile(module, bitcode);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager writer;
  if ((*machine)->addPassesToEmitFile(writer, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("LLVM writes no PTX");
  writer.run(module);
  code.ptx = text.str().str();
  return code;
}
