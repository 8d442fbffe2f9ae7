// The report as one screen. Numbers that a script needs are in the JSON; here
// they are rounded.
#include "titan/Report/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

static std::string format(double number, llvm::StringRef unit) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2f ", number) << unit;
  return text;
}

std::string mlir::titan::formatBytes(int64_t bytes) {
  constexpr int64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
  if (bytes >= gib)
    return format(double(bytes) / gib, "GiB");
  if (bytes >= mib)
    return format(double(bytes) / mib, "MiB");
  if (bytes >= kib)
    return format(double(bytes) / kib, "KiB");
  return std::to_string(bytes) + " B";
}

std::string mlir::titan::formatFlops(int64_t flops) {
  constexpr std::pair<double, llvm::StringLiteral> units[] = {
      {1e15, "PFLOP"}, {1e12, "TFLOP"}, {1e9, "GFLOP"}, {1e6, "MFLOP"}};
  for (auto [size, unit] : units)
    if (double(flops) >= size)
      return format(double(flops) / size, unit);
  return std::to_string(flops) + " FLOP";
}

namespace {
/// Lines with a heading of fixed width.
class Screen {
public:
  llvm::raw_ostream &line(StringRef heading) {
    stream << "  " << llvm::left_justify(heading, 12);
    return stream;
  }
  void addInput(const Report::Input &input);
  void addPeak(const Report::Peak &peak);
  void addPartition(const Report::Partition &partition);
  void addLive(const Report::Peak &peak);
  void addTags(const std::vector<NodeTag> &tags);

  std::string text;
  llvm::raw_string_ostream stream{text};
};
} // namespace

void Screen::addInput(const Report::Input &input) {
  line("Graph") << input.graph << " of " << input.file << ": " << input.ops
                << " ops, " << input.arguments << " arguments";
  if (input.forwardOutputs)
    stream << ", " << *input.forwardOutputs << " forward outputs";
  stream << "\n";
}

void Screen::addPeak(const Report::Peak &peak) {
  line("Peak") << formatBytes(peak.bytes);
  if (!peak.op.empty()) {
    stream << " at " << (peak.name.empty() ? peak.op : "'" + peak.name + "'")
           << " (" << peak.op << ", " << peak.function;
    if (!peak.location.empty())
      stream << ", " << peak.location;
    stream << ")";
  }
  stream << "\n";
  line("") << formatBytes(peak.residentBytes)
           << " of it parameters, inputs and constants\n";
}

void Screen::addPartition(const Report::Partition &partition) {
  const PlanSummary &plan = partition.plan;
  line("Partition") << partition.partitioner << ", rules of "
                    << partition.compat << ": " << plan.forwardOps
                    << " ops forward, " << plan.backwardOps << " backward\n";
  line("Saved") << formatBytes(plan.savedBytes) << " in " << plan.saved.size()
                << (plan.saved.size() == 1 ? " value" : " values") << ", "
                << formatBytes(plan.savedStorageBytes)
                << " of storage that would else be free\n";
  int64_t bytes = 0;
  for (const PlanSummary::Recomputed &recomputed : plan.recomputed)
    bytes += recomputed.bytes;
  line("Recomputed") << formatBytes(bytes) << " in " << plan.recomputed.size()
                     << (plan.recomputed.size() == 1 ? " value" : " values");
  if (partition.recomputedFlops) {
    stream << ", " << formatFlops(*partition.recomputedFlops) << " extra";
    if (partition.forwardFlops && *partition.forwardFlops > 0)
      stream << llvm::format(" (%.1f %% of the forward)",
                             100.0 * double(*partition.recomputedFlops) /
                                 double(*partition.forwardFlops));
  }
  if (partition.opsOfUnknownCost)
    stream << ", " << partition.opsOfUnknownCost << " ops of unknown cost";
  stream << "\n";
}

void Screen::addTags(const std::vector<NodeTag> &tags) {
  if (tags.empty())
    return;
  size_t saved = llvm::count_if(tags, [](const NodeTag &tag) {
    return tag.policy == Policy::MustSave || tag.policy == Policy::PreferSave;
  });
  line("Tags") << tags.size() << " ops tagged, " << saved << " to save\n";
}

void Screen::addLive(const Report::Peak &peak) {
  if (peak.live.empty())
    return;
  stream << "  Largest at the peak\n";
  size_t width = 0;
  for (const Report::LiveValue &live : peak.live)
    width = std::max(width, live.name.size());
  for (const Report::LiveValue &live : peak.live) {
    stream << llvm::right_justify(formatBytes(live.bytes), 14) << "  "
           << llvm::left_justify(live.name, std::min<size_t>(width, 40)) << "  "
           << live.type;
    if (!live.module.empty())
      stream << "  " << live.module;
    stream << "\n";
  }
}

std::string mlir::titan::toScreen(const Report &report) {
  Screen screen;
  screen.addInput(report.input);
  if (report.peak)
    screen.addPeak(*report.peak);
  if (report.partition)
    screen.addPartition(*report.partition);
  screen.addTags(report.tags);
  if (report.peak)
    screen.addLive(*report.peak);
  return screen.text;
}
