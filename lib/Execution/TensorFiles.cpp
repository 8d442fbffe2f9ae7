// Which reader and writer a place on the command line asks for.
#include "titan/Execution/TensorFiles.h"

#include "titan/Execution/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace mlir::titan;

namespace fs = llvm::sys::fs;

static constexpr StringLiteral kExtension = ".npy";

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// One tensor of a place: its name, and the file that holds it.
struct Entry {
  StringRef name, path;
};
} // namespace

// `NAME=FILE.npy`, taken apart.
static std::optional<Entry> getEntry(StringRef place) {
  auto [name, path] = place.split('=');
  if (!path.ends_with(kExtension) || name.empty() || name.contains('/'))
    return std::nullopt;
  return Entry{name, path};
}

static bool isFolder(StringRef place) {
  return place.ends_with("/") || fs::is_directory(place);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<Tensor> readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read '" + path + "': " + code.message());
  llvm::Expected<Tensor> tensor = parseNpy((*buffer)->getBuffer());
  if (!tensor)
    return makeError("'" + path + "': " + llvm::toString(tensor.takeError()));
  return tensor;
}

// The .npy files of a folder, in the order of their names.
static llvm::Expected<std::set<std::string>> listFolder(StringRef folder) {
  std::set<std::string> paths;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (StringRef(it->path()).ends_with(kExtension))
      paths.insert(it->path());
  if (code)
    return makeError("cannot read '" + folder + "': " + code.message());
  if (paths.empty())
    return makeError("expected files 'NAME.npy' in '" + folder +
                     "', found none");
  return paths;
}

static llvm::Expected<TensorMap> readPlace(StringRef place) {
  TensorMap tensors;
  if (std::optional<Entry> entry = getEntry(place)) {
    llvm::Expected<Tensor> tensor = readNpy(entry->path);
    if (!tensor)
      return tensor.takeError();
    tensors.emplace(entry->name.str(), *tensor);
    return tensors;
  }
  if (place.ends_with(kExtension))
    return makeError("expected 'NAME=" + place +
                     "': an .npy file does not say what it holds");
  if (!isFolder(place))
    return readSafetensors(place);
  llvm::Expected<std::set<std::string>> paths = listFolder(place);
  if (!paths)
    return paths.takeError();
  for (const std::string &path : *paths) {
    llvm::Expected<Tensor> tensor = readNpy(path);
    if (!tensor)
      return tensor.takeError();
    tensors.emplace(llvm::sys::path::stem(path).str(), *tensor);
  }
  return tensors;
}

llvm::Expected<TensorMap> titan::readTensorFiles(ArrayRef<std::string> places) {
  TensorMap all;
  for (const std::string &place : places) {
    llvm::Expected<TensorMap> tensors = readPlace(place);
    if (!tensors)
      return tensors.takeError();
    for (auto &[name, tensor] : *tensors)
      if (!all.emplace(name, tensor).second)
        return makeError("'" + name + "' is given twice, the second time by '" +
                         place + "'");
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Error titan::writeWholeFile(StringRef path, StringRef content) {
  auto fail = [&](const Twine &why) {
    return makeError("cannot write '" + path + "': " + why);
  };
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status)) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (code)
      return fail(code.message());
    stream << content;
    return llvm::Error::success();
  }
  if (llvm::Error error =
          llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
            stream << content;
            return llvm::Error::success();
          }))
    return fail(llvm::toString(std::move(error)));
  return llvm::Error::success();
}

static llvm::Error writeNpy(StringRef path, StringRef name,
                            const Tensor &tensor) {
  llvm::Expected<std::string> content = formatNpy(tensor);
  if (!content)
    return makeError("cannot write '" + name + "' to '" + path +
                     "': " + llvm::toString(content.takeError()));
  return writeWholeFile(path, *content);
}

static llvm::Error writeFolder(StringRef folder, const TensorMap &tensors) {
  // What the format cannot hold is said before there is a first file.
  for (const auto &[name, tensor] : tensors) {
    if (StringRef(name).contains('/'))
      return makeError("'" + name +
                       "' is no name of a file; use a "
                       "safetensors file");
    if (auto content = formatNpy(Tensor(tensor.getDType(), {})); !content)
      return makeError("'" + name +
                       "': " + llvm::toString(content.takeError()));
  }
  if (std::error_code code = fs::create_directories(folder))
    return makeError("cannot make '" + folder + "': " + code.message());
  for (const auto &[name, tensor] : tensors) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name + kExtension);
    if (llvm::Error error = writeNpy(path, name, tensor))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error titan::writeTensorFiles(ArrayRef<std::string> places,
                                    const TensorMap &tensors) {
  for (const std::string &place : places) {
    std::optional<Entry> entry = getEntry(place);
    if (entry && !tensors.contains(entry->name.str()))
      return makeError("there is no '" + entry->name + "' to write to '" +
                       entry->path + "'");
    if (!entry && StringRef(place).ends_with(kExtension))
      return makeError("expected 'NAME=" + place +
                       "': an .npy file holds one tensor");
  }
  for (const std::string &place : places) {
    std::optional<Entry> entry = getEntry(place);
    llvm::Error error = entry ? writeNpy(entry->path, entry->name,
                                         tensors.at(entry->name.str()))
                        : isFolder(place) ? writeFolder(place, tensors)
                                          : writeSafetensors(place, tensors);
    if (error)
      return error;
  }
  return llvm::Error::success();
}
