// Code for a GPU.
#ifndef TITAN_CODEGEN_NVVM_DEVICECODE_H
#define TITAN_CODEGEN_NVVM_DEVICECODE_H

#include <string>

namespace mlir::titan {

/// Code in both its forms, of the same instructions.
struct DeviceCode {
  std::string ptx;
  /// LLVM bitcode, which the emulator runs.
  std::string bitcode;
};

} // namespace mlir::titan

#endif // TITAN_CODEGEN_NVVM_DEVICECODE_H
