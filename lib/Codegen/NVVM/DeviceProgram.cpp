// Which ops of a function run on the device: fused groups as on the CPU.
#include "titan/Codegen/NVVM/DeviceProgram.h"

#include "titan/Codegen/Loops/KernelGroups.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::titan;

DeviceProgram titan::buildDeviceProgram(ModuleOp module,
                                        ArrayRef<StringRef> names) {
  DeviceProgram program;
  program.module = module.clone();
  outlineKernels(*program.module, names, KernelGroupOptions());
  auto emit = [&] {
    program.kernels = cloneKernels(*program.module);
    program.groups = emitDeviceKernels(*program.kernels);
  };
  emit();
  if (divideKernels(*program.module, [&](StringRef name) {
        return program.groups.contains(name);
      }))
    emit();
  return program;
}

SmallVector<Operation *> titan::getUnlowered(func::FuncOp function,
                                             const DeviceProgram &program) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator()) {
    if (isViewOp(&op))
      continue;
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      // Sizes are computed by the host.
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
          !isMemoryEffectFree(&op))
        ops.push_back(&op);
      continue;
    }
    if (program.groups.contains(call.getCallee()))
      continue;
    auto callee =
        program.module.get().lookupSymbol<func::FuncOp>(call.getCallee());
    llvm::append_range(ops, getUnlowered(callee, program));
  }
  return ops;
}

LogicalResult titan::checkLowered(MutableArrayRef<DeviceProgram> programs,
                                  ArrayRef<StringRef> names) {
  llvm::MapVector<StringRef, SmallVector<Operation *>> missing;
  for (auto [program, name] : llvm::zip_equal(programs, names))
    for (Operation *op : getUnlowered(program.getFunction(name), program))
      missing[op->getName().getStringRef()].push_back(op);
  if (missing.empty())
    return success();
  InFlightDiagnostic error = emitError(missing.front().second.front()->getLoc())
                             << "there are no kernels for";
  StringRef separator = " ";
  for (auto &[name, ops] : missing) {
    error << separator << "'" << name << "' (" << ops.size() << ")";
    separator = ", ";
  }
  error << "; 'titan-run --engine=emulator' runs these on reference kernels";
  for (auto &[name, ops] : missing)
    error.attachNote(ops.front()->getLoc()) << "'" << name << "' first here";
  return failure();
}
