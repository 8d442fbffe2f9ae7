// Suggestions for words that are almost right.
#ifndef TITAN_LIB_TOOLS_COMMANDLINE_SPELLING_H
#define TITAN_LIB_TOOLS_COMMANDLINE_SPELLING_H

#include <string>
#include <vector>

namespace mlir::titan {

/// `; did you mean 'X'?` for the nearest of \p known, the first of equals;
/// empty if none is near.
std::string suggest(const std::string &word,
                    const std::vector<std::string> &known,
                    const std::string &prefix = "");

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_COMMANDLINE_SPELLING_H
