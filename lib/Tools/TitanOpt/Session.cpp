#include "Session.h"

#include "OptionErrors.h"
#include "RoundTrip.h"

#include "titan/Analysis/Tags.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Pipelines/TitanPipeline.h"
#include "titan/Report/CollectReport.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::titan;

Session::Session(const Options &options, const MlirOptMainConfig &config,
                 const RunInputs &inputs,
                 std::shared_ptr<llvm::SourceMgr> source, MLIRContext *context,
                 TimingScope &timing)
    : options(options), config(config), inputs(inputs),
      source(std::move(source)), context(context), timing(timing),
      mayUseThreads(context->isMultithreadingEnabled()),
      listener(report, options.quiet) {
  // Import and partition work on one function, in one thread: what they would
  // pay for others, at each attribute, comes to more than the verifier gains
  // by two.
  context->disableMultithreading();
}

Session::~Session() {
  // Where this graph is the only one the process ends here: to free op by op
  // what goes with it would take as long as to import it.
  if (config.inputSplitMarker().empty())
    (void)root.release();
}

bool Session::isSplit() const {
  return !options.partitioner.empty() && options.partitioner != "none";
}

bool Session::needsReport() const {
  return !options.report.empty() || !options.failIf.empty() ||
         options.emit == "plan" || (isSplit() && !options.quiet);
}

LogicalResult Session::run(raw_ostream &stream, raw_ostream *reportStream) {
  TimingScope reading = timing.nest("Import");
  if (failed(read()))
    return failure();
  reading.stop();
  if (failed(checkRoundTrip()))
    return failure();
  describeSource();
  if (failed(transform()) || failed(checkRoundTrip()))
    return failure();
  startNaming();
  TimingScope telling = timing.nest("Report");
  completeReport();
  // What the user asked of the result may turn out to be wrong: before a byte
  // of it is written.
  LogicalResult told = tell(stream, reportStream);
  if (failed(told) && failureCode != kExitGate)
    return failure();
  telling.stop();
  TimingScope emission = timing.nest("Emit");
  if (!showsScreen() && !isReportInPlace() && failed(emit(stream)))
    return failureCode == kExitGate ? fail(kExitInput) : failure();
  return told;
}

LogicalResult Session::checkRoundTrip() {
  if (!config.shouldVerifyRoundtrip())
    return success();
  return verifyRoundTrip(*root, config.shouldUseExplicitModule());
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

static StringRef getFormatName(InputFormat format) {
  switch (format) {
  case InputFormat::Mlir:
    return "mlir";
  case InputFormat::Bytecode:
    return "bytecode";
  case InputFormat::FxText:
    return "fx";
  case InputFormat::TorchTrace:
    return "trace";
  }
  llvm_unreachable("not a format");
}

static InputFormat chooseFormat(StringRef name, StringRef file,
                                StringRef text) {
  InputFormat detected = detectFormat(text);
  if (name == "fx")
    return InputFormat::FxText;
  if (name == "trace")
    return InputFormat::TorchTrace;
  if (detected != InputFormat::Bytecode &&
      (name == "mlir" || file.ends_with(".mlir")))
    return InputFormat::Mlir;
  return detected;
}

LogicalResult Session::read() {
  StringRef text =
      source->getMemoryBuffer(source->getMainFileID())->getBuffer();
  InputFormat format = chooseFormat(options.inputFormat, options.input, text);
  report.input.file = options.input;
  report.input.format = getFormatName(format).str();
  if (format == InputFormat::Mlir || format == InputFormat::Bytecode)
    return readMlir();
  ImportOptions import;
  import.numForwardOutputs = options.numForwardOutputs;
  import.graphInfo = inputs.graphInfo;
  import.graphInfoName = options.graphInfo;
  import.graph = options.graph;
  import.allowUnknown = options.allowUnknown;
  OwningOpRef<ModuleOp> module = importGraph(*source, context, import);
  if (!module)
    return failure();
  root = module.release().getOperation();
  isOwnResult = true;
  if (config.shouldVerifyOnParsing() && failed(mlir::verify(*root)))
    return failure();
  return success();
}

LogicalResult Session::readMlir() {
  ParserConfig parser(context, config.shouldVerifyOnParsing(), &resources);
  if (config.shouldRunReproducer())
    reproducer.attachResourceParser(parser);
  root =
      parseSourceFileForTool(source, parser, !config.shouldUseExplicitModule());
  if (!root)
    return failure();
  auto module = dyn_cast<ModuleOp>(*root);
  if (!module || (inputs.graphInfo.empty() && !options.numForwardOutputs))
    return success();
  ImportOptions import;
  import.numForwardOutputs = options.numForwardOutputs;
  import.graphInfo = inputs.graphInfo;
  import.graphInfoName = options.graphInfo;
  if (failed(applyGraphInfo(module, import)))
    return failure();
  return failure(config.shouldVerifyOnParsing() && failed(mlir::verify(*root)));
}

void Session::describeSource() {
  auto module = dyn_cast<ModuleOp>(*root);
  func::FuncOp function = module ? getMainFunction(module) : func::FuncOp();
  if (!function || !needsReport())
    return;
  describeInput(function, report.input);
  if (options.emit == "plan") {
    signature = describeGraph(function);
    report.input.fingerprint = signature.fingerprint;
    return;
  }
  // The digest reads no IR: it is made beside the passes.
  fingerprint = std::async(
      mayUseThreads ? std::launch::async : std::launch::deferred,
      [lines = writeGraphLines(function)] { return fingerprintLines(lines); });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// Takes the tags off the joint function before the partition, which it does
/// not survive.
class TagKeeper : public PassInstrumentation {
public:
  explicit TagKeeper(Report &report) : report(report) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "titan-partition")
      return;
    if (FunctionOpInterface joint = getJointFunction(op))
      report.tags = collectTags(joint);
  }

private:
  Report &report;
};
} // namespace

