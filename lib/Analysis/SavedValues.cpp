#include "titan/Analysis/SavedValues.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

using namespace mlir;
using namespace mlir::titan;

FailureOr<SmallVector<SavedPair>>
titan::matchSavedValues(func::FuncOp forward, func::FuncOp backward) {
  SmallVector<unsigned> results;
  SmallVector<unsigned> symbols;
  for (unsigned i = 0, e = forward.getNumResults(); i < e; ++i)
    if (getResultRole(forward, i) == Role::Saved)
      (isSymbolicNumberType(forward.getResultTypes()[i]) ? symbols : results)
          .push_back(i);
  results.insert(results.begin(), symbols.begin(), symbols.end());

  SmallVector<SavedPair> pairs;
  for (unsigned i = 0, e = backward.getNumArguments(); i < e; ++i) {
    if (getArgumentRole(backward, i) != Role::Saved)
      continue;
    if (pairs.size() == results.size())
      return failure();
    unsigned result = results[pairs.size()];
    if (forward.getResultTypes()[result] != backward.getArgumentTypes()[i])
      return failure();
    pairs.push_back({result, i});
  }
  if (pairs.size() != results.size())
    return failure();
  return pairs;
}
