// Values in the middle of a graph, kept for the user.
#ifndef TITAN_LIB_TOOLS_TITANRUN_DUMP_H
#define TITAN_LIB_TOOLS_TITANRUN_DUMP_H

#include "titan/Execution/Interpreter.h"
#include "titan/Execution/Safetensors.h"

#include "llvm/Support/GlobPattern.h"

namespace mlir::titan {

/// Copies the values of the functions that run whose names in the source graph
/// match one of some patterns, each as it was behind the op that made it.
class Dump {
public:
  /// \p folder, if not empty, gets a file `NAME.safetensors` for each value as
  /// soon as it is there; `{rank}` is the rank's number.
  Dump(std::vector<llvm::GlobPattern> patterns, int64_t numRanks,
       StringRef folder);

  bool isWanted(Value value) const;
  /// Failure if a file cannot be written; an error says why.
  LogicalResult addOp(const OpEvent &event);

  /// The values of a rank that no folder took: `value:NAME`, and
  /// `value:NAME@FUNCTION` of one that a later function computed again.
  const TensorMap &getValues(int64_t rank) const { return values[rank]; }

private:
  std::string getKey(Value value, int64_t rank);
  LogicalResult keep(const std::string &key, int64_t rank, Tensor value);

  std::vector<llvm::GlobPattern> patterns;
  std::string folder;
  std::vector<TensorMap> values;
  /// The function that made the value of a key first.
  std::map<std::pair<int64_t, std::string>, Operation *> makers;
};

/// The path of \p rank: `{rank}` in \p path is its number.
std::string getRankPath(StringRef path, int64_t rank);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANRUN_DUMP_H
