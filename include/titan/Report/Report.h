// What a run found out, as plain data, and the two forms a user reads it in.
#ifndef TITAN_REPORT_REPORT_H
#define TITAN_REPORT_REPORT_H

#include "titan/Analysis/Tags.h"
#include "titan/Partition/PlanSummary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::titan {

/// The report `titan.report/1` (docs/Report.md). Everything in it is owned;
/// nothing refers to IR.
struct Report {
  struct Input {
    /// As the user gave it; `-` for the standard input.
    std::string file;
    /// `mlir`, `bytecode`, `fx` or `trace`.
    std::string format;
    /// The name of the graph in a trace log, else of the function.
    std::string graph;
    int64_t ops = 0;
    int64_t arguments = 0;
    /// None for a graph without a backward.
    std::optional<int64_t> forwardOutputs;
    std::string fingerprint;
  };
  struct PassCounts {
    std::string name;
    /// `tagged.must_save` is the entry `must_save` of the object `tagged`.
    std::vector<std::pair<std::string, int64_t>> counts;
  };
  struct Partition {
    std::string partitioner;
    std::string compat;
    PlanSummary plan;
    /// Operations of the forward, and of what the backward recomputes; none
    /// where an op's cost is unknown.
    std::optional<int64_t> forwardFlops;
    std::optional<int64_t> recomputedFlops;
    /// Ops whose cost is unknown.
    int64_t opsOfUnknownCost = 0;
  };
  struct LiveValue {
    std::string name;
    std::string type;
    int64_t bytes = 0;
    std::string module;
  };
  struct Peak {
    int64_t bytes = 0;
    int64_t residentBytes = 0;
    int64_t savedBytes = 0;
    /// The op at the peak; empty in a graph without ops.
    std::string name;
    std::string op;
    std::string module;
    std::string location;
    /// `forward`, `backward`, or `joint` where nothing was split.
    std::string function;
    /// The largest values alive at the peak, at most kNumLive.
    std::vector<LiveValue> live;
  };
  static constexpr size_t kNumLive = 10;

  Input input;
  std::vector<PassCounts> passes;
  std::optional<Partition> partition;
  std::vector<NodeTag> tags;
  std::optional<Peak> peak;
};

/// The report as JSON, with keys in the order of the schema.
std::string toJson(const Report &report);

/// The report as one screen of text.
std::string toScreen(const Report &report);

/// `8.00 MiB`.
std::string formatBytes(int64_t bytes);

/// `12.35 GFLOP`.
std::string formatFlops(int64_t flops);

} // namespace mlir::titan

#endif // TITAN_REPORT_REPORT_H
