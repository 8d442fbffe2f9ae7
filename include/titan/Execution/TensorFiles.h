// Named tensors in files, in the forms that a command line says them.
#ifndef TITAN_EXECUTION_TENSORFILES_H
#define TITAN_EXECUTION_TENSORFILES_H

#include "titan/Execution/Safetensors.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir::titan {

/// Reads the tensors of every place in \p places, each of which is
///
/// - `NAME=FILE.npy`: one tensor;
/// - a folder: every `NAME.npy` of it;
/// - any other file: safetensors.
///
/// The same name twice is an error.
llvm::Expected<TensorMap> readTensorFiles(llvm::ArrayRef<std::string> places);

/// Writes \p tensors to every place in \p places, in the same forms; a name
/// that ends in `/` is a folder, which is made. What `NAME=FILE.npy` asks for
/// and \p tensors lacks is an error, before anything is written. No file is
/// ever there in part.
llvm::Error writeTensorFiles(llvm::ArrayRef<std::string> places,
                             const TensorMap &tensors);

/// Writes the file \p path: under a temporary name, then renamed. What is no
/// regular file is written directly.
llvm::Error writeWholeFile(llvm::StringRef path, llvm::StringRef content);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_TENSORFILES_H
