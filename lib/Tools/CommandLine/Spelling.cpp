#include "Spelling.h"

#include "llvm/ADT/StringRef.h"

using namespace mlir::titan;

std::string mlir::titan::suggest(const std::string &word,
                                 const std::vector<std::string> &known,
                                 const std::string &prefix) {
  // A third of the letters may be wrong; more would be a guess.
  unsigned best = std::max<size_t>(1, word.size() / 3) + 1;
  const std::string *nearest = nullptr;
  for (const std::string &candidate : known) {
    unsigned distance = llvm::StringRef(word).edit_distance(
        candidate, /*AllowReplacements=*/true, best);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest ? "; did you mean '" + prefix + *nearest + "'?" : "";
}
