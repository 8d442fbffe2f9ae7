// The names that PyTorch gives to dtypes, devices and layouts in the text of a
// graph, and what they are in the IR.
#ifndef TITAN_INTERFACES_PYTHONNAMES_H
#define TITAN_INTERFACES_PYTHONNAMES_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir::titan {

/// The element type that an annotation's abbreviation stands for (`bf16`, `b8`,
/// `c64`; torch/utils/_dtype_abbrs.py), or null.
Type getTypeOfAbbreviation(MLIRContext *context, llvm::StringRef abbreviation);

/// The abbreviation of \p type, empty if PyTorch has no such dtype.
llvm::StringRef getAbbreviation(Type type);

/// The element type of a dtype's name without `torch.` (`bfloat16`, `bool`), or
/// null.
Type getTypeOfDtype(MLIRContext *context, llvm::StringRef name);

/// The name of the dtype, without `torch.`, empty if PyTorch has no such dtype.
llvm::StringRef getDtypeName(Type type);

/// The device (`cuda:0`, `cpu`) that a Python expression names:
/// `device(type='cuda', index=0)`, `torch.device('cpu')`.
std::optional<std::string> parsePythonDevice(llvm::StringRef expression);

/// The Python expression of a device, as PyTorch prints it.
std::string getPythonDevice(llvm::StringRef device);

} // namespace mlir::titan

#endif // TITAN_INTERFACES_PYTHONNAMES_H
