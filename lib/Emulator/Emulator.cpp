// Loading a module, and checking a launch before it runs.
#include "titan/Emulator/Emulator.h"
#include "ModuleCode.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::titan::emulator;
using namespace llvm;

Emulator::Emulator()
    : code(std::make_unique<ModuleCode>()),
      memory(std::make_unique<GlobalMemory>()) {}

Emulator::~Emulator() = default;

Expected<std::unique_ptr<Emulator>>
Emulator::create(MemoryBufferRef buffer, const LoadOptions &options) {
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIR(buffer, diagnostic, *context);
  if (!module) {
    std::string text;
    raw_string_ostream stream(text);
    diagnostic.print("", stream, /*ShowColors=*/false);
    return createStringError("the module is malformed" + text);
  }
  if (!module->getTargetTriple().isNVPTX())
    return createStringError("expected a module for nvptx64, found '" +
                             module->getTargetTriple().str() + "'");
  std::unique_ptr<Emulator> emulator(new Emulator);
  ModuleCode &code = *emulator->code;
  code.checkAccesses = options.checkAccesses;
  if (Error error = compile(std::move(module), std::move(context), code))
    return error;
  for (const ModuleCode::Variable &variable : code.variables) {
    auto address = code.jit->lookup(variable.name);
    if (!address)
      return address.takeError();
    emulator->memory->add(address->toPtr<void *>(), variable.bytes,
                          variable.constant ? Access::Read : Access::ReadWrite,
                          /*uninitialised=*/false);
  }
  return emulator;
}

void Emulator::registerBuffer(void *data, uint64_t size, Access access,
                              bool uninitialised) {
  memory->add(data, size, access, uninitialised);
}

void Emulator::unregisterBuffer(const void *data) { memory->remove(data); }

void *Emulator::allocate(uint64_t size, Access access, bool uninitialised) {
  return memory->allocate(size, access, uninitialised);
}

std::vector<std::string> Emulator::getKernels() const {
  return code->kernelNames;
}

uint64_t Emulator::getStaticSharedBytes() const {
  return code->staticSharedBytes;
}

/// Says what keeps a launch from running on a device; empty if nothing does.
static std::string checkLaunch(const Kernel &kernel, const Launch &launch,
                               uint64_t staticBytes) {
  constexpr uint64_t kMaximumThreads = 1024;
  uint64_t threads = launch.block.volume();
  if (launch.grid.volume() == 0 || threads == 0)
    return "an empty grid or block";
  if (launch.grid.y > 65535 || launch.grid.z > 65535)
    return "a grid of more than 65535 blocks along y or z";
  if (threads > kMaximumThreads || launch.block.z > 64)
    return "a block of " + std::to_string(threads) +
           " threads; a device takes 1024, and 64 along z";
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return "a block of " + std::to_string(threads) +
           " threads; the kernel was compiled for " +
           std::to_string(kernel.maxThreads);
  const uint32_t *required = kernel.requiredThreads;
  if (required[0] &&
      (required[0] != launch.block.x || required[1] != launch.block.y ||
       required[2] != launch.block.z))
    return "a block that is not the " + std::to_string(required[0]) + "x" +
           std::to_string(required[1]) + "x" + std::to_string(required[2]) +
           " the kernel was compiled for";
  if (launch.cluster.volume() != 1)
    return "a cluster of several blocks, which is not emulated";
  if (staticBytes + launch.dynamicSharedBytes > SharedMemory::kMaximumBytes)
    return std::to_string(staticBytes + launch.dynamicSharedBytes) +
           " bytes of shared memory; a block may have " +
           std::to_string(SharedMemory::kMaximumBytes);
  if (launch.arguments.size() != kernel.numArguments)
    return std::to_string(launch.arguments.size()) + " arguments; it takes " +
           std::to_string(kernel.numArguments);
  return "";
}

Expected<LaunchStatistics> Emulator::launch(StringRef name,
                                            const Launch &launch,
                                            const LaunchOptions &options) {
  auto kernel = code->kernels.find(name);
  if (kernel == code->kernels.end())
    return make_error<KernelFault>(Fault::BadLaunch,
                                   ("no kernel '" + name + "'").str());
  std::string problem =
      checkLaunch(kernel->second, launch, code->staticSharedBytes);
  if (!problem.empty())
    return make_error<KernelFault>(Fault::BadLaunch,
                                   ("kernel '" + name + "': " + problem).str());
  // Parameters that are read in place are memory for as long as the launch.
  std::vector<void *> inPlace;
  for (auto &[index, bytes] : kernel->second.inPlace) {
    auto *data = const_cast<void *>(launch.arguments[index]);
    if (memory->find(reinterpret_cast<uint64_t>(data)))
      continue;
    memory->add(data, bytes, Access::Read, /*uninitialised=*/false);
    inPlace.push_back(data);
  }
  LaunchContext context;
  context.code = code.get();
  context.memory = memory.get();
  context.kernel = name.str();
  context.entry = kernel->second.entry;
  context.launch = &launch;
  context.options = options;
  context.checkAccesses = code->checkAccesses;
  context.flushDenormals = kernel->second.flushDenormals;
  auto result = runGrid(context, kernel->second);
  for (void *data : inPlace)
    memory->remove(data);
  return result;
}
