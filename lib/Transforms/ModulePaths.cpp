#include "ModulePaths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using llvm::StringRef;

int64_t titan::getLayer(StringRef path) {
  auto [container, rest] = path.split('.');
  int64_t layer;
  if (container != "layers" || rest.split('.').first.getAsInteger(10, layer))
    return kNoLayer;
  return layer;
}

static bool matchesComponent(StringRef component, StringRef pattern) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (glob)
    return glob->match(component);
  // A pattern that is none (an open bracket) stands for itself.
  llvm::consumeError(glob.takeError());
  return component == pattern;
}

bool titan::matchesModulePattern(StringRef path, StringRef pattern) {
  llvm::SmallVector<StringRef> components, patterns;
  path.split(components, '.');
  pattern.split(patterns, '.');
  return components.size() == patterns.size() &&
         llvm::all_of(llvm::zip(components, patterns), [](auto pair) {
           return matchesComponent(std::get<0>(pair), std::get<1>(pair));
         });
}
