// How a call is written: which arguments stand by position, which by keyword.
#ifndef TITAN_LIB_IMPORT_CALLFORM_H
#define TITAN_LIB_IMPORT_CALLFORM_H

#include "titan/Interfaces/Schema.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::titan {

/// Appends the keyword of each argument of a call of \p schema as PyTorch
/// usually writes it, empty for those by position. \p isPresent says which
/// parameters have an argument; a position whose parameter has none stands for
/// None.
///
/// Arguments come in the schema's order, by position up to the last one that
/// needs it; after a gap that None cannot fill, by keyword.
void getUsualKeywords(llvm::ArrayRef<SchemaParameter> schema,
                      llvm::function_ref<bool(unsigned)> isPresent,
                      llvm::SmallVectorImpl<llvm::StringRef> &keywords);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_CALLFORM_H
