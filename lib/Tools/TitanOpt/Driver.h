// One run of titan-opt over one input, after the command line is parsed.
#ifndef TITAN_LIB_TOOLS_TITANOPT_DRIVER_H
#define TITAN_LIB_TOOLS_TITANOPT_DRIVER_H

#include "titan/Tools/CommandLine/CommandLine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace mlir {
class FallbackAsmResourceMap;
struct PassReproducerOptions;

namespace titan {

/// Imports, runs passes and emits, chunk by chunk where the input is split.
class Driver {
public:
  Driver(const Options &options, const MlirOptMainConfig &config,
         DialectRegistry &registry)
      : options(options), config(config), registry(registry) {}

  /// Reads the input, writes the result. Everything that goes wrong has been
  /// said on the standard error stream when this returns.
  ExitCode run();

private:
  ExitCode list(std::unique_ptr<llvm::MemoryBuffer> input);

  /// Runs one chunk of the input and prints the result to \p output. Failure is
  /// kept in `code`.
  LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> chunk,
                        llvm::raw_ostream &output, TimingScope &timing);
  LogicalResult transform(const std::shared_ptr<llvm::SourceMgr> &source,
                          MLIRContext *context, llvm::raw_ostream &output,
                          TimingScope &timing);
  /// \p resources keeps what dialects did not claim, for the printer.
  OwningOpRef<Operation *> read(const std::shared_ptr<llvm::SourceMgr> &source,
                                MLIRContext *context,
                                FallbackAsmResourceMap &resources,
                                PassReproducerOptions &reproducer);
  /// Reads a graph in PyTorch's own text.
  OwningOpRef<Operation *> readGraph(llvm::SourceMgr &source,
                                     MLIRContext *context);
  LogicalResult emit(Operation *module, FallbackAsmResourceMap &resources,
                     llvm::raw_ostream &output);

  /// Remembers the first reason to fail.
  LogicalResult fail(ExitCode reason = kExitInput) {
    if (code == kExitDone)
      code = reason;
    return failure();
  }

  const Options &options;
  const MlirOptMainConfig &config;
  DialectRegistry &registry;
  ExitCode code = kExitDone;
};

/// Whether \p module prints and parses to itself, as text and as bytecode; says
/// so if not.
LogicalResult verifyRoundTrip(Operation *module, bool useExplicitModule);

} // namespace titan
} // namespace mlir

#endif // TITAN_LIB_TOOLS_TITANOPT_DRIVER_H
