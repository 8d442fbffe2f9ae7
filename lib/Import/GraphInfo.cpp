// Reads graph-info files. Only known keys are looked at, so that a larger file
// that holds them (a recorded result, say) serves as one.
#include "titan/Import/GraphInfo.h"

#include "titan/Import/Comment.h"
#include "titan/Import/SourceText.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::titan;
using Json = nlohmann::json;

namespace {

/// Reads one file. Methods that return a bool return true after a diagnostic.
class GraphInfoReader {
public:
  GraphInfoReader(MLIRContext *context, StringRef name, GraphInfo &info)
      : context(context), name(name), info(info) {}

  bool read(const Json &root);

private:
  bool fail(const std::string &path, StringRef expected, const Json &found);
  bool readInteger(const std::string &path, const Json &json, int64_t &value);
  bool readFlag(const std::string &path, const Json &json, bool &value);
  bool readPolicy(const std::string &path, const Json &json,
                  std::optional<Policy> &policy);
  bool readPhase(const std::string &path, const Json &json, Phase &phase);
  bool readStaticInputs(const Json &json);
  bool readSymbols(const Json &json);
  bool readTags(const Json &json);
  bool readRuns(const Json &json);
  bool readDescriptors(const Json &json);
  bool readMeta(const Json &json);

  MLIRContext *context;
  StringRef name;
  GraphInfo &info;
};

} // namespace

bool GraphInfoReader::fail(const std::string &path, StringRef expected,
                           const Json &found) {
  std::string text;
  if (found.is_array())
    text = "a list of " + std::to_string(found.size());
  else if (found.is_object())
    text = "an object of " + std::to_string(found.size()) + " keys";
  else
    text =
        getExcerpt(found.dump(-1, ' ', false, Json::error_handler_t::replace));
  mlir::emitError(UnknownLoc::get(context))
      << name << ": expected '" << path << "' to be " << expected << ", found "
      << text;
  return true;
}

bool GraphInfoReader::readInteger(const std::string &path, const Json &json,
                                  int64_t &value) {
  if (!json.is_number_integer())
    return fail(path, "an integer", json);
  value = json.get<int64_t>();
  return false;
}

bool GraphInfoReader::readFlag(const std::string &path, const Json &json,
                               bool &value) {
  if (!json.is_boolean())
    return fail(path, "true or false", json);
  value = json.get<bool>();
  return false;
}

bool GraphInfoReader::readPolicy(const std::string &path, const Json &json,
                                 std::optional<Policy> &policy) {
  if (json.is_string())
    policy = parsePolicyName(json.get_ref<const std::string &>());
  if (!policy)
    return fail(path, "a policy such as \"MUST_SAVE\"", json);
  return false;
}

bool GraphInfoReader::readPhase(const std::string &path, const Json &json,
                                Phase &phase) {
  std::optional<Phase> read;
  if (json.is_string())
    read = parsePhaseTag(json.get_ref<const std::string &>());
  if (!read)
    return fail(path, "a partitioner tag such as \"is_forward\"", json);
  phase = *read;
  return false;
}

bool GraphInfoReader::readStaticInputs(const Json &json) {
  if (!json.is_array())
    return fail("static_inputs", "a list of positions", json);
  for (auto [index, entry] : llvm::enumerate(json)) {
    int64_t position = 0;
    std::string path = "static_inputs[" + std::to_string(index) + "]";
    if (readInteger(path, entry, position))
      return true;
    if (position < 0)
      return fail(path, "at least 0", entry);
    info.staticInputs.push_back(position);
  }
  return false;
}

bool GraphInfoReader::readSymbols(const Json &json) {
  if (!json.is_object())
    return fail("symbols", "an object", json);
  for (const auto &[symbol, hint] : json.items()) {
    std::optional<int64_t> value;
    if (!hint.is_null() &&
        readInteger("symbols." + symbol, hint, value.emplace()))
      return true;
    info.symbols.emplace_back(symbol, value);
  }
  return false;
}

bool GraphInfoReader::readTags(const Json &json) {
  if (!json.is_object())
    return fail("tags", "an object", json);
  for (const auto &[value, tags] : json.items()) {
    std::string path = "tags." + value;
    if (!tags.is_object())
      return fail(path, "an object", tags);
    ValueInfo &entry = info.values[value];
    for (const auto &[key, tag] : tags.items()) {
      std::string keyPath = path + "." + key;
      bool failed = false;
      if (tag.is_null())
        continue;
      if (key == "recompute")
        failed = readPolicy(keyPath, tag, entry.policy);
      else if (key == "ac_graph_id")
        failed = readInteger(keyPath, tag, entry.acGraphId.emplace());
      else if (key == "has_backward_hook")
        failed = readFlag(keyPath, tag, entry.hasBackwardHook);
      else if (key == "saved_tensor_with_no_vc_check")
        failed = readFlag(keyPath, tag, entry.noVersionCheck);
      else if (key == "aot_runtime_epilogue_input_mutation")
        failed = readFlag(keyPath, tag, entry.epilogueMutation);
      if (failed)
        return true;
    }
  }
  return false;
}

