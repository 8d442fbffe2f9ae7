#include "titan/Report/PlanFile.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::titan;

using Json = nlohmann::ordered_json;

std::string mlir::titan::toPlanJson(const GraphSignature &signature,
                                    const Report &report,
                                    const std::vector<PlannedValue> &values) {
  const Report::Partition &partition = *report.partition;
  Json json = Json::object();
  json["schema"] = "titan.plan/1";
  json["fingerprint"] = signature.fingerprint;
  json["partitioner"] = partition.partitioner;
  json["compat"] = partition.compat;
  json["forward_outputs"] = report.input.forwardOutputs.value_or(0);
  json["saved"] = Json::array();
  for (const PlanSummary::Saved &saved : partition.plan.saved)
    json["saved"].push_back(
        {{"name", saved.name}, {"kind", saved.kind}, {"bytes", saved.bytes}});
  json["saved_bytes"] = partition.plan.savedBytes;
  // operator[] searches from the front, which would be quadratic here.
  json["values"] = Json::object();
  auto &entries = json["values"].get_ref<Json::object_t &>();
  for (const PlannedValue &value : values)
    entries.push_back({value.name, value.isSaved ? "save" : "recompute"});
  json["merged"] = Json::object();
  auto &merged = json["merged"].get_ref<Json::object_t &>();
  for (const MergedValue &value : partition.plan.merged)
    merged.push_back({value.name, value.by});
  json["nodes"] = signature.nodes;
  return json.dump(1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}
