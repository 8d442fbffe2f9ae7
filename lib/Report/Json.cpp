// The report as JSON: the contract of docs/report.schema.json.
#include "titan/Report/Report.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::titan;

using Json = nlohmann::ordered_json;

/// Absent where the text is empty: `null`.
static Json orNull(const std::string &text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

template <typename T>
static Json orNull(const std::optional<T> &value) {
  return value ? Json(*value) : Json(nullptr);
}

static Json makeInput(const Report::Input &input) {
  Json json = Json::object();
  json["file"] = input.file;
  json["format"] = input.format;
  json["graph"] = input.graph;
  json["ops"] = input.ops;
  json["arguments"] = input.arguments;
  json["forward_outputs"] = orNull(input.forwardOutputs);
  json["fingerprint"] = input.fingerprint;
  return json;
}

static Json makePass(const Report::PassCounts &pass) {
  Json json = Json::object();
  json["name"] = pass.name;
  for (const auto &[key, count] : pass.counts) {
    auto [outer, inner] = StringRef(key).split('.');
    if (inner.empty())
      json[outer.str()] = count;
    else
      json[outer.str()][inner.str()] = count;
  }
  return json;
}

static Json makeSaved(const PlanSummary::Saved &saved) {
  Json json = Json::object();
  json["name"] = saved.name;
  json["kind"] = saved.kind;
  json["type"] = saved.type;
  json["bytes"] = saved.bytes;
  json["reason"] = saved.reason;
  json["op"] = orNull(saved.op);
  json["module"] = orNull(saved.module);
  json["location"] = orNull(saved.location);
  return json;
}

static Json makeRecomputed(const PlanSummary::Recomputed &recomputed) {
  Json json = Json::object();
  json["name"] = recomputed.name;
  json["op"] = recomputed.op;
  json["bytes"] = recomputed.bytes;
  json["reason"] = recomputed.reason;
  json["module"] = orNull(recomputed.module);
  json["location"] = orNull(recomputed.location);
  return json;
}

static Json makePartition(const Report::Partition &partition) {
  const PlanSummary &plan = partition.plan;
  Json json = Json::object();
  json["partitioner"] = partition.partitioner;
  json["compat"] = partition.compat;
  json["saved"] = Json::array();
  for (const PlanSummary::Saved &saved : plan.saved)
    json["saved"].push_back(makeSaved(saved));
  json["saved_bytes"] = plan.savedBytes;
  json["saved_storage_bytes"] = plan.savedStorageBytes;
  json["recomputed"] = Json::array();
  for (const PlanSummary::Recomputed &recomputed : plan.recomputed)
    json["recomputed"].push_back(makeRecomputed(recomputed));
  json["forward_ops"] = plan.forwardOps;
  json["backward_ops"] = plan.backwardOps;
  json["cut"] = {{"vertices", plan.cut.vertices},
                 {"edges", plan.cut.edges},
                 {"value", plan.cut.value}};
  json["forward_flops"] = orNull(partition.forwardFlops);
  json["recomputed_flops"] = orNull(partition.recomputedFlops);
  json["ops_of_unknown_cost"] = partition.opsOfUnknownCost;
  return json;
}

static Json makeTags(const std::vector<NodeTag> &tags) {
  // operator[] searches from the front, which would be quadratic here.
  Json json = Json::object();
  auto &entries = json.get_ref<Json::object_t &>();
  for (const NodeTag &tag : tags)
    entries.push_back({tag.name, Json{getTorchPolicyName(tag.policy).str(),
                                      orNull(tag.acGraphId)}});
  return json;
}

static Json makePeak(const Report::Peak &peak) {
  Json json = Json::object();
  json["bytes"] = peak.bytes;
  json["resident_bytes"] = peak.residentBytes;
  json["saved_bytes"] = peak.savedBytes;
  json["at"] = {{"name", orNull(peak.name)},
                {"op", orNull(peak.op)},
                {"function", peak.function},
                {"module", orNull(peak.module)},
                {"location", orNull(peak.location)}};
  json["live"] = Json::array();
  for (const Report::LiveValue &live : peak.live)
    json["live"].push_back({{"name", live.name},
                            {"type", live.type},
                            {"bytes", live.bytes},
                            {"module", orNull(live.module)}});
  return json;
}

std::string mlir::titan::toJson(const Report &report) {
  Json json = Json::object();
  json["schema"] = "titan.report/1";
  json["input"] = makeInput(report.input);
  json["passes"] = Json::array();
  for (const Report::PassCounts &pass : report.passes)
    json["passes"].push_back(makePass(pass));
  json["partition"] =
      report.partition ? makePartition(*report.partition) : Json(nullptr);
  json["tags"] = makeTags(report.tags);
  json["peak"] = report.peak ? makePeak(*report.peak) : Json(nullptr);
  // Names may hold any bytes; JSON may not.
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}