bool GraphInfoReader::readRuns(const Json &json) {
  if (!json.is_array())
    return fail("partitioner_tags", "a list of runs", json);
  for (auto [index, run] : llvm::enumerate(json)) {
    std::string path = "partitioner_tags[" + std::to_string(index) + "]";
    if (!run.is_array() || run.size() != 3 || !run[1].is_string() ||
        !run[2].is_string())
      return fail(path, "[tag, first value, last value]", run);
    // A run without a tag says nothing.
    if (run[0].is_null())
      continue;
    PhaseRun read{Phase::Forward, run[1].get<std::string>(),
                  run[2].get<std::string>()};
    if (readPhase(path + "[0]", run[0], read.phase))
      return true;
    info.runs.push_back(std::move(read));
  }
  return false;
}

bool GraphInfoReader::readDescriptors(const Json &json) {
  if (!json.is_object())
    return fail("placeholder_desc", "an object", json);
  for (const auto &[value, text] : json.items()) {
    if (!text.is_string())
      return fail("placeholder_desc." + value, "a string", text);
    info.values[value].descriptor = text.get<std::string>();
  }
  return false;
}

static Attribute getAttribute(MLIRContext *context, const Json &json) {
  Builder builder(context);
  if (json.is_boolean())
    return builder.getBoolAttr(json.get<bool>());
  if (json.is_number_integer())
    return builder.getI64IntegerAttr(json.get<int64_t>());
  if (json.is_number_float())
    return builder.getF64FloatAttr(json.get<double>());
  if (json.is_string())
    return builder.getStringAttr(json.get_ref<const std::string &>());
  if (json.is_null())
    return NoneAttr::get(context);
  return PythonAttr::get(
      context, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool GraphInfoReader::readMeta(const Json &json) {
  if (!json.is_object())
    return fail("meta", "an object", json);
  for (const auto &[value, meta] : json.items()) {
    std::string path = "meta." + value;
    if (!meta.is_object())
      return fail(path, "an object", meta);
    if (auto fqn = meta.find("fqn"); fqn != meta.end() && !fqn->is_null()) {
      if (!fqn->is_string())
        return fail(path + ".fqn", "a string", *fqn);
      info.values[value].module = fqn->get<std::string>();
    }
    if (auto part = meta.find("part"); part != meta.end() && !part->is_null()) {
      Phase phase = Phase::Forward;
      if (readPhase(path + ".part", *part, phase))
        return true;
      info.values[value].phase = phase;
    }
    auto custom = meta.find("custom");
    if (custom == meta.end() || custom->is_null())
      continue;
    if (!custom->is_object())
      return fail(path + ".custom", "an object", *custom);
    NamedAttrList entries;
    for (const auto &[key, entry] : custom->items()) {
      if (key.empty())
        continue;
      // The module path has an attribute of its own.
      if (key != "module_fqn")
        entries.set(key, getAttribute(context, entry));
      else if (entry.is_string() && !info.values[value].module)
        info.values[value].module = entry.get<std::string>();
    }
    info.values[value].custom = entries.getDictionary(context);
  }
  return false;
}

bool GraphInfoReader::read(const Json &root) {
  if (!root.is_object())
    return fail("the file", "an object", root);
  auto with = [&](StringRef key, auto &&readKey) {
    auto entry = root.find(key.str());
    return entry != root.end() && !entry->is_null() && readKey(*entry);
  };
  return with("num_forward_outputs",
              [&](const Json &json) {
                return readInteger("num_forward_outputs", json,
                                   info.numForwardOutputs.emplace());
              }) ||
         with("static_inputs",
              [&](const Json &json) { return readStaticInputs(json); }) ||
         with("symbols", [&](const Json &json) { return readSymbols(json); }) ||
         with("meta", [&](const Json &json) { return readMeta(json); }) ||
         with("tags", [&](const Json &json) { return readTags(json); }) ||
         with("partitioner_tags",
              [&](const Json &json) { return readRuns(json); }) ||
         with("placeholder_desc",
              [&](const Json &json) { return readDescriptors(json); });
}

FailureOr<GraphInfo> titan::parseGraphInfo(MLIRContext *context, StringRef text,
                                           StringRef name) {
  GraphInfo info;
  if (text.empty())
    return info;
  Json root = Json::parse(text.begin(), text.end(), nullptr,
                          /*allow_exceptions=*/false);
  if (root.is_discarded())
    return mlir::emitError(UnknownLoc::get(context))
           << name << ": expected JSON, found '" << getExcerpt(text) << "'";
  if (GraphInfoReader(context, name, info).read(root))
    return failure();
  return info;
}
