// The way of one graph through the stages.
#ifndef TITAN_LIB_TOOLS_TITANOPT_SESSION_H
#define TITAN_LIB_TOOLS_TITANOPT_SESSION_H

#include "Driver.h"

#include "titan/Import/Import.h"
#include "titan/Report/PlanFile.h"
#include "titan/Report/Report.h"
#include "titan/Transforms/Observer.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include <future>

namespace mlir {
class PassManager;

namespace titan {

/// Listens to the passes, for the user and for the report.
class Listener : public PassObserver {
public:
  Listener(Report &report, bool isQuiet) : report(report), isQuiet(isQuiet) {}

  void info(llvm::StringRef message) override;
  void warning(llvm::StringRef message) override;
  void counted(llvm::StringRef name,
               llvm::ArrayRef<std::pair<std::string, int64_t>> counts) override;
  void planned(const PlanSummary &summary) override;

private:
  Report &report;
  bool isQuiet;
};

/// One graph: import, joint passes, partition, the user's passes, emission, in
/// this order, each a method. Errors are diagnostics of the context or have
/// been printed; `getFailure` says what kind they are.
class Session {
public:
  Session(const Options &options, const MlirOptMainConfig &config,
          const RunInputs &inputs, std::shared_ptr<llvm::SourceMgr> source,
          MLIRContext *context, TimingScope &timing);
  ~Session();

  /// Runs all stages. The result goes to \p stream, the report to
  /// \p reportStream, which may be null.
  LogicalResult run(llvm::raw_ostream &stream, llvm::raw_ostream *reportStream);

  ExitCode getFailure() const { return failureCode; }

private:
  LogicalResult read();
  LogicalResult readMlir();
  /// What was read and what is written must both read back, if asked for.
  LogicalResult checkRoundTrip();
  LogicalResult transform();
  LogicalResult buildPipeline(PassManager &pipeline);
  void describeSource();
  void completeReport();
  /// After the report, which is about the graph as it was planned.
  LogicalResult lowerToLinalg();
  LogicalResult emit(llvm::raw_ostream &stream);
  LogicalResult emitBytecode(llvm::raw_ostream &stream);
  LogicalResult emitPlan(llvm::raw_ostream &stream);
  /// Into the folder that the user names.
  LogicalResult emitDevice();
  /// The report, the screen, `--explain`.
  LogicalResult tell(llvm::raw_ostream &stream,
                     llvm::raw_ostream *reportStream);
  LogicalResult checkGates(llvm::StringRef json);

  bool isSplit() const;
  /// Whether anything that this run prints needs the report.
  bool needsReport() const;
  /// Whether the report takes the place of the result.
  bool isReportInPlace() const;
  /// Whether the standard output shows the screen in place of the result.
  bool showsScreen() const;
  /// How the result is printed.
  OpPrintingFlags getPrintingFlags() const;
  /// Starts to name the values of the result for the printer, beside the
  /// report, which reads the result too; not where anything could be said of
  /// it.
  void startNaming();
  LogicalResult fail(ExitCode reason) {
    failureCode = reason;
    return failure();
  }

  const Options &options;
  const MlirOptMainConfig &config;
  const RunInputs &inputs;
  std::shared_ptr<llvm::SourceMgr> source;
  MLIRContext *context;
  TimingScope &timing;

  OwningOpRef<Operation *> root;
  /// Whether the user's flags let MLIR use threads.
  bool mayUseThreads;
  /// Whether the result is a graph of PyTorch's ops that was made here: from FX
  /// text, by Titan's passes.
  bool isOwnResult = false;
  /// Resources of the input that no dialect claimed, for the printer.
  FallbackAsmResourceMap resources;
  PassReproducerOptions reproducer;
  Report report;
  Listener listener;
  /// Of the graph as it was read; only for `--emit=plan`.
  GraphSignature signature;
  /// Of the graph as it was read, while it is made.
  std::future<std::string> fingerprint;
  /// Of the result, while they are given.
  std::future<std::unique_ptr<AsmState>> names;
  ExitCode failureCode = kExitInput;
};

} // namespace titan
} // namespace mlir

#endif // TITAN_LIB_TOOLS_TITANOPT_SESSION_H
