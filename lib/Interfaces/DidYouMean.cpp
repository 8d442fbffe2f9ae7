#include "titan/Interfaces/DidYouMean.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using llvm::StringRef;

StringRef titan::findNearest(StringRef word, llvm::ArrayRef<StringRef> known) {
  StringRef nearest;
  unsigned bound = (word.size() + 2) / 3;
  for (StringRef candidate : known) {
    unsigned distance = word.edit_distance_insensitive(
        candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/bound);
    if (distance > bound || (!nearest.empty() && distance == bound))
      continue;
    nearest = candidate;
    bound = distance;
  }
  return nearest;
}

std::string titan::didYouMean(StringRef word, llvm::ArrayRef<StringRef> known) {
  StringRef nearest = findNearest(word, known);
  if (nearest.empty())
    return {};
  return ("; did you mean '" + nearest + "'?").str();
}
