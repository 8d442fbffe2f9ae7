// What LLVM's option parser and MLIR's pass parser write to the standard error
// stream, put into the driver's own words.
#ifndef TITAN_LIB_TOOLS_TITANOPT_OPTIONERRORS_H
#define TITAN_LIB_TOOLS_TITANOPT_OPTIONERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::titan {

/// Runs \p action and returns what it wrote to the standard error stream, which
/// it does not reach. Where there is no file to keep it in, it reaches the
/// stream and nothing is returned.
std::string captureErrors(llvm::function_ref<void()> action);

/// What \p text, as captured, says of an option of a pass, as a clause:
/// "unknown value 'x' of 'stop'". Empty if it says nothing of one.
std::string describeOptionError(llvm::StringRef text);

/// Puts \p clause into \p message, before its remedy.
std::string addCause(llvm::StringRef message, llvm::StringRef clause);

/// The error for \p text, which the setup of MLIR's passes wrote: one line of
/// the driver's where an option of a pass was wrong, else empty.
std::string describePassError(llvm::StringRef text);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_OPTIONERRORS_H
