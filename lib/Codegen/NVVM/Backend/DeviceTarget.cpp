// Nothing of the toolkit is linked or needed at build time: libdevice is a file
// that is read, ptxas a program that is run.
#include "titan/Codegen/NVVM/DeviceTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::titan;

namespace {
struct KnownChip {
  llvm::StringLiteral chip;
  llvm::StringLiteral features;
};
} // namespace

// The least PTX version that knows the chip and its conversions of bf16.
static constexpr KnownChip kChips[] = {
    {"sm_80", "+ptx78"},  {"sm_86", "+ptx78"},  {"sm_89", "+ptx78"},
    {"sm_90", "+ptx80"},  {"sm_90a", "+ptx80"}, {"sm_100", "+ptx86"},
    {"sm_100a", "+ptx86"}};

llvm::Expected<DeviceTarget>
mlir::titan::getDeviceTarget(llvm::StringRef chip) {
  const auto *known = llvm::find_if(
      kChips, [&](const KnownChip &entry) { return entry.chip == chip; });
  if (known != std::end(kChips))
    return DeviceTarget{known->chip.str(), known->features.str()};
  std::string names = llvm::join(
      llvm::map_range(kChips,
                      [](const KnownChip &entry) { return entry.chip.str(); }),
      ", ");
  return llvm::createStringError("there is no target '" + chip +
                                 "'; use one of " + names);
}

// The folders that may hold a toolkit, the first one first.
static llvm::SmallVector<std::string> getToolkitFolders(llvm::StringRef path) {
  if (!path.empty())
    return {path.str()};
  llvm::SmallVector<std::string> folders;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME");
      home && !home->empty())
    folders.push_back(*home);
  folders.push_back("/usr/local/cuda");
  if (auto ptxas = llvm::sys::findProgramByName("ptxas")) {
    llvm::StringRef bin = llvm::sys::path::parent_path(*ptxas);
    folders.push_back(llvm::sys::path::parent_path(bin).str());
  }
  return folders;
}

static llvm::Expected<std::string> findFile(llvm::StringRef cudaPath,
                                            llvm::StringRef file,
                                            llvm::StringRef purpose) {
  std::string tried;
  for (llvm::StringRef folder : getToolkitFolders(cudaPath)) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
    tried += (tried.empty() ? "'" : ", '") + path.str().str() + "'";
  }
  return llvm::createStringError("cannot find " + purpose + ": there is no " +
                                 tried +
                                 "; give the CUDA toolkit's folder with "
                                 "'--cuda-path' or CUDA_HOME");
}

llvm::Expected<std::string>
mlir::titan::findLibdevice(llvm::StringRef cudaPath) {
  return findFile(cudaPath, "nvvm/libdevice/libdevice.10.bc",
                  "the functions that kernels call");
}

llvm::Expected<std::string> mlir::titan::findPtxas(llvm::StringRef cudaPath) {
  return findFile(cudaPath, "bin/ptxas", "the assembler 'ptxas'");
}

namespace {
/// A file in the folder of temporary files that is removed in the end.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix)
      : error(llvm::sys::fs::createTemporaryFile("titan", suffix, path)),
        remover(path) {}

  llvm::SmallString<128> path;
  std::error_code error;

private:
  llvm::FileRemover remover;
};
} // namespace

llvm::Expected<std::string>
mlir::titan::assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx,
                         const DeviceTarget &target) {
  TemporaryFile input("ptx"), output("cubin"), messages("log");
  for (const TemporaryFile *file : {&input, &output, &messages})
    if (file->error)
      return llvm::createStringError("cannot make a temporary file: " +
                                     file->error.message());
  std::error_code error;
  llvm::raw_fd_ostream stream(input.path, error);
  stream << ptx;
  stream.close();
  if (error || stream.has_error())
    return llvm::createStringError("cannot write '" + input.path.str() + "'");
  std::string chip = "--gpu-name=" + target.chip;
  llvm::StringRef arguments[] = {ptxas, chip,        "-O3",
                                 "-o",  output.path, input.path};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(),
                                                llvm::StringRef(messages.path),
                                                llvm::StringRef(messages.path)};
  std::string why;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, 0, 0, &why);
  if (code != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(messages.path))
      why += (*text)->getBuffer().trim();
    return llvm::createStringError("'ptxas' failed: " + why);
  }
  auto cubin = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return llvm::createStringError("cannot read what 'ptxas' wrote: " +
                                   cubin.getError().message());
  return (*cubin)->getBuffer().str();
}
