// From LLVM IR to PTX.
#ifndef TITAN_LIB_CODEGEN_NVVM_BACKEND_BACKEND_H
#define TITAN_LIB_CODEGEN_NVVM_BACKEND_BACKEND_H

#include "titan/Codegen/NVVM/DeviceCode.h"
#include "titan/Codegen/NVVM/DeviceTarget.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::titan {

/// Links \p libdevice into \p module, optimizes both and writes them as PTX and
/// as bitcode of the same instructions.
llvm::Expected<DeviceCode> compileForDevice(llvm::Module &module,
                                            const DeviceTarget &target,
                                            llvm::StringRef libdevice);

} // namespace mlir::titan

#endif // TITAN_LIB_CODEGEN_NVVM_BACKEND_BACKEND_H
