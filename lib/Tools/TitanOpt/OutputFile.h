// Output that is there whole or not at all.
#ifndef TITAN_LIB_TOOLS_TITANOPT_OUTPUTFILE_H
#define TITAN_LIB_TOOLS_TITANOPT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace mlir::titan {

/// A file that appears under its name only when commit() is called: until then
/// it has a temporary name beside the target, which the destructor removes. A
/// target that exists and is no regular file (a device, a pipe) is written
/// directly, and so is the standard output.
class OutputFile {
public:
  /// Opens \p path, `-` or empty for the standard output; null with \p error
  /// set if that fails.
  static std::unique_ptr<OutputFile> open(llvm::StringRef path,
                                          std::string &error);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  llvm::raw_ostream &os() { return *stream; }

  /// Whether the reader went away (a pipe into `head`): then nothing is wrong,
  /// and nothing more needs to be written.
  bool isReaderGone() const;

  /// Makes the output final. Returns what went wrong, empty if nothing.
  std::string commit();

private:
  OutputFile() = default;

  std::string path;
  /// Empty when written directly.
  std::string temporary;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

} // namespace mlir::titan

#endif // TITAN_LIB_TOOLS_TITANOPT_OUTPUTFILE_H
