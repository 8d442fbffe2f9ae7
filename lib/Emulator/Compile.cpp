// Compiles a retargeted module, and the functions that its code calls back.
#include "ModuleCode.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <bit>

using namespace mlir::titan::emulator;
using namespace llvm;

//===--- Called by compiled code ------------------------------------------===//

static SpecialRegisters *getCurrentRegisters() {
  return &getCurrentThread().registers;
}

static void runOperation(uint32_t number, uint32_t site, Slot *in, Slot *out) {
  Thread &thread = getCurrentThread();
  thread.site = site;
  const Op &op = *thread.block->context->code->operations[number];
  op.run(thread, op, in, out);
}

static void runProgram(uint32_t number, uint32_t site, Slot *operands) {
  Thread &thread = getCurrentThread();
  thread.site = site;
  runPtx(thread, *thread.block->context->code->programs[number], operands);
}

static void checkCodeAccess(uint64_t address, uint64_t size, uint32_t alignment,
                            uint32_t flags, uint32_t site) {
  Thread &thread = getCurrentThread();
  thread.site = site;
  if (size == 0)
    return;
  checkAccess(thread, address, uint32_t(size), alignment, flags);
  // Another thread's turn at a random access shows what only luck hides.
  Block &block = *thread.block;
  if (block.context->options.schedule == Schedule::Random &&
      block.random() % 64 == 0) {
    ++block.events;
    thread.wait(ThreadState::Ready, "its turn");
  }
}

static void spin(uint32_t site) {
  Thread &thread = getCurrentThread();
  thread.site = site;
  thread.polledAt = thread.block->events;
  thread.wait(ThreadState::Polling, "a value in memory");
}

static void failEndless(uint32_t site) {
  Thread &thread = getCurrentThread();
  thread.site = site;
  thread.fail(Fault::Endless,
              "a thread went round its loops " +
                  Twine(thread.block->context->options.maxIterations) +
                  " times");
}

// x86 returns a half and a bfloat in the low bits of a vector register, which
// is where a float with those bits is too, whatever the compiler supports.

static float truncateToBfloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    bits = bits >> 16 | 0x40;
  else
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return std::bit_cast<float>(bits);
}

static float truncateDoubleToBfloat(double value) {
  // Rounding to odd first makes the second rounding exact.
  auto narrow = float(value);
  auto bits = std::bit_cast<uint32_t>(narrow);
  if (double(narrow) != value && !(bits & 1) && narrow == narrow) {
    bool up = (double(narrow) < value) == (value > 0);
    bits += up ? 1 : -1;
  }
  return truncateToBfloat(std::bit_cast<float>(bits));
}

static float truncateToHalf(float value) {
  APFloat number(value);
  bool lost;
  number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
  return std::bit_cast<float>(uint32_t(number.bitcastToAPInt().getZExtValue()));
}

static float truncateDoubleToHalf(double value) {
  APFloat number(value);
  bool lost;
  number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
  return std::bit_cast<float>(uint32_t(number.bitcastToAPInt().getZExtValue()));
}

static float extendHalf(float half) {
  APFloat number(APFloat::IEEEhalf(),
                 APInt(16, std::bit_cast<uint32_t>(half) & 0xffff));
  bool lost;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToFloat();
}

//===--- Compilation ------------------------------------------------------===//

static void optimise(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

static Error defineCallbacks(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported};
  };
  add("titanEmulatorRegisters", getCurrentRegisters);
  add("titanEmulatorOperation", runOperation);
  add("titanEmulatorPtx", runProgram);
  add("titanEmulatorAccess", checkCodeAccess);
  add("titanEmulatorSpin", spin);
  add("titanEmulatorEndless", failEndless);
  add("titanEmulatorResolve", resolveAccumulator);
  add("__truncsfbf2", truncateToBfloat);
  add("__truncdfbf2", truncateDoubleToBfloat);
  add("__truncsfhf2", truncateToHalf);
  add("__truncdfhf2", truncateDoubleToHalf);
  add("__extendhfsf2", extendHalf);
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

Error mlir::titan::emulator::compile(std::unique_ptr<Module> givenModule,
                                     std::unique_ptr<LLVMContext> givenContext,
                                     ModuleCode &code) {
  // Locals end in reverse: the module before its context.
  std::unique_ptr<LLVMContext> context = std::move(givenContext);
  std::unique_ptr<Module> module = std::move(givenModule);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(CodeGenOptLevel::Default);
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  std::vector<std::string> unsupported;
  retarget(*module, code, unsupported);
  if (!unsupported.empty()) {
    std::string text = "the module uses what the emulator does not know: ";
    for (size_t i = 0; i < unsupported.size(); ++i)
      text += (i ? ", '" : "'") + unsupported[i] + "'";
    return make_error<KernelFault>(Fault::Unsupported, text);
  }
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(*module, &stream))
    return createStringError("the retargeted module is malformed: " + problem);
  optimise(*module, **machine);

  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*host).create();
  if (!jit)
    return jit.takeError();
  code.jit = std::move(*jit);
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      code.jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  code.jit->getMainJITDylib().addGenerator(std::move(*process));
  if (Error error = defineCallbacks(*code.jit))
    return error;
  if (Error error = code.jit->addIRModule(
          orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  for (size_t i = 0; i < code.kernelNames.size(); ++i) {
    auto address = code.jit->lookup("titan_kernel_" + std::to_string(i));
    if (!address)
      return address.takeError();
    code.kernels[code.kernelNames[i]].entry =
        address->toPtr<void (*)(const void *const *)>();
  }
  return Error::success();
}
