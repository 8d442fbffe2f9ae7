#include "Progress.h"

#include "titan/Report/CollectReport.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

using namespace std::chrono_literals;

static constexpr auto kFirst = 1s, kOnFile = 5s;
static constexpr auto kOnTerminal = 200ms;

Progress::Progress(int64_t numOps, bool isWanted)
    : numOps(numOps), isTerminal(llvm::sys::Process::StandardErrIsDisplayed()),
      isWanted(isWanted), next(std::chrono::steady_clock::now() + kFirst) {}

void Progress::addOp(const OpEvent &event) {
  if (event.depth != 1)
    return;
  ++numDone;
  if ((!isTerminal && !isWanted) || event.end < next)
    return;
  next = event.end + (isTerminal ? OpEvent::Time::duration(kOnTerminal)
                                 : OpEvent::Time::duration(kOnFile));
  print(&event);
}

void Progress::print(const OpEvent *event) {
  // A line that a terminal breaks cannot be written over.
  constexpr size_t kWidth = 79, kMostOfName = 48;
  std::string line;
  llvm::raw_string_ostream stream(line);
  stream << "titan-run: " << (numOps ? numDone * 100 / numOps : 100) << " %, "
         << numDone << " of " << numOps << " ops";
  if (event) {
    std::string name = describeOp(event->op);
    stream << ", " << StringRef(name).take_front(kMostOfName)
           << (name.size() > kMostOfName ? "..." : "");
    std::string place = formatLocation(event->op->getLoc());
    if (!place.empty())
      stream << " at " << llvm::sys::path::filename(place);
  }
  if (isTerminal)
    llvm::errs() << "\r\033[K" << StringRef(line).take_front(kWidth);
  else
    llvm::errs() << line << "\n";
  isLineOpen = isTerminal;
  llvm::errs().flush();
}

void Progress::finish() {
  if (std::exchange(isFinished, true))
    return;
  if (isLineOpen)
    llvm::errs() << "\r\033[K";
  else if (isWanted && !isTerminal)
    print(nullptr);
}
