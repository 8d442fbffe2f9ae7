// Reads a graph, runs it on an engine, and writes what it computed; nothing is
// written before all of it is there. Longer than most files: one step of the
// command line after the other.
#include "titan/Tools/TitanRun/TitanRun.h"
#include "Dump.h"
#include "Progress.h"
#include "Tables.h"
#include "Trace.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Execution/CompiledEngine.h"
#include "titan/Execution/EmulatedEngine.h"
#include "titan/Execution/FiniteCheck.h"
#include "titan/Execution/Interpreter.h"
#include "titan/Execution/Kernel.h"
#include "titan/Execution/Program.h"
#include "titan/Execution/TensorFiles.h"
#include "titan/Execution/Threads.h"
#include "titan/Import/Import.h"
#include "titan/Interfaces/DidYouMean.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <chrono>
#include <csignal>

using namespace mlir;
using namespace mlir::titan;

namespace {

enum ExitCode { kDone = 0, kInput = 1, kUsage = 2, kInterrupted = 130 };

} // namespace

// Set when the user interrupts: the run stops behind the op that is running,
// and nothing is written. A second interrupt ends the program at once.
static volatile std::sig_atomic_t isInterrupted = 0;

static void noteInterrupt(int signal) {
  isInterrupted = 1;
  std::signal(signal, SIG_DFL);
}