static std::vector<std::string> splitAtCommas(StringRef text) {
  std::vector<std::string> items;
  for (StringRef item : llvm::split(text, ","))
    if (!item.trim().empty())
      items.push_back(item.trim().str());
  return items;
}

static PartitionerKind getPartitioner(StringRef name) {
  return llvm::StringSwitch<PartitionerKind>(name)
      .Case("default", PartitionerKind::Default)
      .Case("min-cut", PartitionerKind::MinCut)
      .Default(PartitionerKind::None);
}

static CompatKind getCompat(StringRef name) {
  return llvm::StringSwitch<CompatKind>(name)
      .Case("pytorch", CompatKind::Pytorch)
      .Case("pt2.2", CompatKind::Pytorch22)
      .Default(CompatKind::Titan);
}

/// What the user chose, the command line before the job configuration.
static llvm::Expected<TitanPipelineOptions>
getPipelineOptions(const Options &options, const JobConfig &jobConfig) {
  TitanPipelineOptions result;
  auto jointPasses = splitPassList(options.jointPasses);
  if (!jointPasses)
    return jointPasses.takeError();
  auto compilerPasses = splitPassList(options.passes);
  if (!compilerPasses)
    return compilerPasses.takeError();
  result.joint.jointPasses = std::move(*jointPasses);
  result.joint.compilerPasses = std::move(*compilerPasses);
  result.joint.memoryPolicy = options.memoryPolicy;
  result.joint.saveOps = splitAtCommas(options.sacSaveOps);
  result.joint.fullRecomputeSaveOps = options.fullRecomputeSaveOps;
  result.joint.reshardAfterForward = options.fsdpReshardAfterForward;
  applyJobConfig(result.joint, jobConfig);
  result.partitioner = getPartitioner(options.partitioner);
  result.compat = getCompat(options.compat);
  result.recomputeInPlace = options.recomputeInPlace;
  return result;
}

LogicalResult Session::buildPipeline(PassManager &pipeline) {
  llvm::Expected<TitanPipelineOptions> chosen =
      getPipelineOptions(options, inputs.jobConfig);
  if (!chosen) {
    printError(toString(chosen.takeError()));
    return fail(kExitUsage);
  }
  std::string message;
  std::string said = captureErrors([&] {
    message =
        toString(buildTitanPipeline(pipeline, context, *chosen, &listener));
  });
  if (!message.empty()) {
    printError(addCause(message, describeOptionError(said)));
    return fail(kExitUsage);
  }
  llvm::errs() << said;
  size_t numOwn = pipeline.size();
  LogicalResult isSetUp = success();
  said = captureErrors([&] { isSetUp = config.setupPassPipeline(pipeline); });
  message = failed(isSetUp) ? describePassError(said) : "";
  if (!message.empty())
    printError(message);
  else
    llvm::errs() << said;
  if (failed(isSetUp))
    return fail(kExitUsage);
  // The user's passes may be many and run on many functions.
  bool hasUserPasses = pipeline.size() != numOwn;
  isOwnResult &= !hasUserPasses;
  if (mayUseThreads && hasUserPasses)
    context->enableMultithreading();
  return success();
}

LogicalResult Session::transform() {
  PassManager pipeline((*root)->getName(), PassManager::Nesting::Implicit);
  pipeline.enableVerifier(config.shouldVerifyPasses());
  if (config.shouldRunReproducer() && failed(reproducer.apply(pipeline)))
    return fail(kExitUsage);
  if (failed(buildPipeline(pipeline)))
    return failure();
  // Some of MLIR's options ask whether there are threads, which the passes
  // decide.
  if (failed(applyPassManagerCLOptions(pipeline)))
    return fail(kExitUsage);
  pipeline.enableTiming(timing);
  if (config.shouldDumpPassPipeline()) {
    pipeline.dump();
    llvm::errs() << "\n";
  }
  if (needsReport())
    pipeline.addInstrumentation(std::make_unique<TagKeeper>(report));
  if (failed(pipeline.run(*root)))
    return failure();
  if (!config.getReproducerFilename().empty())
    makeReproducer(pipeline.getOpAnchorName(), pipeline.getPasses(), *root,
                   config.getReproducerFilename());
  return success();
}

LogicalResult Session::lowerToLinalg() {
  isOwnResult = false;
  PassManager pipeline((*root)->getName(), PassManager::Nesting::Implicit);
  pipeline.enableVerifier(config.shouldVerifyPasses());
  if (failed(applyPassManagerCLOptions(pipeline)))
    return fail(kExitUsage);
  pipeline.enableTiming(timing);
  buildLinalgPipeline(pipeline);
  return pipeline.run(*root);
}
