// The parsers print on their own and offer no hook: their lines are caught
// where they come out.
#include "OptionErrors.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir::titan;
using llvm::StringRef;

std::string mlir::titan::captureErrors(llvm::function_ref<void()> action) {
  int file = -1;
  llvm::SmallString<64> path;
  bool isOpen =
      !llvm::sys::fs::createTemporaryFile("titan-opt", "txt", file, path);
  int original = isOpen ? dup(STDERR_FILENO) : -1;
  if (original < 0) {
    action();
    if (isOpen)
      (void)llvm::sys::fs::remove(path);
    return {};
  }
  llvm::errs().flush();
  dup2(file, STDERR_FILENO);
  action();
  llvm::errs().flush();
  dup2(original, STDERR_FILENO);
  close(original);
  close(file);
  auto text = llvm::MemoryBuffer::getFile(path);
  (void)llvm::sys::fs::remove(path);
  return text ? (*text)->getBuffer().str() : std::string();
}

std::string mlir::titan::describeOptionError(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  if (llvm::Regex("for the --([^ ]+) option: ([^\n]*)").match(text, &parts)) {
    std::string name = parts[1].str(), said = parts[2].rtrim('!').str();
    if (llvm::Regex("^Cannot find option named ('.*')").match(said, &parts))
      return "unknown value " + parts[1].str() + " of '" + name + "'";
    return "'" + name + "': " + said;
  }
  if (llvm::Regex("no such option ([^ \n]+)").match(text, &parts))
    return "no such option '" + parts[1].str() + "'";
  return {};
}

std::string mlir::titan::addCause(StringRef message, StringRef clause) {
  // The message may have it already.
  if (clause.empty() || message.contains("no such option"))
    return message.str();
  size_t remedy = message.find("; see");
  StringRef rest =
      remedy == StringRef::npos ? StringRef() : message.substr(remedy);
  return (message.take_front(remedy) + ": " + clause + rest).str();
}

std::string mlir::titan::describePassError(StringRef text) {
  std::string clause = describeOptionError(text);
  if (clause.empty())
    return {};
  llvm::SmallVector<StringRef> parts;
  if (llvm::Regex("failed to add `([^`]+)` with options `([^`]*)`")
          .match(text, &parts))
    return ("pass '" + parts[1] + "' cannot read its options '" + parts[2] +
            "': " + clause + "; see --" + parts[1] + " in --help-mlir")
        .str();
  return "a pass cannot read its options: " + clause + "; see --help-mlir";
}
