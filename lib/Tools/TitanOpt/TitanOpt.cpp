// Puts the two parsers of the command line together and hands over to the
// driver.
#include "titan/Tools/TitanOpt/TitanOpt.h"

#include "CrashReproducer.h"
#include "Driver.h"
#include "Heap.h"
#include "Listings.h"

#include "titan/Tools/CommandLine/CommandLine.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::titan;

/// Every option of MLIR and its passes.
static void registerMlirOptions(DialectRegistry &registry) {
  MlirOptMainConfig::registerCLOptions(registry);
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  tracing::DebugCounter::registerCLOptions();
}

static ForeignOptions getMlirOptions() {
  using Kind = ForeignOptions::Kind;
  ForeignOptions foreign;
  auto &known = llvm::cl::getRegisteredOptions();
  for (auto &entry : known)
    if (entry.second->getOptionHiddenFlag() == llvm::cl::NotHidden)
      foreign.names.push_back(entry.first.str());
  llvm::sort(foreign.names);
  foreign.classify = [&known](const std::string &name) {
    auto entry = known.find(name);
    if (entry == known.end())
      return Kind::Unknown;
    return entry->second->getValueExpectedFlag() == llvm::cl::ValueRequired
               ? Kind::TakesNext
               : Kind::Alone;
  };
  return foreign;
}

/// Gives MLIR's parser its share of the command line.
static bool parseMlirOptions(const char *program,
                             const std::vector<std::string> &arguments) {
  std::vector<const char *> argv{program};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (llvm::cl::ParseCommandLineOptions(argv.size(), argv.data(), "", &stream))
    return true;
  llvm::errs() << errors;
  return false;
}

static ExitCode runListing(const Options &options, const OpPrinter &printOps) {
  switch (options.listing) {
  case Listing::Passes:
    printPassList(llvm::outs());
    break;
  case Listing::Ops:
    printOps(llvm::outs(), /*markdown=*/false);
    break;
  case Listing::OpsMarkdown:
    printOps(llvm::outs(), /*markdown=*/true);
    break;
  case Listing::MlirHelp:
    llvm::cl::PrintHelpMessage();
    break;
  case Listing::None:
  case Listing::Graphs:
    break;
  }
  return kExitDone;
}

int mlir::titan::titanOptMain(int argc, char **argv, DialectRegistry &registry,
                              const OpPrinter &printOps) {
  prepareHeap();
  installCrashReproducer(argc, argv);
  registerMlirOptions(registry);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  CommandLineResult parsed = parseCommandLine(
      arguments, getMlirOptions(),
      "titan-opt " TITAN_VERSION " (MLIR " LLVM_VERSION_STRING ")");
  if (!parsed.error.empty())
    llvm::WithColor::error(llvm::errs(), "titan-opt") << parsed.error << "\n";
  llvm::outs() << parsed.output;
  ExitCode code = kExitDone;
  if (parsed.exit)
    code = *parsed.exit;
  else if (!parseMlirOptions(argv[0], parsed.options.mlirArguments))
    code = kExitUsage;
  else if (parsed.options.listing != Listing::None &&
           parsed.options.listing != Listing::Graphs)
    code = runListing(parsed.options, printOps);
  else
    code = Driver(parsed.options, MlirOptMainConfig::createFromCLOptions(),
                  registry)
               .run();
  llvm::outs().flush();
  // A reader that went away is no reason to end with an error.
  llvm::outs().clear_error();
  return code;
}
