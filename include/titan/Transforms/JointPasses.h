// The joint passes under the names that torchtitan gives them, and the pipeline
// that a user's choice of them makes.
#ifndef TITAN_TRANSFORMS_JOINTPASSES_H
#define TITAN_TRANSFORMS_JOINTPASSES_H

#include "titan/Config/JobConfig.h"
#include "titan/Transforms/Observer.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// What a user chooses of the passes on the joint function. Texts are as the
/// user wrote them; empty means not given.
struct JointPassOptions {
  /// Registry names, each perhaps with options in braces: `apply_sac{stop=none
  /// inherit=getitem,wait}`.
  std::vector<std::string> jointPasses;
  /// Registry names of the passes on the forward and the backward function.
  std::vector<std::string> compilerPasses;
  /// `default`, `full` or `eager`.
  std::string memoryPolicy;
  /// Ops that apply_sac saves, in place of its save set.
  std::vector<std::string> saveOps;
  /// Selectors `MODULE_PATTERN::OP` with bars between.
  std::string fullRecomputeSaveOps;
  /// `always`, `never` or `default`.
  std::string reshardAfterForward;
  /// The mode of eager activation checkpointing that the job names.
  std::string acMode;
  /// The job is split into pipeline stages.
  bool hasPipeline = false;
};

/// Splits a list at its commas, but not inside braces: `a{b=1,2},c`.
llvm::Expected<std::vector<std::string>> splitPassList(llvm::StringRef text);

/// Fills what \p options leaves open from \p config: flags win over the file.
void applyJobConfig(JointPassOptions &options, const JobConfig &config);

/// A pass of the registry.
struct JointPassEntry {
  llvm::StringLiteral name;
  /// The pass in MLIR's registry, which has its description.
  llvm::StringLiteral argument;
};

/// The registry, in the order in which errors list it.
llvm::ArrayRef<JointPassEntry> getJointPasses();
/// The names of the passes on the two functions, in the same sense.
llvm::ArrayRef<llvm::StringLiteral> getCompilerPasses();

/// Adds the joint passes that \p options choose to \p manager, which runs on
/// modules: decompositions first, the user's list in its order, the decision on
/// gathered parameters last. A memory policy is apply_sac with the policy's
/// options, at its place in the list or, if it is not listed, behind the list;
/// the decision on gathered parameters is then the policy's. Wherever apply_sac
/// runs, the tags of eager checkpointing go before it.
///
/// Every choice is checked first, those for compiler passes included; errors
/// have torchtitan's texts and are errors of the command line. Loads the
/// dialects whose ops the user may name. \p observer hears what the passes say
/// and must outlive them; null: stderr does.
llvm::Error buildJointPassPipeline(OpPassManager &manager, MLIRContext *context,
                                   const JointPassOptions &options,
                                   PassObserver *observer);

} // namespace mlir::titan

#endif // TITAN_TRANSFORMS_JOINTPASSES_H
