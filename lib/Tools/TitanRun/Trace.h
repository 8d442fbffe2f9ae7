// What runs when, on which thread of which rank, in the format that
// chrome://tracing and Perfetto read.
#ifndef TITAN_LIB_TOOLS_TITANRUN_TRACE_H
#define TITAN_LIB_TOOLS_TITANRUN_TRACE_H

#include "titan/Execution/Interpreter.h"

#include <mutex>
#include <thread>

namespace mlir::titan {

class Arena;

/// A rank is a process of the trace, a thread a track of it: the first runs the
/// ops, one after the other, and the parts of kernels that fall to it; the
/// others run parts. What \p arena holds is a counter.
class Trace {
public:
  using Time = OpEvent::Time;

  explicit Trace(const Arena &arena);

  /// An op that has run.
  void addOp(const OpEvent &event);
  /// A part of a kernel that \p op calls. From any thread.
  void addPart(Operation *op, int64_t rank, Time start, Time end);

  /// The events as JSON, in the order in which they ended.
  std::string format() const;

private:
  struct Event {
    std::string name, values, place;
    int64_t rank, thread;
    int64_t start, end;
    /// What the arena holds behind it; negative for parts.
    int64_t bytes;
  };

  int64_t getNanoseconds(Time time) const;
  int64_t getThread();

  const Arena &arena;
  Time begin;
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  std::vector<Event> events;
};

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANRUN_TRACE_H
