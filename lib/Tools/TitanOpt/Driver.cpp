#include "Driver.h"

#include "CrashReproducer.h"
#include "OutputFile.h"
#include "Session.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::titan;

void mlir::titan::printError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "titan-opt") << message << "\n";
}

Driver::Driver(const Options &options, const MlirOptMainConfig &config,
               DialectRegistry &registry)
    : options(options), config(config), registry(registry) {}

Driver::~Driver() = default;

/// Opens \p path; null with a message if that is not possible.
static std::unique_ptr<llvm::MemoryBuffer> openInput(StringRef path) {
  llvm::sys::fs::file_status status;
  if (path != "-" && !llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::directory_file) {
    printError("cannot read '" + path + "': it is a directory");
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    printError("cannot read '" + path + "': " + buffer.getError().message());
    return nullptr;
  }
  return std::move(*buffer);
}

/// Streams remarks where the user's flags say.
static LogicalResult enableRemarks(MLIRContext &context,
                                   const MlirOptMainConfig &config) {
  if (!config.shouldEmitRemarks())
    return success();
  // A kind without a filter of its own follows the filter of all: the engine
  // leaves it out only where there is no string at all.
  remark::RemarkCategories categories{
      config.getRemarksAllFilter(), config.getRemarksPassedFilter(),
      config.getRemarksMissedFilter(), config.getRemarksAnalyseFilter(),
      config.getRemarksFailedFilter()};
  std::unique_ptr<remark::detail::RemarkEmittingPolicyBase> policy;
  if (config.getRemarkPolicy() == RemarkPolicy::REMARK_POLICY_ALL)
    policy = std::make_unique<remark::RemarkEmittingPolicyAll>();
  else
    policy = std::make_unique<remark::RemarkEmittingPolicyFinal>();
  if (config.getRemarkFormat() == RemarkFormat::REMARK_FORMAT_STDOUT)
    return remark::enableOptimizationRemarks(context, /*streamer=*/nullptr,
                                             std::move(policy), categories,
                                             /*printAsEmitRemarks=*/true);
  bool isYaml = config.getRemarkFormat() == RemarkFormat::REMARK_FORMAT_YAML;
  std::string file = config.getRemarksOutputFile();
  if (file.empty())
    file = isYaml ? "mlir-remarks.yaml" : "mlir-remarks.bitstream";
  return remark::enableOptimizationRemarksWithLLVMStreamer(
      context, file,
      isYaml ? llvm::remarks::Format::YAML : llvm::remarks::Format::Bitstream,
      std::move(policy), categories);
}

bool Driver::readInputs() {
  for (const std::string &expression : options.failIf) {
    llvm::Expected<Gate> gate = parseGate(expression);
    if (!gate) {
      printError("'--fail-if': " + toString(gate.takeError()));
      return false;
    }
    inputs.gates.push_back(*gate);
  }
  if (!options.graphInfo.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> text = openInput(options.graphInfo);
    if (!text)
      return false;
    inputs.graphInfo = text->getBuffer().str();
  }
  if (options.jobConfig.empty())
    return true;
  std::unique_ptr<llvm::MemoryBuffer> text = openInput(options.jobConfig);
  if (!text)
    return false;
  std::vector<std::string> warnings;
  llvm::Expected<JobConfig> config =
      parseJobConfig(text->getBuffer(), options.jobConfig, warnings);
  for (const std::string &warning : warnings)
    llvm::WithColor::warning(llvm::errs(), "titan-opt") << warning << "\n";
  if (!config) {
    printError(toString(config.takeError()));
    return false;
  }
  inputs.jobConfig = std::move(*config);
  return true;
}

bool Driver::openOutputs() {
  std::string error;
  if (!options.emitsDeviceCode())
    output = OutputFile::open(options.output, error);
  if (error.empty() && !options.report.empty() && options.report != "-")
    reportFile = OutputFile::open(options.report, error);
  if (error.empty())
    return true;
  printError(error);
  return false;
}

