#include "Driver.h"

#include "CrashReproducer.h"
#include "OutputFile.h"

#include "titan/Import/Import.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::titan;

static void report(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "titan-opt") << message << "\n";
}

/// Opens the input; null with a message if that is not possible.
static std::unique_ptr<llvm::MemoryBuffer> openInput(StringRef path) {
  llvm::sys::fs::file_status status;
  if (path != "-" && !llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::directory_file) {
    report("cannot read '" + path + "': it is a directory");
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    report("cannot read '" + path + "': " + buffer.getError().message());
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

ExitCode Driver::run() {
  std::unique_ptr<llvm::MemoryBuffer> input = openInput(options.input);
  if (!input)
    return kExitInput;
  setReproducerInput(input->getBuffer());
  if (options.listing == Listing::Graphs)
    return list(std::move(input));

  std::string error;
  std::unique_ptr<OutputFile> output = OutputFile::open(options.output, error);
  if (!output) {
    report(error);
    return kExitUsage;
  }
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  if (options.timing)
    timingManager.setEnabled(true);
  TimingScope timing = timingManager.getRootScope();

  auto processChunk = [&](std::unique_ptr<llvm::MemoryBuffer> chunk,
                          raw_ostream &stream) {
    return process(std::move(chunk), stream, timing);
  };
  if (failed(splitAndProcessBuffer(std::move(input), processChunk, output->os(),
                                   config.inputSplitMarker(),
                                   config.outputSplitMarker())))
    (void)fail();
  setReproducerInput("");
  if (code != kExitDone)
    return code;
  TimingScope writing = timing.nest("Write");
  if (std::string error = output->commit(); !error.empty()) {
    report(error);
    return kExitInput;
  }
  return code;
}

LogicalResult Driver::process(std::unique_ptr<llvm::MemoryBuffer> chunk,
                              raw_ostream &output, TimingScope &timing) {
  MLIRContext context(registry);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  tracing::InstallDebugHandler debugHandler(context, config.getDebugConfig());

  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(chunk), SMLoc());
  if (config.shouldVerifyDiagnostics()) {
    // The op would come as a note that no test expects.
    context.printOpOnDiagnostic(false);
    SourceMgrDiagnosticVerifierHandler handler(*source, &context,
                                               config.verifyDiagnosticsLevel());
    if (failed(enableRemarks(context, config)))
      return fail(kExitUsage);
    // What fails here is expected to: only the comparison counts.
    ExitCode before = code;
    (void)transform(source, &context, output, timing);
    code = before;
    return succeeded(handler.verify()) ? success() : fail();
  }
  SourceMgrDiagnosticHandler handler(*source, &context);
  if (failed(enableRemarks(context, config)))
    return fail(kExitUsage);
  return transform(source, &context, output, timing);
}

LogicalResult Driver::transform(const std::shared_ptr<llvm::SourceMgr> &source,
                                MLIRContext *context, raw_ostream &output,
                                TimingScope &timing) {
  PassReproducerOptions reproducer;
  TimingScope reading = timing.nest("Import");
  FallbackAsmResourceMap resources;
  OwningOpRef<Operation *> module =
      read(source, context, resources, reproducer);
  reading.stop();
  if (!module)
    return fail();
  if (config.shouldVerifyRoundtrip() &&
      failed(verifyRoundTrip(*module, config.shouldUseExplicitModule())))
    return fail();

  PassManager pipeline((*module)->getName(), PassManager::Nesting::Implicit);
  pipeline.enableVerifier(config.shouldVerifyPasses());
  if (failed(applyPassManagerCLOptions(pipeline)))
    return fail(kExitUsage);
  pipeline.enableTiming(timing);
  if (config.shouldRunReproducer() && failed(reproducer.apply(pipeline)))
    return fail(kExitUsage);
  if (failed(config.setupPassPipeline(pipeline)))
    return fail(kExitUsage);
  if (config.shouldDumpPassPipeline()) {
    pipeline.dump();
    llvm::errs() << "\n";
  }
  if (failed(pipeline.run(*module)))
    return fail();

  if (!config.getReproducerFilename().empty())
    makeReproducer(
        pipeline.getOpName() ? *pipeline.getOpName() : StringRef("any"),
        pipeline.getPasses(), *module, config.getReproducerFilename());
  TimingScope emission = timing.nest("Emit");
  return emit(*module, resources, output);
}

OwningOpRef<Operation *> Driver::readGraph(llvm::SourceMgr &source,
                                           MLIRContext *context) {
  ImportOptions import;
  import.numForwardOutputs = options.numForwardOutputs;
  import.graph = options.graph;
  import.allowUnknown = options.allowUnknown;
  OwningOpRef<ModuleOp> module = importGraph(source, context, import);
  if (!module || (config.shouldVerifyOnParsing() && failed(module->verify())))
    return {};
  return module.release().getOperation();
}

OwningOpRef<Operation *>
Driver::read(const std::shared_ptr<llvm::SourceMgr> &source,
             MLIRContext *context, FallbackAsmResourceMap &resources,
             PassReproducerOptions &reproducer) {
  StringRef text =
      source->getMemoryBuffer(source->getMainFileID())->getBuffer();
  InputFormat format = detectFormat(text);
  if (format == InputFormat::FxText || format == InputFormat::TorchTrace)
    return readGraph(*source, context);
  ParserConfig parser(context, config.shouldVerifyOnParsing(), &resources);
  if (config.shouldRunReproducer())
    reproducer.attachResourceParser(parser);
  return parseSourceFileForTool(source, parser,
                                !config.shouldUseExplicitModule());
}

LogicalResult Driver::emit(Operation *module, FallbackAsmResourceMap &resources,
                           raw_ostream &output) {
  if (options.emit == "bytecode" || config.shouldEmitBytecode()) {
    BytecodeWriterConfig writer(resources, "titan " TITAN_VERSION);
    if (std::optional<int64_t> version = config.bytecodeVersionToEmit())
      writer.setDesiredBytecodeVersion(*version);
    if (config.shouldElideResourceDataFromBytecode())
      writer.setElideResourceDataFlag();
    if (failed(writeBytecodeToFile(module, output, writer)))
      return fail();
    return success();
  }
  AsmState state(module, OpPrintingFlags(), nullptr, &resources);
  module->print(output, state);
  output << "\n";
  return success();
}

ExitCode Driver::list(std::unique_ptr<llvm::MemoryBuffer> input) {
  report("'--list-graphs' is not there yet");
  return kExitUsage;
}
