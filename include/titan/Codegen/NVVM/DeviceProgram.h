// A module's functions as calls of kernels on a GPU.
#ifndef TITAN_CODEGEN_NVVM_DEVICEPROGRAM_H
#define TITAN_CODEGEN_NVVM_DEVICEPROGRAM_H

#include "titan/Codegen/NVVM/DeviceKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::titan {

/// Functions whose ops are, as far as there are kernels for them, calls of
/// groups: private functions that hold what a group computes.
struct DeviceProgram {
  OwningOpRef<ModuleOp> module;
  /// By the name of the group's function.
  llvm::StringMap<DeviceGroup> groups;
  /// One `gpu.module` with all kernels.
  OwningOpRef<ModuleOp> kernels;

  func::FuncOp getFunction(StringRef name) {
    return module->lookupSymbol<func::FuncOp>(name);
  }
};

/// Groups the ops of the functions called \p names of \p module, which does not
/// change, and emits the kernels of the groups. Ops without a kernel stay.
DeviceProgram buildDeviceProgram(ModuleOp module, ArrayRef<StringRef> names);

/// The ops of \p function that have no kernel and are no views, in its order.
SmallVector<Operation *> getUnlowered(func::FuncOp function,
                                      const DeviceProgram &program);

/// Fails with one error that lists what the functions called \p names, each
/// compiled by the program of its place, hold without a kernel: names, counts,
/// and where the first of each stands.
LogicalResult checkLowered(MutableArrayRef<DeviceProgram> programs,
                           ArrayRef<StringRef> names);

/// Describes the function called \p name, whose kernels \p file holds: the
/// kernels with their launches and parameters, the groups with the ops they
/// compute, and the calls of groups in order.
llvm::json::Object describeDeviceFunction(DeviceProgram &program,
                                          StringRef name, StringRef file);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_DEVICEPROGRAM_H