ExitCode Driver::run() {
  bool isSplit = !config.inputSplitMarker().empty();
  if (isSplit && (!options.report.empty() || !options.failIf.empty() ||
                  !options.explain.empty() || options.emit == "plan" ||
                  options.emitsDeviceCode())) {
    printError("a report, an explanation, a gate, a plan or code is about one "
               "graph: leave out '--split-input-file'");
    return kExitUsage;
  }
  if (!readInputs())
    return kExitUsage;
  std::unique_ptr<llvm::MemoryBuffer> input = openInput(options.input);
  if (!input)
    return kExitInput;
  setReproducerInput(input->getBuffer());
  if (options.listing == Listing::Graphs)
    return list(std::move(input));
  if (!openOutputs())
    return kExitUsage;

  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  if (options.timing)
    timingManager.setEnabled(true);
  TimingScope timing = timingManager.getRootScope();
  auto processChunk = [&](std::unique_ptr<llvm::MemoryBuffer> chunk,
                          raw_ostream &stream) {
    return process(std::move(chunk), stream, timing);
  };
  raw_ostream &stream = output ? output->os() : llvm::nulls();
  if (failed(splitAndProcessBuffer(std::move(input), processChunk, stream,
                                   config.inputSplitMarker(),
                                   config.outputSplitMarker())))
    (void)fail();
  setReproducerInput("");
  // A gate judges a result that is complete.
  if (code != kExitDone && code != kExitGate)
    return code;
  TimingScope writing = timing.nest("Write");
  return commit();
}

ExitCode Driver::commit() {
  for (OutputFile *file : {output.get(), reportFile.get()}) {
    if (!file)
      continue;
    if (std::string error = file->commit(); !error.empty()) {
      printError(error);
      return kExitInput;
    }
  }
  return code;
}

LogicalResult Driver::process(std::unique_ptr<llvm::MemoryBuffer> chunk,
                              raw_ostream &stream, TimingScope &timing) {
  MLIRContext context(registry);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  tracing::InstallDebugHandler debugHandler(context, config.getDebugConfig());

  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(chunk), SMLoc());
  raw_ostream *reportStream = reportFile ? &reportFile->os() : nullptr;
  if (config.shouldVerifyDiagnostics()) {
    // The op would come as a note that no test expects.
    context.printOpOnDiagnostic(false);
    SourceMgrDiagnosticVerifierHandler handler(*source, &context,
                                               config.verifyDiagnosticsLevel());
    if (failed(enableRemarks(context, config)))
      return fail(kExitUsage);
    // What fails here is expected to: only the comparison counts.
    Session session(options, config, inputs, source, &context, timing);
    (void)session.run(stream, reportStream);
    return succeeded(handler.verify()) ? success() : fail();
  }
  SourceMgrDiagnosticHandler handler(*source, &context);
  if (failed(enableRemarks(context, config)))
    return fail(kExitUsage);
  Session session(options, config, inputs, source, &context, timing);
  if (succeeded(session.run(stream, reportStream)))
    return success();
  // The result of a run that only a gate stopped is good.
  LogicalResult result = fail(session.getFailure());
  return session.getFailure() == kExitGate ? success() : result;
}

ExitCode Driver::list(std::unique_ptr<llvm::MemoryBuffer> input) {
  MLIRContext context(registry);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(input), SMLoc());
  SourceMgrDiagnosticHandler handler(source, &context);
  FailureOr<std::vector<GraphEntry>> graphs = listGraphs(source, &context);
  if (failed(graphs))
    return kExitInput;
  for (auto [index, graph] : llvm::enumerate(*graphs)) {
    llvm::outs() << index << "  " << graph.name << "  line " << graph.line
                 << "  " << graph.bytes << " bytes";
    if (graph.rank)
      llvm::outs() << "  rank " << *graph.rank;
    if (!graph.compileId.empty())
      llvm::outs() << "  compile " << graph.compileId;
    llvm::outs() << "\n";
  }
  return kExitDone;
}
