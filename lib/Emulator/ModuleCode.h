// A module as the host runs it.
#ifndef TITAN_LIB_EMULATOR_MODULECODE_H
#define TITAN_LIB_EMULATOR_MODULECODE_H

#include "InlinePtx.h"
#include "Op.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <map>
#include <memory>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace mlir::titan::emulator {

/// A kernel that can be launched.
struct Kernel {
  void (*entry)(const void *const *) = nullptr;
  unsigned numArguments = 0;
  /// Bytes of each parameter that is passed in place, and may be read there.
  std::vector<std::pair<unsigned, uint64_t>> inPlace;
  /// Needs one worker to give the same bits each time.
  bool ordered = false;
  bool flushDenormals = false;
  uint32_t maxThreads = 0;
  /// Required block size, or zeros.
  uint32_t requiredThreads[3] = {0, 0, 0};
};

/// Compiled code, and what its calls into the emulator refer to by number.
class ModuleCode {
public:
  /// Operations, by the number compiled code passes.
  std::vector<std::unique_ptr<Op>> operations;
  std::vector<std::unique_ptr<PtxProgram>> programs;
  /// Places in the source, by number; 0 is a kernel's entry.
  std::vector<std::string> sites{"its start"};
  llvm::StringMap<Kernel> kernels;
  std::vector<std::string> kernelNames;
  /// Global variables of the module: name, bytes, whether constant.
  struct Variable {
    std::string name;
    uint64_t bytes;
    bool constant;
  };
  std::vector<Variable> variables;
  /// Bytes of placed shared variables, the dynamic area's offset.
  uint64_t staticSharedBytes = 0;
  bool checkAccesses = true;
  std::unique_ptr<llvm::orc::LLJIT> jit;

  const std::string &describeSite(uint32_t site) const {
    return sites[site < sites.size() ? site : 0];
  }
};

/// Turns a module for NVPTX into one for the host. Reports what is not emulated
/// in `unsupported`, once each.
void retarget(llvm::Module &module, ModuleCode &code,
              std::vector<std::string> &unsupported);
/// Gives shared variables their places in the block's shared memory.
void placeSharedMemory(llvm::Module &module, ModuleCode &code);
/// Inserts a check before each access to memory, and one per loop iteration.
void instrument(llvm::Module &module, ModuleCode &code);
/// Replaces device operations by host instructions or calls.
void lowerOperations(llvm::Module &module, ModuleCode &code,
                     std::vector<std::string> &unsupported);
/// Replaces a call of a device function that has an equal in LLVM's own
/// instructions; false if it has none.
bool lowerToInstructions(llvm::Instruction &call);
/// The number of an instruction's place in the source.
uint32_t addSite(ModuleCode &code, const llvm::Instruction &instruction,
                 llvm::StringRef what);
/// Address of a function's `SpecialRegisters`, at its entry.
llvm::Instruction *getRegisters(llvm::Function &function);
/// Compiles a retargeted module.
llvm::Error compile(std::unique_ptr<llvm::Module> module,
                    std::unique_ptr<llvm::LLVMContext> context,
                    ModuleCode &code);
/// Runs every block of a launch.
llvm::Expected<LaunchStatistics> runGrid(LaunchContext &context,
                                         const Kernel &kernel);

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_MODULECODE_H
