#include "Dump.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Execution/TensorFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::titan;

std::string titan::getRankPath(StringRef path, int64_t rank) {
  auto [before, after] = path.split("{rank}");
  if (before.size() == path.size())
    return path.str();
  return (before + Twine(rank) + after).str();
}

Dump::Dump(std::vector<llvm::GlobPattern> patterns, int64_t numRanks,
           StringRef folder)
    : patterns(std::move(patterns)), folder(folder), values(numRanks) {}

bool Dump::isWanted(Value value) const {
  StringRef name = getSourceName(value);
  return !name.empty() &&
         llvm::any_of(patterns, [&](const llvm::GlobPattern &pattern) {
           return pattern.match(name);
         });
}

std::string Dump::getKey(Value value, int64_t rank) {
  std::string name = getSourceName(value).str();
  auto function = value.getDefiningOp()->getParentOfType<func::FuncOp>();
  auto [it, isNew] = makers.try_emplace({rank, name}, function.getOperation());
  if (isNew || it->second == function)
    return name;
  return name + "@" + function.getSymName().str();
}

LogicalResult Dump::keep(const std::string &key, int64_t rank, Tensor value) {
  if (folder.empty()) {
    values[rank].insert_or_assign("value:" + key, std::move(value));
    return success();
  }
  std::string own = getRankPath(folder, rank);
  std::error_code code = llvm::sys::fs::create_directories(own);
  if (code || StringRef(key).contains('/')) {
    llvm::errs() << "titan-run: error: cannot write '" << key << "' into '"
                 << own
                 << "': " << (code ? code.message() : "it is no name of a file")
                 << "\n";
    return failure();
  }
  SmallString<128> path(own);
  llvm::sys::path::append(path, key + ".safetensors");
  if (llvm::Error error = writeSafetensors(path, {{key, std::move(value)}})) {
    llvm::errs() << "titan-run: error: " << llvm::toString(std::move(error))
                 << "\n";
    return failure();
  }
  return success();
}

LogicalResult Dump::addOp(const OpEvent &event) {
  if (event.depth != 1)
    return success();
  // Copies are no values of the program.
  ArenaScope outside(nullptr);
  for (OpResult result : event.op->getResults()) {
    if (!isWanted(result))
      continue;
    const RuntimeValue &value = event.results[result.getResultNumber()];
    Tensor copy;
    if (const auto *tensor = value.getIf<Tensor>())
      copy = tensor->clone();
    else if (const auto *size = value.getIf<int64_t>())
      copy = Tensor::scalar(DType::I64, *size);
    else if (const auto *number = value.getIf<double>())
      copy = Tensor::scalar(DType::F64, *number);
    else
      continue;
    if (failed(keep(getKey(result, event.rank), event.rank, std::move(copy))))
      return failure();
  }
  return success();
}
