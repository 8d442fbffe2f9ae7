#include "Session.h"

#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::titan;

void Listener::info(StringRef message) {
  if (!isQuiet)
    llvm::errs() << "info: " << message << "\n";
}

void Listener::warning(StringRef message) {
  llvm::WithColor::warning(llvm::errs()) << message << "\n";
}

void Listener::counted(StringRef name,
                       ArrayRef<std::pair<std::string, int64_t>> counts) {
  report.passes.push_back({name.str(), counts.vec()});
}

void Listener::planned(const PlanSummary &summary) {
  if (!report.partition)
    report.partition.emplace();
  report.partition->plan = summary;
}
