// What apply_sac does once every op has a tag: values that a later layer reads
// to recompute are saved, so that recomputation ends where its layer begins.
#include "SacTagger.h"

#include "titan/Analysis/Tags.h"

using namespace mlir;
using namespace mlir::titan;

static bool isRecomputed(std::optional<Policy> policy) {
  return policy == Policy::MustRecompute || policy == Policy::PreferRecompute;
}

static int64_t getLayer(Operation *op) {
  return titan::getLayer(getModulePath(op));
}

// Ops outside all layers come before the first layer; the last norm, outside
// all layers too, therefore makes no boundary behind the last one.
bool SacTagger::feedsLaterLayer(Value value, int64_t layer) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !backward.contains(user) && isRecomputed(getPolicy(user)) &&
           ::getLayer(user) > layer;
  });
}

void SacTagger::saveBoundaries() {
  for (Operation &op : joint.getFunctionBody().front().without_terminator()) {
    if (backward.contains(&op))
      continue;
    int64_t layer = ::getLayer(&op);
    // Of a tuple the elements are read, never the tuple.
    bool isWhole = !isTuple(&op);
    for (OpResult result : op.getResults()) {
      if (!isRecomputed(isWhole ? getPolicy(&op) : getResultPolicy(result)) ||
          !feedsLaterLayer(result, layer))
        continue;
      ++counts.forced;
      if (isWhole)
        setPolicy(&op, Policy::MustSave);
      else
        setResultTag(result, Policy::MustSave, getResultAcGraphId(result));
    }
  }
}

void SacTagger::count() {
  for (Operation &op : joint.getFunctionBody().front().without_terminator()) {
    auto &[numSaved, numRecomputed] = counts.layers[::getLayer(&op)];
    forEachTag(&op, [&](const NodeTag &tag) {
      ++counts.tagged[tag.policy];
      ++(tag.policy == Policy::MustSave ? numSaved : numRecomputed);
    });
  }
  std::erase_if(counts.layers, [](const auto &entry) {
    return entry.second == std::pair<int64_t, int64_t>();
  });
}
