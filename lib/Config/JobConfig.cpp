#include "titan/Config/JobConfig.h"

#include "Reader.h"
#include "titan/Interfaces/DidYouMean.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <nlohmann/json.hpp>

using namespace mlir::titan;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using nlohmann::ordered_json;

static StringRef describe(const ordered_json &value) {
  switch (value.type()) {
  case ordered_json::value_t::object:
    return "a table";
  case ordered_json::value_t::array:
    return "a list";
  case ordered_json::value_t::string:
    return "a string";
  case ordered_json::value_t::boolean:
    return "a bool";
  case ordered_json::value_t::number_integer:
  case ordered_json::value_t::number_unsigned:
    return "an integer";
  case ordered_json::value_t::number_float:
    return "a float";
  default:
    return "null";
  }
}

namespace {
/// Copies the values that the compiler obeys out of the tree.
class ConfigReader {
public:
  ConfigReader(const ordered_json &root, StringRef fileName,
               std::vector<std::string> &warnings)
      : root(root), fileName(fileName), warnings(warnings) {}

  Expected<JobConfig> read();

private:
  Error wrongType(StringRef path, StringRef expected,
                  const ordered_json &found) const;
  /// The value at `section.key`, or null.
  const ordered_json *find(StringRef section, StringRef key) const;
  Error checkSections();
  void warnOfUnknown(StringRef path, StringRef name,
                     llvm::ArrayRef<StringRef> known);
  Error read(StringRef section, StringRef key,
             std::optional<std::string> &text) const;
  Error read(StringRef section, StringRef key,
             std::optional<int64_t> &integer) const;
  Error read(StringRef section, StringRef key,
             std::optional<std::vector<std::string>> &list) const;

  const ordered_json &root;
  StringRef fileName;
  std::vector<std::string> &warnings;
};
} // namespace

Error ConfigReader::wrongType(StringRef path, StringRef expected,
                              const ordered_json &found) const {
  return llvm::createStringError(fileName + ": expected " + expected + " at '" +
                                 path + "', found " + describe(found));
}

const ordered_json *ConfigReader::find(StringRef section, StringRef key) const {
  auto table = root.find(section.str());
  if (table == root.end())
    return nullptr;
  auto value = table->find(key.str());
  // A key without a value, as JSON can say it, is a key that is not there.
  return value == table->end() || value->is_null() ? nullptr : &*value;
}

void ConfigReader::warnOfUnknown(StringRef path, StringRef name,
                                 llvm::ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, name))
    return;
  warnings.push_back((fileName + ": unknown key '" + path + name + "' ignored" +
                      didYouMean(name, known))
                         .str());
}

Error ConfigReader::checkSections() {
  if (!root.is_object())
    return llvm::createStringError(fileName + ": expected a table, found " +
                                   describe(root));
  for (const auto &[section, table] : root.items()) {
    warnOfUnknown("", section, getKnownSections());
    llvm::ArrayRef<StringRef> known = getKnownKeys(section);
    if (known.empty())
      continue;
    if (!table.is_object())
      return wrongType(section, "a table", table);
    for (const auto &[key, value] : table.items())
      warnOfUnknown(section + ".", key, known);
  }
  return Error::success();
}

Error ConfigReader::read(StringRef section, StringRef key,
                         std::optional<std::string> &text) const {
  const ordered_json *value = find(section, key);
  if (!value)
    return Error::success();
  if (!value->is_string())
    return wrongType((section + "." + key).str(), "a string", *value);
  text = value->get<std::string>();
  return Error::success();
}

Error ConfigReader::read(StringRef section, StringRef key,
                         std::optional<int64_t> &integer) const {
  const ordered_json *value = find(section, key);
  if (!value)
    return Error::success();
  if (!value->is_number_integer())
    return wrongType((section + "." + key).str(), "an integer", *value);
  integer = value->get<int64_t>();
  return Error::success();
}

Error ConfigReader::read(StringRef section, StringRef key,
                         std::optional<std::vector<std::string>> &list) const {
  const ordered_json *value = find(section, key);
  if (!value)
    return Error::success();
  std::string path = (section + "." + key).str();
  if (!value->is_array())
    return wrongType(path, "a list of strings", *value);
  list.emplace();
  for (std::size_t i = 0; i < value->size(); ++i) {
    const ordered_json &element = (*value)[i];
    if (!element.is_string())
      return wrongType((path + "[" + Twine(i) + "]").str(), "a string",
                       element);
    list->push_back(element.get<std::string>());
  }
  return Error::success();
}

Expected<JobConfig> ConfigReader::read() {
  JobConfig config;
  if (Error error = checkSections())
    return error;
  if (Error error = read("compile", "joint_passes", config.compile.jointPasses))
    return error;
  if (Error error = read("compile", "passes", config.compile.passes))
    return error;
  if (Error error =
          read("compile", "memory_policy", config.compile.memoryPolicy))
    return error;
  if (Error error = read("compile", "full_recompute_save_ops",
                         config.compile.fullRecomputeSaveOps))
    return error;
  if (Error error = read("activation_checkpoint", "mode",
                         config.activationCheckpoint.mode))
    return error;
  if (Error error = read("parallelism", "fsdp_reshard_after_forward",
                         config.parallelism.fsdpReshardAfterForward))
    return error;
  if (Error error = read("parallelism", "pipeline_parallel_degree",
                         config.parallelism.pipelineParallelDegree))
    return error;
  return config;
}

Expected<JobConfig>
mlir::titan::parseJobConfig(StringRef text, StringRef fileName,
                            std::vector<std::string> &warnings) {
  bool isJson = text.ltrim().starts_with("{");
  Expected<ordered_json> root =
      isJson ? readJson(text, fileName) : readToml(text, fileName);
  if (!root)
    return root.takeError();
  return ConfigReader(*root, fileName, warnings).read();
}
