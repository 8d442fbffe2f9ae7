// The engine that runs the kernels made for a GPU in the emulator.
#ifndef TITAN_EXECUTION_EMULATEDENGINE_H
#define TITAN_EXECUTION_EMULATEDENGINE_H

#include "titan/Codegen/NVVM/DeviceProgram.h"
#include "titan/Execution/Interpreter.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::titan {

namespace emulator {
class Emulator;
} // namespace emulator

/// Functions of a module compiled for a GPU, whose kernels run in the emulator,
/// with all of its checks. Ops without a kernel run on their reference kernel.
/// Borrows the interpreter.
class EmulatedEngine {
public:
  explicit EmulatedEngine(Interpreter &interpreter);
  ~EmulatedEngine();

  /// Compiles the functions called \p names of \p module, which does not
  /// change, with the functions of \p libdevice. Errors stand where they
  /// arise.
  LogicalResult compile(ModuleOp module, ArrayRef<StringRef> names,
                        const DeviceTarget &target, StringRef libdevice);

  /// The compiled form of the function called \p name.
  func::FuncOp getFunction(StringRef name) { return program.getFunction(name); }

  /// The names of the ops that have no kernel, with how many there are.
  const llvm::MapVector<StringRef, int64_t> &getUnlowered() const {
    return unlowered;
  }

private:
  LogicalResult callGroup(Call &call);
  LogicalResult callInterpreted(Call &call);

  DeviceProgram program;
  std::unique_ptr<emulator::Emulator> emulator;
  llvm::MapVector<StringRef, int64_t> unlowered;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_EMULATEDENGINE_H
