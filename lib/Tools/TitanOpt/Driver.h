// One run of titan-opt over one input, after the command line is parsed.
#ifndef TITAN_LIB_TOOLS_TITANOPT_DRIVER_H
#define TITAN_LIB_TOOLS_TITANOPT_DRIVER_H

#include "titan/Config/JobConfig.h"
#include "titan/Report/Gate.h"
#include "titan/Tools/CommandLine/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <vector>

namespace mlir::titan {

class OutputFile;

/// What a run holds for all its chunks, read from files that options name.
struct RunInputs {
  JobConfig jobConfig;
  /// The text of `--graph-info`, empty for none.
  std::string graphInfo;
  std::vector<Gate> gates;
};

/// Imports, runs passes and emits, chunk by chunk where the input is split.
class Driver {
public:
  Driver(const Options &options, const MlirOptMainConfig &config,
         DialectRegistry &registry);
  ~Driver();

  /// Reads the input, writes the result. Everything that goes wrong has been
  /// said on the standard error stream when this returns.
  ExitCode run();

private:
  /// Reads what options name besides the input.
  bool readInputs();
  bool openOutputs();
  ExitCode list(std::unique_ptr<llvm::MemoryBuffer> input);
  /// Makes every output final.
  ExitCode commit();

  /// Runs one chunk of the input and prints the result to \p stream. Failure is
  /// kept in `code`.
  LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> chunk,
                        llvm::raw_ostream &stream, TimingScope &timing);

  /// Remembers the first reason to fail.
  LogicalResult fail(ExitCode reason = kExitInput) {
    if (code == kExitDone)
      code = reason;
    return failure();
  }

  const Options &options;
  const MlirOptMainConfig &config;
  DialectRegistry &registry;
  RunInputs inputs;
  std::unique_ptr<OutputFile> output;
  /// Null without `--report`, and where the report takes the place of the
  /// result.
  std::unique_ptr<OutputFile> reportFile;
  ExitCode code = kExitDone;
};

/// Says what is wrong.
void printError(const Twine &message);

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_DRIVER_H