static ExitCode report(const Twine &message, ExitCode code) {
  llvm::WithColor::error(llvm::errs(), "titan-run") << message << "\n";
  return code;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::unique_ptr<llvm::MemoryBuffer> openFile(StringRef path) {
  if (path != "-" && llvm::sys::fs::is_directory(path)) {
    (void)report("cannot read '" + path + "': it is a directory", kInput);
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    (void)report("cannot read '" + path + "': " + error.message(), kInput);
    return nullptr;
  }
  return std::move(*buffer);
}

static OwningOpRef<ModuleOp> readGraph(const RunOptions &options,
                                       llvm::SourceMgr &source,
                                       MLIRContext *context) {
  ImportOptions import;
  import.numForwardOutputs = options.numForwardOutputs;
  if (!options.graphInfo.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> info = openFile(options.graphInfo);
    if (!info)
      return {};
    import.graphInfo = info->getBuffer().str();
    import.graphInfoName = options.graphInfo;
  }
  InputFormat format =
      detectFormat(source.getMemoryBuffer(source.getMainFileID())->getBuffer());
  if (format == InputFormat::FxText || format == InputFormat::TorchTrace) {
    OwningOpRef<ModuleOp> module = importGraph(source, context, import);
    if (!module || failed(verify(*module)))
      return {};
    return module;
  }
  return parseSourceFile<ModuleOp>(source, ParserConfig(context));
}

//===----------------------------------------------------------------------===//
// What runs
//===----------------------------------------------------------------------===//

// The functions of \p module that the user names, or that it is about.
static FailureOr<SmallVector<func::FuncOp>>
chooseFunctions(ModuleOp module, ArrayRef<std::string> names) {
  SmallVector<func::FuncOp> functions;
  auto joint =
      dyn_cast_or_null<func::FuncOp>(getJointFunction(module).getOperation());
  auto lookup = [&](StringRef name) {
    return module.lookupSymbol<func::FuncOp>(name);
  };
  if (names.empty()) {
    if (joint)
      return SmallVector<func::FuncOp>{joint};
    if (lookup("forward") && lookup("backward"))
      return SmallVector<func::FuncOp>{lookup("forward"), lookup("backward")};
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        functions.push_back(function);
    if (functions.size() == 1)
      return functions;
    return emitError(module.getLoc())
           << "expected one public function, found " << functions.size()
           << "; say which with '--function'";
  }
  for (const std::string &name : names) {
    func::FuncOp function = lookup(name);
    if (!function && name == "joint") {
      function = joint;
      // A graph without a backward has no joint function, but a whole.
      SmallVector<func::FuncOp> all(module.getOps<func::FuncOp>());
      if (!function && all.size() == 1)
        function = all.front();
    }
    if (!function) {
      SmallVector<StringRef> known;
      for (auto candidate : module.getOps<func::FuncOp>())
        known.push_back(candidate.getSymName());
      return emitError(module.getLoc()) << "there is no function '" << name
                                        << "'" << didYouMean(name, known);
    }
    functions.push_back(function);
  }
  return functions;
}

// The places of \p rank.
static std::vector<std::string> getRankPaths(ArrayRef<std::string> paths,
                                             int64_t rank) {
  std::vector<std::string> own;
  for (const std::string &path : paths)
    own.push_back(getRankPath(path, rank));
  return own;
}

// What holds numbers that are not finite from the start is nobody's fault.
static void warnOfSpecialInputs(const TensorMap &tensors) {
  for (const auto &[name, tensor] : tensors) {
    SpecialNumbers found = findSpecialNumbers(tensor);
    if (found.nans || found.infinities)
      llvm::WithColor::warning(llvm::errs(), "titan-run")
          << "the input '" << name << "' holds " << found.nans << " NaNs and "
          << found.infinities << " infinities\n";
  }
}

static ExitCode readInputs(const RunOptions &options, int64_t rank,
                           InputSource &source) {
  source.rank = rank;
  std::vector<std::string> files;
  for (StringRef place : options.inputs) {
    if (!place.consume_front("random:")) {
      files.push_back(getRankPath(place, rank));
      continue;
    }
    source.drawsMissing = true;
    if (place.getAsInteger(10, source.seed))
      return report("expected a number after 'random:', got '" + place + "'",
                    kUsage);
  }
  if (files.empty())
    return kDone;
  llvm::Expected<TensorMap> tensors = readTensorFiles(files);
  if (!tensors)
    return report(llvm::toString(tensors.takeError()), kInput);
  if (options.finiteCheck != FiniteCheck::None)
    warnOfSpecialInputs(*tensors);
  source.tensors = std::move(*tensors);
  return kDone;
}

// Prints what differs; the exit code says whether something does.
static ExitCode compare(const RunOptions &options, const TensorMap &outputs,
                        int64_t rank) {
  llvm::Expected<TensorMap> expected =
      readTensorFiles({getRankPath(options.compare, rank)});
  if (!expected)
    return report(llvm::toString(expected.takeError()), kInput);
  Comparison result = compareTensors(outputs, *expected, options.tolerance);
  std::string prefix =
      options.numRanks > 1 ? "rank " + std::to_string(rank) + ": " : "";
  for (const std::string &difference : result.differences)
    llvm::errs() << prefix << difference << "\n";
  llvm::errs() << prefix << result.equal << " of " << expected->size()
               << " tensors are equal\n";
  return result.differences.empty() ? kDone : kInput;
}

namespace {
/// The time since it was made.
class Stopwatch {
public:
  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

static void printTimes(std::vector<double> &times, double compileSeconds) {
  llvm::sort(times);
  llvm::errs() << llvm::format(
      "compiled in %.0f ms; %zu runs, least %.2f ms, median %.2f ms\n",
      compileSeconds * 1e3, times.size(), times.front(),
      times[times.size() / 2]);
}

static void printUnlowered(const EmulatedEngine &engine) {
  if (engine.getUnlowered().empty())
    return;
  raw_ostream &os = llvm::WithColor::note(llvm::errs(), "titan-run");
  os << "without a kernel for the GPU, on reference kernels:";
  for (const auto &[name, count] : engine.getUnlowered())
    os << " '" << name << "' (" << count << ")";
  os << "\n";
}

// Puts the compiled functions in the place of \p functions.
template <typename Engine, typename... Options>
static LogicalResult compile(Engine &engine, ModuleOp module,
                             SmallVectorImpl<func::FuncOp> &functions,
                             const Options &...options) {
  SmallVector<StringRef> names;
  for (func::FuncOp function : functions)
    names.push_back(function.getSymName());
  if (failed(engine.compile(module, names, options...)))
    return failure();
  for (func::FuncOp &function : functions)
    function = engine.getFunction(function.getSymName());
  return success();
}

//===----------------------------------------------------------------------===//
// Watching
//===----------------------------------------------------------------------===//

// The values that the user wants to see; an error where there are none.
static ExitCode makeDump(const RunOptions &options,
                         ArrayRef<func::FuncOp> functions,
                         std::optional<Dump> &dump) {
  if (options.dump.empty()) {
    if (options.dumpTo.empty())
      return kDone;
    return report("'--dump-to' needs '--dump-intermediates'", kUsage);
  }
  if (options.dumpTo.empty() && options.outputs.empty())
    return report("'--dump-intermediates' writes to the file of '--outputs' or "
                  "to that of '--dump-to'; give one of them",
                  kUsage);
  std::vector<llvm::GlobPattern> patterns;
  for (const std::string &text : options.dump) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return report("'--dump-intermediates=" + text +
                        "': " + llvm::toString(pattern.takeError()),
                    kUsage);
    patterns.push_back(std::move(*pattern));
  }
  bool isFolder = StringRef(options.dumpTo).ends_with("/") ||
                  llvm::sys::fs::is_directory(options.dumpTo);
  for (auto [text, pattern] : llvm::zip_equal(options.dump, patterns)) {
    Dump single({pattern}, 1, "");
    SmallVector<StringRef> known;
    bool isFound = false;
    for (func::FuncOp function : functions)
      for (Operation &op : function.front())
        for (Value result : op.getResults()) {
          known.push_back(getSourceName(result));
          isFound |= single.isWanted(result);
        }
    if (!isFound)
      return report("no op makes a value called '" + text + "'" +
                        didYouMean(text, known),
                    kUsage);
  }
  dump.emplace(std::move(patterns), options.numRanks,
               isFolder ? StringRef(options.dumpTo) : StringRef());
  return kDone;
}

static int64_t countOps(ArrayRef<func::FuncOp> functions) {
  int64_t count = 0;
  for (func::FuncOp function : functions)
    count += llvm::range_size(function.front().without_terminator());
  return count;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// One run of the program titan-run, from the graph to the files.
class Run {
public:
  Run(const RunOptions &options, ModuleOp module,
      SmallVector<func::FuncOp> functions)
      : options(options), module(module), functions(std::move(functions)),
        arena(std::make_shared<Arena>(options.memoryLimit)) {}

  ExitCode run();

private:
  ExitCode prepare();
  ExitCode prepareEmulator();
  ExitCode bindInputs();
  LogicalResult observe(const OpEvent &event);
  FailureOr<std::vector<TensorMap>> execute();
  /// Everything that the user asked for, once all is computed.
  ExitCode write(std::vector<TensorMap> outputs);
  ExitCode writeDump(std::vector<TensorMap> &outputs);
  ExitCode fail() {
    return isInterrupted ? report("interrupted", kInterrupted) : kInput;
  }

  const RunOptions &options;
  ModuleOp module;
  SmallVector<func::FuncOp> functions;
  std::shared_ptr<Arena> arena;
  std::optional<Dump> dump;
  std::optional<Trace> trace;
  std::optional<Progress> progress;
  std::optional<Interpreter> interpreter;
  std::optional<CompiledEngine> compiled;
  std::optional<EmulatedEngine> emulated;
  std::vector<Program> programs;
  double compileSeconds = 0;
};
} // namespace

LogicalResult Run::observe(const OpEvent &event) {
  if (trace)
    trace->addOp(event);
  if (progress)
    progress->addOp(event);
  if (dump && failed(dump->addOp(event)))
    return failure();
  return failure(isInterrupted);
}

ExitCode Run::prepareEmulator() {
  if (dump || options.finiteCheck != FiniteCheck::None)
    return report("the engine 'emulator' keeps the values inside of kernels to "
                  "itself: look at them, and check them, with 'cpu' or "
                  "'reference'",
                  kUsage);
  llvm::Expected<DeviceTarget> target = getDeviceTarget(options.target);
  if (!target)
    return report(llvm::toString(target.takeError()), kUsage);
  llvm::Expected<std::string> libdevice = findLibdevice(options.cudaPath);
  if (!libdevice)
    return report(llvm::toString(libdevice.takeError()), kUsage);
  emulated.emplace(*interpreter);
  if (failed(compile(*emulated, module, functions, *target, *libdevice)))
    return kInput;
  printUnlowered(*emulated);
  return kDone;
}

ExitCode Run::prepare() {
  if (ExitCode code = makeDump(options, functions, dump))
    return code;
  if (!options.trace.empty())
    trace.emplace(*arena);
  InterpreterOptions watching;
  watching.finiteCheck = options.finiteCheck;
  watching.profile = options.profile;
  watching.numRanks = options.numRanks;
  watching.observer = [this](const OpEvent &event) { return observe(event); };
  interpreter.emplace(RandomState{options.seed, 0}, watching);
  if (options.numThreads)
    setNumThreads(*options.numThreads);
  Stopwatch watch;
  if (options.engine == "cpu") {
    CompiledEngineOptions compiling;
    // The op to blame has to be alone, and what it makes in memory.
    compiling.isolatesOps = options.finiteCheck != FiniteCheck::None;
    if (dump)
      compiling.isKept = [this](Value value) { return dump->isWanted(value); };
    if (trace)
      compiling.partObserver = [this](Call &call, OpEvent::Time start,
                                      OpEvent::Time end) {
        trace->addPart(call.getOperation(), call.getInterpreter().getRank(),
                       start, end);
      };
    compiled.emplace(*interpreter, std::move(compiling));
    if (failed(compile(*compiled, module, functions)))
      return kInput;
  }
  if (options.engine == "emulator")
    if (ExitCode code = prepareEmulator())
      return code;
  compileSeconds = watch.getSeconds();
  for (func::FuncOp function : functions)
    if (failed(interpreter->checkSupported(function)))
      return kInput;
  return kDone;
}

ExitCode Run::bindInputs() {
  for (int64_t rank = 0; rank < options.numRanks; ++rank) {
    InputSource inputs;
    if (ExitCode code = readInputs(options, rank, inputs))
      return code;
    programs.emplace_back(functions);
    if (failed(programs.back().bindInputs(inputs)))
      return kInput;
  }
  return kDone;
}

FailureOr<std::vector<TensorMap>> Run::execute() {
  return Program::runRanks(
      programs, [&](func::FuncOp function, std::vector<RankValues> arguments) {
        return interpreter->runLockstep(function, std::move(arguments));
      });
}

ExitCode Run::writeDump(std::vector<TensorMap> &outputs) {
  if (!dump)
    return kDone;
  for (auto [rank, own] : llvm::enumerate(outputs)) {
    const TensorMap &values = dump->getValues(rank);
    if (options.dumpTo.empty())
      own.insert(values.begin(), values.end());
    else if (llvm::Error error =
                 values.empty()
                     ? llvm::Error::success()
                     : writeSafetensors(getRankPath(options.dumpTo, rank),
                                        values))
      return report(llvm::toString(std::move(error)), kInput);
  }
  return kDone;
}

ExitCode Run::write(std::vector<TensorMap> outputs) {
  if (options.profile) {
    printProfile(*interpreter, llvm::errs());
    printMemory(*arena, functions, programs.front().getSymbols(),
                options.numRanks, llvm::errs());
  }
  if (trace)
    if (llvm::Error error = writeWholeFile(options.trace, trace->format()))
      return report(llvm::toString(std::move(error)), kInput);
  if (ExitCode code = writeDump(outputs))
    return code;
  for (auto [rank, own] : llvm::enumerate(outputs))
    if (llvm::Error error =
            writeTensorFiles(getRankPaths(options.outputs, rank), own))
      return report(llvm::toString(std::move(error)), kInput);
  ExitCode code = kDone;
  if (!options.compare.empty())
    for (auto [rank, own] : llvm::enumerate(outputs))
      code = std::max(code, compare(options, own, rank));
  return code;
}

ExitCode Run::run() {
  ArenaScope scope(arena);
  if (ExitCode code = prepare())
    return code;
  if (ExitCode code = bindInputs())
    return code;
  progress.emplace(countOps(functions) * options.numRanks *
                       (1 + options.repeat),
                   options.progress);
  FailureOr<std::vector<TensorMap>> outputs = execute();
  if (failed(outputs)) {
    progress->finish();
    return fail();
  }
  std::vector<double> times;
  for (int64_t i = 0; i < options.repeat; ++i) {
    Stopwatch watch;
    if (failed(execute())) {
      progress->finish();
      return fail();
    }
    times.push_back(watch.getSeconds() * 1e3);
  }
  progress->finish();
  if (!times.empty())
    printTimes(times, compileSeconds);
  return write(std::move(*outputs));
}

int titan::runGraph(const RunOptions &options, DialectRegistry &registry) {
  if (options.engine != "cpu" && options.engine != "emulator" &&
      options.engine != "reference")
    return report("there is no engine '" + options.engine +
                      "'; use 'cpu', 'emulator' or 'reference'",
                  kUsage);
  std::unique_ptr<llvm::MemoryBuffer> buffer = openFile(options.graph);
  if (!buffer)
    return kInput;
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(source, &context);
  OwningOpRef<ModuleOp> module = readGraph(options, source, &context);
  if (!module)
    return kInput;
  auto functions = chooseFunctions(*module, options.functions);
  if (failed(functions))
    return kUsage;
  for (const std::string &place : options.outputs)
    if (options.numRanks > 1 && !StringRef(place).contains("{rank}"))
      return report("expected '{rank}' in '--outputs', one file for each of " +
                        Twine(options.numRanks) + " ranks",
                    kUsage);
  std::signal(SIGINT, noteInterrupt);
  return Run(options, *module, std::move(*functions)).run();
}
