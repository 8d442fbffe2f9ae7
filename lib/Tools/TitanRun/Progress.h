// How far a long run is, for whoever waits for it.
#ifndef TITAN_LIB_TOOLS_TITANRUN_PROGRESS_H
#define TITAN_LIB_TOOLS_TITANRUN_PROGRESS_H

#include "titan/Execution/Interpreter.h"

namespace mlir::titan {

/// A line on stderr: on a terminal one that is written over, from the second
/// second of a run on; elsewhere nothing, or with \p isWanted a line every few
/// seconds and one at the end.
class Progress {
public:
  Progress(int64_t numOps, bool isWanted);
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void addOp(const OpEvent &event);
  /// Leaves the terminal as it was, for what else is to be said.
  void finish();

private:
  void print(const OpEvent *event);

  int64_t numOps;
  int64_t numDone = 0;
  bool isTerminal, isWanted;
  bool isFinished = false, isLineOpen = false;
  OpEvent::Time next;
};

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANRUN_PROGRESS_H
