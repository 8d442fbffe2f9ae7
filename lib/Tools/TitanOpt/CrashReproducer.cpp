// Runs in a signal handler: everything that needs memory is prepared before,
// and the handler only opens, writes and exits. The state is global because a
// signal handler takes no argument.
#include "CrashReproducer.h"

#include "titan/Tools/CommandLine/CommandLine.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir::titan;
using llvm::StringRef;

namespace {
struct Prepared {
  std::string path;
  std::string header;
  StringRef input;
};
} // namespace

static Prepared &getPrepared() {
  static Prepared prepared;
  return prepared;
}

static void writeAll(int descriptor, StringRef text) {
  while (!text.empty()) {
    ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count <= 0)
      return;
    text = text.drop_front(count);
  }
}

[[noreturn]] static void leaveReproducer(StringRef reason) {
  const Prepared &prepared = getPrepared();
  writeAll(STDERR_FILENO, "titan-opt: internal error: ");
  writeAll(STDERR_FILENO, reason);
  int descriptor =
      ::open(prepared.path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (descriptor >= 0) {
    writeAll(descriptor, prepared.header);
    writeAll(descriptor, prepared.input);
    ::close(descriptor);
    writeAll(STDERR_FILENO, "\ntitan-opt: a reproducer is in '");
    writeAll(STDERR_FILENO, prepared.path);
    writeAll(STDERR_FILENO, "'; please report it with the graph");
  } else {
    writeAll(STDERR_FILENO, "\ntitan-opt: cannot write a reproducer to '");
    writeAll(STDERR_FILENO, prepared.path);
    writeAll(STDERR_FILENO, "'");
  }
  writeAll(STDERR_FILENO, "\n");
  // Temporary files go; nothing else of the process is trusted any more.
  llvm::sys::RunInterruptHandlers();
  ::_exit(kExitInternal);
}

static void onSignal(int signal) {
  leaveReproducer(signal == SIGABRT  ? "aborted"
                  : signal == SIGFPE ? "arithmetic error"
                  : signal == SIGILL ? "illegal instruction"
                  : signal == SIGBUS ? "bus error"
                                     : "invalid memory access");
}

static void onFatalError(void *, const char *reason, bool) {
  leaveReproducer(reason);
}

void mlir::titan::installCrashReproducer(int argc, char **argv) {
  Prepared &prepared = getPrepared();
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "titan-opt-" + std::to_string(::getpid()) +
                                    "-reproducer.txt");
  prepared.path = path.str().str();
  prepared.header = "# titan-opt";
  for (int i = 1; i < argc; ++i)
    prepared.header += std::string(" '") + argv[i] + "'";
  prepared.header += "\n# input:\n";

  // A stack that overflowed cannot run its own handler.
  static char stack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS})
    ::sigaction(signal, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onFatalError);
}

void mlir::titan::setReproducerInput(StringRef input) {
  getPrepared().input = input;
}
