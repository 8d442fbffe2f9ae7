#include "OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

using namespace mlir::titan;
using llvm::StringRef;

// Of a file's block come many small writes.
static constexpr size_t kBufferSize = size_t(64) << 10;

static std::string describe(StringRef path, std::error_code code) {
  StringRef name = path == "-" ? StringRef("the standard output") : path;
  return ("cannot write '" + name + "': " + StringRef(code.message())).str();
}

std::unique_ptr<OutputFile> OutputFile::open(StringRef path,
                                             std::string &error) {
  std::unique_ptr<OutputFile> file(new OutputFile());
  file->path = path.empty() ? "-" : path.str();
  std::error_code code;
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(file->path, status) &&
                llvm::sys::fs::exists(status);
  if (exists && status.type() == llvm::sys::fs::file_type::directory_file) {
    error = "cannot write '" + file->path + "': it is a directory";
    return nullptr;
  }
  if (file->path == "-" ||
      (exists && status.type() != llvm::sys::fs::file_type::regular_file)) {
    file->stream = std::make_unique<llvm::raw_fd_ostream>(file->path, code);
    if (code) {
      error = describe(file->path, code);
      file->stream->clear_error();
      return nullptr;
    }
    return file;
  }
  // A link stays a link: what it leads to is replaced.
  llvm::SmallString<128> target(file->path);
  if (exists && !llvm::sys::fs::real_path(file->path, target))
    file->path = target.str().str();
  int descriptor = -1;
  llvm::SmallString<128> temporary;
  unsigned mode =
      exists ? unsigned(status.permissions())
             : unsigned(llvm::sys::fs::all_read | llvm::sys::fs::all_write);
  code =
      llvm::sys::fs::createUniqueFile(file->path + ".%%%%%%.tmp", descriptor,
                                      temporary, llvm::sys::fs::OF_None, mode);
  if (code) {
    error = describe(file->path, code);
    return nullptr;
  }
  file->temporary = temporary.str().str();
  llvm::sys::RemoveFileOnSignal(file->temporary);
  file->stream =
      std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/true);
  file->stream->SetBufferSize(kBufferSize);
  return file;
}

OutputFile::~OutputFile() {
  if (stream) {
    stream->flush();
    // An error that commit() did not report must not end the process here.
    stream->clear_error();
    stream.reset();
  }
  if (temporary.empty())
    return;
  llvm::sys::fs::remove(temporary);
  llvm::sys::DontRemoveFileOnSignal(temporary);
}

bool OutputFile::isReaderGone() const {
  return stream->error() == std::errc::broken_pipe;
}

std::string OutputFile::commit() {
  stream->flush();
  std::error_code code = stream->error();
  bool gone = isReaderGone();
  stream->clear_error();
  if (code)
    return gone ? std::string() : describe(path, code);
  if (temporary.empty())
    return {};
  stream->close();
  if (stream->has_error()) {
    code = stream->error();
    stream->clear_error();
    return describe(path, code);
  }
  code = llvm::sys::fs::rename(temporary, path);
  if (code)
    return describe(path, code);
  llvm::sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
  return {};
}
