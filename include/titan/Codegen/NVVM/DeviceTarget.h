// NVIDIA GPUs to make code for, and the parts of the CUDA toolkit it takes.
#ifndef TITAN_CODEGEN_NVVM_DEVICETARGET_H
#define TITAN_CODEGEN_NVVM_DEVICETARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::titan {

/// An architecture that code can be made for.
struct DeviceTarget {
  /// As ptxas spells it: `sm_90a`.
  std::string chip;
  /// The PTX version that LLVM writes, as it spells it: `+ptx80`.
  std::string features;
};

/// The target called \p chip; fails with the list of those that there are.
llvm::Expected<DeviceTarget> getDeviceTarget(llvm::StringRef chip);

/// The bitcode of libdevice, the functions (`exp`, `tanh`) that generated
/// kernels call. It is looked for in \p cudaPath if that is given, else in the
/// folder that CUDA_HOME names, in /usr/local/cuda, and beside the ptxas of
/// PATH. Fails with the list of the files that are missing.
llvm::Expected<std::string> findLibdevice(llvm::StringRef cudaPath);

/// The assembler ptxas, looked for in the same places.
llvm::Expected<std::string> findPtxas(llvm::StringRef cudaPath);

/// Assembles \p ptx with the program \p ptxas. Fails with what ptxas said.
llvm::Expected<std::string> assemblePtx(llvm::StringRef ptxas,
                                        llvm::StringRef ptx,
                                        const DeviceTarget &target);

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_DEVICETARGET_H
