// The two notations of a job configuration, read into one tree.
#ifndef TITAN_LIB_CONFIG_READER_H
#define TITAN_LIB_CONFIG_READER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <nlohmann/json_fwd.hpp>

namespace mlir::titan {

/// Fail with `file:line:column: what is wrong`.
/// @{
llvm::Expected<nlohmann::ordered_json> readJson(llvm::StringRef text,
                                                llvm::StringRef fileName);
llvm::Expected<nlohmann::ordered_json> readToml(llvm::StringRef text,
                                                llvm::StringRef fileName);
/// @}

/// The sections of torchtitan's job configuration.
llvm::ArrayRef<llvm::StringRef> getKnownSections();

/// The keys of \p section; empty if Titan does not look into it.
llvm::ArrayRef<llvm::StringRef> getKnownKeys(llvm::StringRef section);

} // namespace mlir::titan

#endif // TITAN_LIB_CONFIG_READER_H
