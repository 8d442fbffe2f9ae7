// The plan as a file that a training program applies (tools/titan_plan.py).
#ifndef TITAN_REPORT_PLANFILE_H
#define TITAN_REPORT_PLANFILE_H

#include "titan/Report/GraphSignature.h"
#include "titan/Report/Report.h"

#include <string>
#include <vector>

namespace mlir::titan {

/// A value that the forward computes, by source name, and whether it is saved.
struct PlannedValue {
  std::string name;
  bool isSaved = false;
};

/// The plan `titan.plan/1` as JSON (docs/Report.md): \p signature is that of
/// the graph as it was read, \p values in graph order what the forward
/// computes and the backward needs.
std::string toPlanJson(const GraphSignature &signature, const Report &report,
                       const std::vector<PlannedValue> &values);

} // namespace mlir::titan

#endif // TITAN_REPORT_PLANFILE_H
