// Times are nanoseconds from the start, printed as the microseconds that the
// format wants, so that nothing is rounded and what nests goes on to nest.
#include "Trace.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Execution/Arena.h"
#include "titan/Report/CollectReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace mlir::titan;

Trace::Trace(const Arena &arena)
    : arena(arena), begin(std::chrono::steady_clock::now()),
      threads({std::this_thread::get_id()}) {}

int64_t Trace::getNanoseconds(Time time) const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time - begin)
      .count();
}

// The track of the thread that asks, by the order in which they came.
int64_t Trace::getThread() {
  std::thread::id id = std::this_thread::get_id();
  auto it = llvm::find(threads, id);
  if (it == threads.end())
    it = threads.insert(it, id);
  return it - threads.begin();
}

void Trace::addOp(const OpEvent &event) {
  std::string values;
  llvm::raw_string_ostream stream(values);
  llvm::interleaveComma(event.op->getResults(), stream, [&](Value result) {
    stream << getDisplayName(result);
  });
  std::lock_guard<std::mutex> lock(mutex);
  events.push_back({describeOp(event.op), values,
                    formatLocation(event.op->getLoc()), event.rank, getThread(),
                    getNanoseconds(event.start), getNanoseconds(event.end),
                    arena.getValueBytes()});
}

void Trace::addPart(Operation *op, int64_t rank, Time start, Time end) {
  std::lock_guard<std::mutex> lock(mutex);
  events.push_back({describeOp(op), "", "", rank, getThread(),
                    getNanoseconds(start), getNanoseconds(end), -1});
}

// Three digits behind the point are what a nanosecond needs.
static std::string formatMicroseconds(int64_t nanoseconds) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                      static_cast<long long>(nanoseconds % 1000));
  return text;
}

// The name of a process or of a track.
static void formatName(llvm::json::OStream &json, StringRef what, int64_t rank,
                       int64_t thread, const Twine &name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", what);
    json.attribute("pid", rank);
    json.attribute("tid", thread);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
}

std::string Trace::format() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  auto time = [&](StringRef key, int64_t nanoseconds) {
    json.attributeBegin(key);
    json.rawValue(formatMicroseconds(nanoseconds));
    json.attributeEnd();
  };
  auto formatEvent = [&](const Event &event) {
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", event.name);
      json.attribute("cat", event.bytes < 0 ? "part" : "op");
      json.attribute("pid", event.rank);
      json.attribute("tid", event.thread);
      time("ts", event.start);
      time("dur", event.end - event.start);
      if (event.bytes >= 0)
        json.attributeObject("args", [&] {
          json.attribute("values", event.values);
          json.attribute("location", event.place);
        });
    });
    if (event.bytes < 0)
      return;
    json.object([&] {
      json.attribute("ph", "C");
      json.attribute("name", "memory of values");
      json.attribute("pid", event.rank);
      time("ts", event.end);
      json.attributeObject("args",
                           [&] { json.attribute("bytes", event.bytes); });
    });
  };
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      std::set<std::pair<int64_t, int64_t>> tracks;
      for (const Event &event : events)
        tracks.insert({event.rank, event.thread});
      for (auto [rank, thread] : tracks) {
        formatName(json, "process_name", rank, thread, "rank " + Twine(rank));
        formatName(json, "thread_name", rank, thread,
                   thread == 0 ? Twine("ops") : "thread " + Twine(thread));
      }
      llvm::for_each(events, formatEvent);
    });
  });
  return text;
}
