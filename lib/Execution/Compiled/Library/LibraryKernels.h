// Kernels that are worth more than the code made for a group of ops: products
// of matrices and what is built on them. Each replaces the reference kernel of
// the same op where types and layouts are what it knows, and calls it
// otherwise. Which of the two depends on types, shapes and strides alone, so
// the same op gives the same bits in every function.
#ifndef TITAN_LIB_EXECUTION_COMPILED_LIBRARY_LIBRARYKERNELS_H
#define TITAN_LIB_EXECUTION_COMPILED_LIBRARY_LIBRARYKERNELS_H

#include "titan/Execution/Kernel.h"

namespace mlir::titan {

/// A kernel that may decline: none means that the next one is to be asked, and
/// nothing has been done.
using PartialKernel = std::function<std::optional<LogicalResult>(Call &)>;

/// Puts \p kernel in front of the one that \p table has for \p name, which
/// getLibraryOps lists.
void addInFront(KernelTable &table, StringRef name, PartialKernel kernel);

/// \name The families
/// @{
void addLibraryAttention(KernelTable &table);
void addLibraryConvolutions(KernelTable &table);
void addLibraryIndexing(KernelTable &table);
void addLibraryPooling(KernelTable &table);
void addLibraryProducts(KernelTable &table);
/// @}

/// All of them.
void addLibraryKernels(KernelTable &table);

} // namespace mlir::titan

#endif // TITAN_LIB_EXECUTION_COMPILED_LIBRARY_LIBRARYKERNELS_H
