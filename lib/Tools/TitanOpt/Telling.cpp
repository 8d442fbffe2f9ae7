// The last stage: the result, the report, and what the user reads of them.
#include "Session.h"

#include "titan/Analysis/Tags.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Report/CollectReport.h"
#include "titan/Report/Explain.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::titan;

/// Whether the result goes to the standard output.
static bool printsResult(const Options &options) {
  return options.output.empty() || options.output == "-";
}

bool Session::isReportInPlace() const {
  return options.report == "-" && printsResult(options);
}

bool Session::showsScreen() const {
  return isSplit() && !options.quiet && options.output.empty() &&
         options.emit.empty() && options.report != "-" &&
         !config.shouldEmitBytecode() && !config.shouldVerifyDiagnostics() &&
         llvm::sys::Process::StandardOutIsDisplayed();
}

void Session::completeReport() {
  auto module = dyn_cast<ModuleOp>(*root);
  if (!module || !needsReport())
    return;
  if (fingerprint.valid())
    report.input.fingerprint = fingerprint.get();
  if (report.partition) {
    report.partition->partitioner = options.partitioner;
    report.partition->compat = options.compat;
    countWork(module, *report.partition);
  } else if (FunctionOpInterface joint = getJointFunction(module)) {
    report.tags = collectTags(joint);
  }
  report.peak = findPeak(module);
}

LogicalResult Session::emit(raw_ostream &stream) {
  if (options.emit == "plan")
    return emitPlan(stream);
  if (options.emitsDeviceCode())
    return emitDevice();
  if (options.emit == "bytecode" || config.shouldEmitBytecode())
    return emitBytecode(stream);
  if (options.emit == "fx") {
    auto module = dyn_cast<ModuleOp>(*root);
    if (!module) {
      printError("'--emit=fx' needs a module, found '" +
                 root->getName().getStringRef() + "'");
      return failure();
    }
    return writeFx(module, stream);
  }
  if (options.emit == "linalg" && failed(lowerToLinalg()))
    return failure();
  OpPrintingFlags flags = getPrintingFlags();
  auto state = names.valid() ? names.get()
                             : std::make_unique<AsmState>(*root, flags, nullptr,
                                                          &resources);
  root->print(stream, *state);
  stream << (flags.shouldUseLocalScope() ? "\n\n" : "\n");
  return success();
}

void Session::startNaming() {
  OpPrintingFlags flags = getPrintingFlags();
  bool isText = options.emit.empty() || options.emit == "mlir";
  if (!mayUseThreads || !isText || config.shouldEmitBytecode() ||
      !needsReport() || showsScreen() || isReportInPlace() ||
      !flags.shouldAssumeVerified() || !flags.shouldUseLocalScope())
    return;
  // Two threads read the result from here on.
  context->enableMultithreading();
  // The session lets go of the result before it waits for the names.
  names = std::async(std::launch::async, [this, flags, result = *root] {
    return std::make_unique<AsmState>(result, flags, nullptr, &resources);
  });
}

OpPrintingFlags Session::getPrintingFlags() const {
  OpPrintingFlags flags;
  // The printer verifies what nobody vouches for, to fall back to a form that
  // any IR has. The passes' last verification vouches for all.
  if (config.shouldVerifyOnParsing() && config.shouldVerifyPasses())
    flags.assumeVerified();
  // Attributes that MLIR prints under an alias (affine maps and the like,
  // locations where they are asked for) are in no graph that Titan made. The
  // search for them would take a third of the time; in a local scope there is
  // none, nor a line break of the printer's own at the end.
  if (isOwnResult && !flags.shouldPrintDebugInfo())
    flags.useLocalScope();
  return flags;
}

LogicalResult Session::emitBytecode(raw_ostream &stream) {
  BytecodeWriterConfig writer(resources, "titan " TITAN_VERSION);
  if (std::optional<int64_t> version = config.bytecodeVersionToEmit())
    writer.setDesiredBytecodeVersion(*version);
  if (config.shouldElideResourceDataFromBytecode())
    writer.setElideResourceDataFlag();
  return writeBytecodeToFile(*root, stream, writer);
}

/// Every value that the forward computes and the backward needs, with what the
/// plan says of it. The others have no fate: to tag them would ask PyTorch to
/// compute again what nobody reads.
static std::vector<PlannedValue> collectValues(func::FuncOp forward,
                                               func::FuncOp backward,
                                               const PlanSummary &plan) {
  llvm::StringSet<> saved, recomputed;
  for (const PlanSummary::Saved &entry : plan.saved)
    saved.insert(entry.name);
  for (Operation &op : backward.getBody().front())
    for (Value result : op.getResults())
      if (!result.use_empty())
        recomputed.insert(getSourceName(result));
  std::vector<PlannedValue> values;
  for (Operation &op : forward.getBody().front())
    for (Value result : op.getResults())
      if (StringRef name = getSourceName(result);
          !name.empty() && (saved.contains(name) || recomputed.contains(name)))
        values.push_back({name.str(), saved.contains(name)});
  return values;
}

LogicalResult Session::emitPlan(raw_ostream &stream) {
  auto module = dyn_cast<ModuleOp>(*root);
  func::FuncOp forward = module ? getForwardFunction(module) : func::FuncOp();
  func::FuncOp backward = module ? getBackwardFunction(module) : func::FuncOp();
  if (!forward || !backward || !report.partition) {
    printError("'--emit=plan' found no partition to write");
    return failure();
  }
  stream << toPlanJson(
      signature, report,
      collectValues(forward, backward, report.partition->plan));
  return success();
}

/// Where a report to the file \p name goes: the format is in the name.
static bool isTextReport(StringRef name) { return name.ends_with(".txt"); }

LogicalResult Session::tell(raw_ostream &stream, raw_ostream *reportStream) {
  std::string json;
  if (!options.failIf.empty() || reportStream || options.report == "-")
    json = toJson(report);
  if (reportStream)
    *reportStream << (isTextReport(options.report) ? toScreen(report) : json);
  if (options.report == "-")
    (printsResult(options) ? stream : llvm::outs()) << json;

  raw_ostream &screen = showsScreen() ? stream : llvm::errs();
  bool isSilent = options.quiet || config.shouldVerifyDiagnostics();
  if (!options.explain.empty()) {
    auto module = dyn_cast<ModuleOp>(*root);
    if (!module || !report.partition) {
      printError("'--explain' found no partition to explain");
      return failure();
    }
    llvm::Expected<std::string> text =
        explainValue(module, report.partition->plan, options.explain);
    if (!text) {
      printError("'--explain': " + toString(text.takeError()));
      return fail(kExitUsage);
    }
    screen << *text;
  } else if (isSplit() && !isSilent && options.report != "-") {
    screen << toScreen(report);
  }
  return options.failIf.empty() ? success() : checkGates(json);
}

LogicalResult Session::checkGates(StringRef json) {
  bool isFulfilled = false;
  for (const Gate &gate : inputs.gates) {
    llvm::Expected<std::optional<std::string>> verdict =
        evaluateGate(gate, json);
    if (!verdict) {
      printError("'--fail-if': " + toString(verdict.takeError()));
      return fail(kExitUsage);
    }
    if (!*verdict)
      continue;
    printError("gate failed: " + **verdict);
    isFulfilled = true;
  }
  return isFulfilled ? fail(kExitGate) : success();
}
