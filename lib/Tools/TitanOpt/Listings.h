// What titan-opt can say of itself.
#ifndef TITAN_LIB_TOOLS_TITANOPT_LISTINGS_H
#define TITAN_LIB_TOOLS_TITANOPT_LISTINGS_H

#include "llvm/Support/raw_ostream.h"

namespace mlir::titan {

/// `--list-passes`.
void printPassList(llvm::raw_ostream &output);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_LISTINGS_H
