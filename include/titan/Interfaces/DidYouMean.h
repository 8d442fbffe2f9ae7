// The question a tool asks when a name is not known.
#ifndef TITAN_INTERFACES_DIDYOUMEAN_H
#define TITAN_INTERFACES_DIDYOUMEAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::titan {

/// The name in \p known that \p word most likely means, the first of equals;
/// empty if none is near (more than a third of the word differs).
llvm::StringRef findNearest(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> known);

/// `; did you mean 'apply_sac'?` for the nearest name, or nothing.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> known);

} // namespace mlir::titan

#endif // TITAN_INTERFACES_DIDYOUMEAN_H
