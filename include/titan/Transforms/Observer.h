// What passes tell whoever runs them, beside diagnostics.
#ifndef TITAN_TRANSFORMS_OBSERVER_H
#define TITAN_TRANSFORMS_OBSERVER_H

#include "titan/Partition/PlanSummary.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace mlir::titan {

/// A null object: each event does nothing unless the driver, a report or a test
/// wants it. Events come on one thread, in pass order.
class PassObserver {
public:
  virtual ~PassObserver() = default;

  /// A message for the user, one line without its end.
  virtual void info(llvm::StringRef message) {}
  virtual void warning(llvm::StringRef message) {}

  /// What the pass \p name counted ("mm_found", 43), in the order to report.
  virtual void counted(llvm::StringRef name,
                       llvm::ArrayRef<std::pair<std::string, int64_t>> counts) {
  }

  /// The plan of a partition, before the joint function goes.
  virtual void planned(const PlanSummary &summary) {}
};

} // namespace mlir::titan

#endif // TITAN_TRANSFORMS_OBSERVER_H
