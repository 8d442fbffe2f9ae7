// Tensors in the format of NumPy's `save`.
#ifndef TITAN_EXECUTION_NPY_H
#define TITAN_EXECUTION_NPY_H

#include "titan/Execution/Tensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::titan {

/// The tensor in \p data, a whole file of version 1, 2 or 3: little endian, in
/// C or Fortran order. The format has booleans, integers, f16 to f64 and
/// complex numbers; objects, records and the other byte order are refused.
/// Memory is taken for the elements that \p data has, not for those that the
/// header claims.
llvm::Expected<Tensor> parseNpy(llvm::StringRef data);

/// The file that holds \p tensor: version 1, C order. An error if the format
/// has no such elements (bf16, f8).
llvm::Expected<std::string> formatNpy(const Tensor &tensor);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_NPY_H
