// A torchtitan job configuration, as far as the compiler obeys it.
#ifndef TITAN_CONFIG_JOBCONFIG_H
#define TITAN_CONFIG_JOBCONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::titan {

/// What a job configuration says. An option is none where the file does not
/// have its key. Keys are those of the file: `compile.joint_passes`.
struct JobConfig {
  struct Compile {
    /// Registry names, in order; the file's text, not looked up.
    std::optional<std::vector<std::string>> jointPasses;
    std::optional<std::vector<std::string>> passes;
    std::optional<std::string> memoryPolicy;
    /// Selectors `MODULE_PATTERN::OP` with bars between.
    std::optional<std::string> fullRecomputeSaveOps;
  };
  struct ActivationCheckpoint {
    /// `none`, `selective`, `full` or `memory_budget`.
    std::optional<std::string> mode;
  };
  struct Parallelism {
    /// `always`, `never` or `default`; the file's text, not looked at.
    std::optional<std::string> fsdpReshardAfterForward;
    std::optional<int64_t> pipelineParallelDegree;
  };
  Compile compile;
  ActivationCheckpoint activationCheckpoint;
  Parallelism parallelism;
};

/// Reads \p text, JSON where it starts with a brace, TOML else. Keys that
/// torchtitan does not have go to \p warnings, a line each with the nearest
/// known key; keys that it has and the compiler does not read are passed over.
/// Errors name \p fileName and the line, for a value of the wrong type the
/// key's path.
llvm::Expected<JobConfig> parseJobConfig(llvm::StringRef text,
                                         llvm::StringRef fileName,
                                         std::vector<std::string> &warnings);

} // namespace mlir::titan

#endif // TITAN_CONFIG_JOBCONFIG_H
