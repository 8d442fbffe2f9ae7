// Named tensors in a file, in the safetensors format: a length of 8 bytes, a
// JSON header, the bytes.
#ifndef TITAN_EXECUTION_SAFETENSORS_H
#define TITAN_EXECUTION_SAFETENSORS_H

#include "titan/Execution/Tensor.h"

#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace mlir::titan {

/// Tensors by name, in the order of the names.
using TensorMap = std::map<std::string, Tensor>;

/// The tensors of \p data, a whole file. The format has no complex numbers:
/// PyTorch's are read as floats with a last dimension of 2 (real, imaginary);
/// toComplex makes them what they are. An error names the tensor that is wrong.
llvm::Expected<TensorMap> parseSafetensors(llvm::StringRef data);

/// The file that holds \p tensors: keys in order, data without gaps, complex
/// numbers as floats with a last dimension of 2.
std::string formatSafetensors(const TensorMap &tensors);

/// Reads the file \p path.
llvm::Expected<TensorMap> readSafetensors(llvm::StringRef path);

/// Writes the file \p path: under a temporary name, then renamed, so that
/// there is never half of it. What is no regular file is written directly.
llvm::Error writeSafetensors(llvm::StringRef path, const TensorMap &tensors);

/// The complex tensor whose parts \p parts holds along its last dimension.
Tensor toComplex(const Tensor &parts);

/// The parts of a complex tensor along a new last dimension.
Tensor fromComplex(const Tensor &tensor);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_SAFETENSORS_H
