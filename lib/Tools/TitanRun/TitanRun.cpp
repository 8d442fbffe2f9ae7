#include "titan/Tools/TitanRun/TitanRun.h"

#include "titan/Analysis/PeakMemory.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Execution/CompiledEngine.h"
#include "titan/Execution/Interpreter.h"
#include "titan/Execution/Program.h"
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

// The path of \p rank: `{rank}` in \p path is its number.
static std::string getRankPath(StringRef path, int64_t rank) {
  auto [before, after] = path.split("{rank}");
  if (before.size() == path.size())
    return path.str();
  return (before + Twine(rank) + after).str();
}

static FailureOr<InputSource> readInputs(StringRef text, int64_t rank) {
  InputSource source;
  source.rank = rank;
  if (text.consume_front("random:")) {
    if (text.getAsInteger(10, source.seed)) {
      (void)report("expected a number after 'random:', got '" + text + "'",
                   kUsage);
      return failure();
    }
    return source;
  }
  llvm::Expected<TensorMap> tensors = readSafetensors(getRankPath(text, rank));
  if (!tensors) {
    (void)report(llvm::toString(tensors.takeError()), kInput);
    return failure();
  }
  source.tensors = std::move(*tensors);
  return source;
}

static void printProfile(const Interpreter &interpreter) {
  SmallVector<std::pair<StringRef, OpProfile>> entries(
      interpreter.getProfile().begin(), interpreter.getProfile().end());
  llvm::sort(entries, [](const auto &a, const auto &b) {
    return std::pair(-a.second.seconds, a.first) <
           std::pair(-b.second.seconds, b.first);
  });
  llvm::errs() << "      ms  calls       MB     GB/s  GFLOP/s  op\n";
  for (const auto &[name, entry] : entries) {
    // Nothing takes less time than the clock can tell.
    double seconds = std::max(entry.seconds, 1e-9);
    llvm::errs() << llvm::format(
        "%8.2f %6lld %8.2f %8.3f ", entry.seconds * 1e3,
        static_cast<long long>(entry.calls),
        static_cast<double>(entry.bytes) / 1e6,
        static_cast<double>(entry.bytes) / seconds / 1e9);
    if (entry.flops)
      llvm::errs() << llvm::format("%8.3f  ", static_cast<double>(entry.flops) /
                                                  seconds / 1e9);
    else
      llvm::errs() << "       -  ";
    llvm::errs() << name << "\n";
  }
}

// What the arena counted beside what the analysis predicts.
static void printMemory(const Arena &arena, ArrayRef<func::FuncOp> functions,
                        int64_t numRanks) {
  func::FuncOp backward = functions.size() > 1 ? functions[1] : func::FuncOp();
  llvm::errs() << "peak " << arena.getPeakValueBytes() << " bytes of values";
  if (functions.size() <= 2)
    llvm::errs() << ", predicted "
                 << computePeakMemory(functions.front(), backward).bytes *
                        numRanks;
  llvm::errs() << ", " << arena.getPeakBlockBytes() << " with scratch\n";
}

// Prints what differs; the exit code says whether something does.
static ExitCode compare(const RunOptions &options, const TensorMap &outputs,
                        int64_t rank) {
  llvm::Expected<TensorMap> expected =
      readSafetensors(getRankPath(options.compare, rank));
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

// Runs the program again as often as the user says and prints what it took.
static LogicalResult
printTimes(llvm::function_ref<FailureOr<std::vector<TensorMap>>()> run,
           const RunOptions &options, double compileSeconds) {
  std::vector<double> times;
  for (int64_t i = 0; i < options.repeat; ++i) {
    Stopwatch watch;
    if (failed(run()))
      return failure();
    times.push_back(watch.getSeconds() * 1e3);
  }
  llvm::sort(times);
  llvm::errs() << llvm::format(
      "compiled in %.0f ms; %zu runs, least %.2f ms, median %.2f ms\n",
      compileSeconds * 1e3, times.size(), times.front(),
      times[times.size() / 2]);
  return success();
}

// Puts the compiled functions in the place of \p functions.
static LogicalResult compile(CompiledEngine &engine, ModuleOp module,
                             SmallVectorImpl<func::FuncOp> &functions) {
  SmallVector<StringRef> names;
  for (func::FuncOp function : functions)
    names.push_back(function.getSymName());
  if (failed(engine.compile(module, names)))
    return failure();
  for (func::FuncOp &function : functions)
    function = engine.getFunction(function.getSymName());
  return success();
}

int titan::runGraph(const RunOptions &options, DialectRegistry &registry) {
  if (options.engine != "cpu" && options.engine != "reference")
    return report("there is no engine '" + options.engine +
                      "'; use 'cpu' or 'reference'",
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
  if (options.numRanks > 1 && !options.outputs.empty() &&
      !StringRef(options.outputs).contains("{rank}"))
    return report("expected '{rank}' in '--outputs', one file for each of " +
                      Twine(options.numRanks) + " ranks",
                  kUsage);

  InterpreterOptions interpreterOptions;
  interpreterOptions.checkFinite = options.checkFinite;
  interpreterOptions.profile = options.profile;
  interpreterOptions.numRanks = options.numRanks;
  std::signal(SIGINT, noteInterrupt);
  interpreterOptions.observer = [](const OpEvent &) {
    return failure(isInterrupted);
  };
  auto arena = std::make_shared<Arena>(options.memoryLimit);
  ArenaScope scope(arena);
  Interpreter interpreter({options.seed, 0}, interpreterOptions);
  std::optional<CompiledEngine> compiled;
  Stopwatch compilation;
  if (options.numThreads)
    setNumThreads(*options.numThreads);
  if (options.engine == "cpu") {
    compiled.emplace(interpreter);
    if (failed(compile(*compiled, *module, *functions)))
      return kInput;
  }
  double compileSeconds = compilation.getSeconds();
  for (func::FuncOp function : *functions)
    if (failed(interpreter.checkSupported(function)))
      return kInput;
  std::vector<Program> programs;
  for (int64_t rank = 0; rank < options.numRanks; ++rank) {
    FailureOr<InputSource> inputs = readInputs(options.inputs, rank);
    if (failed(inputs))
      return StringRef(options.inputs).starts_with("random:") ? kUsage : kInput;
    programs.emplace_back(*functions);
    if (failed(programs.back().bindInputs(*inputs)))
      return kInput;
  }
  auto run = [&] {
    return Program::runRanks(programs, [&](func::FuncOp function,
                                           std::vector<RankValues> arguments) {
      return interpreter.runLockstep(function, std::move(arguments));
    });
  };
  FailureOr<std::vector<TensorMap>> outputs = run();
  if (failed(outputs))
    return isInterrupted ? report("interrupted", kInterrupted) : kInput;
  if (options.repeat > 0 && failed(printTimes(run, options, compileSeconds)))
    return kInput;
  if (options.profile) {
    printProfile(interpreter);
    printMemory(*arena, *functions, options.numRanks);
  }
  for (auto [rank, own] : llvm::enumerate(*outputs))
    if (!options.outputs.empty())
      if (llvm::Error error =
              writeSafetensors(getRankPath(options.outputs, rank), own))
        return report(llvm::toString(std::move(error)), kInput);
  ExitCode code = kDone;
  if (!options.compare.empty())
    for (auto [rank, own] : llvm::enumerate(*outputs))
      code = std::max(code, compare(options, own, rank));
  return code;
}
