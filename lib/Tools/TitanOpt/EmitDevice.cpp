// `--emit=ptx` and `--emit=cubin`: a folder with a file for each function and a
// manifest. Nothing is written unless all of it can be.
#include "OutputFile.h"
#include "Session.h"

#include "titan/Codegen/NVVM/DeviceProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::titan;

static LogicalResult failWith(llvm::Error error) {
  printError(toString(std::move(error)));
  return failure();
}

// PTX, or what ptxas makes of it.
static llvm::Expected<std::string> makeCode(DeviceProgram &program,
                                            const Options &options,
                                            const DeviceTarget &target,
                                            StringRef libdevice) {
  llvm::Expected<DeviceCode> code =
      compileDeviceKernels(*program.kernels, target, libdevice);
  if (!code)
    return code.takeError();
  if (options.emit == "ptx")
    return std::move(code->ptx);
  llvm::Expected<std::string> ptxas = findPtxas(options.cudaPath);
  if (!ptxas)
    return ptxas.takeError();
  return assemblePtx(*ptxas, code->ptx, target);
}

static LogicalResult
writeFolder(StringRef folder,
            ArrayRef<std::pair<std::string, std::string>> files) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder)) {
    printError("cannot make the folder '" + folder + "': " + code.message());
    return failure();
  }
  std::vector<std::unique_ptr<OutputFile>> outputs;
  for (const auto &[name, content] : files) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    std::string error;
    outputs.push_back(OutputFile::open(path, error));
    if (!outputs.back()) {
      printError(error);
      return failure();
    }
    outputs.back()->os() << content;
  }
  for (const auto &output : outputs)
    if (std::string error = output->commit(); !error.empty()) {
      printError(error);
      return failure();
    }
  return success();
}

LogicalResult Session::emitDevice() {
  auto module = dyn_cast<ModuleOp>(*root);
  if (!module) {
    printError("'--emit=" + options.emit + "' needs a module, found '" +
               root->getName().getStringRef() + "'");
    return failure();
  }
  llvm::Expected<DeviceTarget> target = getDeviceTarget(options.target);
  if (!target) {
    printError(toString(target.takeError()));
    return fail(kExitUsage);
  }
  llvm::Expected<std::string> libdevice = findLibdevice(options.cudaPath);
  if (!libdevice) {
    printError(toString(libdevice.takeError()));
    return fail(kExitUsage);
  }
  SmallVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      names.push_back(function.getSymName());
  std::vector<DeviceProgram> programs;
  for (StringRef name : names)
    programs.push_back(buildDeviceProgram(module, name));
  if (failed(checkLowered(programs, names)))
    return failure();
  std::vector<std::pair<std::string, std::string>> files;
  llvm::json::Array functions;
  for (auto [program, name] : llvm::zip_equal(programs, names)) {
    llvm::Expected<std::string> code =
        makeCode(program, options, *target, *libdevice);
    if (!code)
      return failWith(code.takeError());
    std::string file = (name + "." + options.emit).str();
    functions.push_back(describeDeviceFunction(program, name, file));
    files.emplace_back(file, std::move(*code));
  }
  llvm::json::Object manifest{{"schema", "titan.kernels/1"},
                              {"target", target->chip},
                              {"functions", std::move(functions)}};
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(manifest)));
  files.emplace_back("manifest.json", text);
  return writeFolder(options.output, files);
}
