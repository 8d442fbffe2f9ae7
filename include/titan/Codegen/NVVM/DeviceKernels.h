// Kernels for NVIDIA GPUs: what is launched, and the code of it.
#ifndef TITAN_CODEGEN_NVVM_DEVICEKERNELS_H
#define TITAN_CODEGEN_NVVM_DEVICEKERNELS_H

#include "titan/Codegen/NVVM/DeviceCode.h"
#include "titan/Codegen/NVVM/DeviceTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// One launch of a kernel.
struct DeviceLaunch {
  std::string kernel;
  /// Blocks of the grid and threads of a block; both have one dimension.
  int64_t grid = 1, block = 1;
  /// What the parameters are, as numbers of the group's buffers. A tensor is
  /// passed as the address of contiguous elements (bool as bytes), a number by
  /// value, in the type it has in the graph. Addresses are multiples of 16, and
  /// what is written overlaps nothing else.
  std::vector<unsigned> parameters;
};

/// What a group of ops becomes: launches that run one after another. Its
/// buffers are the arguments of the group's function, its results, its scratch
/// values, in this order, and an i64 of zero that becomes the number of an
/// assertion that does not hold, counted from one.
struct DeviceGroup {
  /// What must hold of the data, an index within its range for one; what the
  /// kernels wrote is of no use where it does not.
  struct Assertion {
    Location loc;
    std::string message;
  };

  std::vector<DeviceLaunch> launches;
  /// The size of each scratch value.
  std::vector<int64_t> scratchBytes;
  std::vector<Assertion> assertions;
};

/// Replaces the functions of \p kernels, which hold aten and prims ops that all
/// have a lowering to linalg, and static shapes, by one `gpu.module` that holds
/// a kernel for each launch. Functions that no kernels could be planned for are
/// missing in the result.
llvm::StringMap<DeviceGroup> emitDeviceKernels(ModuleOp kernels);

/// Compiles the one `gpu.module` of \p kernels through the NVVM dialect, with
/// the functions of \p libdevice linked in. Floating point ops are neither
/// contracted nor reassociated. Fails where a function stays unresolved.
llvm::Expected<DeviceCode> compileDeviceKernels(ModuleOp kernels,
                                                const DeviceTarget &target,
                                                llvm::StringRef libdevice);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_DEVICEKERNELS_H
