// The report as JSON: the contract of docs/report.schema.json.
#include "titan/Report/Report.h"

#include "JsonWriter.h"

using namespace mlir;
using namespace mlir::titan;

using Json = JsonWriter::Json;

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

static void write(JsonWriter &writer, const PlanSummary::Saved &saved) {
  writer.beginObject();
  writer.member("name", StringRef(saved.name));
  writer.member("kind", StringRef(saved.kind));
  writer.member("type", StringRef(saved.type));
  writer.member("bytes", saved.bytes);
  writer.member("reason", StringRef(saved.reason));
  writer.memberOrNull("op", StringRef(saved.op));
  writer.memberOrNull("module", StringRef(saved.module));
  writer.memberOrNull("location", StringRef(saved.location));
  writer.endObject();
}

static void write(JsonWriter &writer,
                  const PlanSummary::Recomputed &recomputed) {
  writer.beginObject();
  writer.member("name", StringRef(recomputed.name));
  writer.member("op", StringRef(recomputed.op));
  writer.member("bytes", recomputed.bytes);
  writer.member("reason", StringRef(recomputed.reason));
  writer.memberOrNull("module", StringRef(recomputed.module));
  writer.memberOrNull("location", StringRef(recomputed.location));
  writer.endObject();
}

template <typename Entries>
static void writeList(JsonWriter &writer, StringRef key,
                      const Entries &entries) {
  writer.key(key);
  writer.beginArray();
  for (const auto &entry : entries)
    write(writer, entry);
  writer.endArray();
}

static void write(JsonWriter &writer, const Report::Partition &partition) {
  const PlanSummary &plan = partition.plan;
  writer.beginObject();
  writer.member("partitioner", StringRef(partition.partitioner));
  writer.member("compat", StringRef(partition.compat));
  writeList(writer, "saved", plan.saved);
  writer.member("saved_bytes", plan.savedBytes);
  writer.member("saved_storage_bytes", plan.savedStorageBytes);
  writeList(writer, "recomputed", plan.recomputed);
  writer.member("forward_ops", plan.forwardOps);
  writer.member("backward_ops", plan.backwardOps);
  writer.member("cut", Json{{"vertices", plan.cut.vertices},
                            {"edges", plan.cut.edges},
                            {"value", plan.cut.value}});
  writer.memberOrNull("forward_flops", partition.forwardFlops);
  writer.memberOrNull("recomputed_flops", partition.recomputedFlops);
  writer.member("ops_of_unknown_cost", partition.opsOfUnknownCost);
  writer.endObject();
}

static void write(JsonWriter &writer, const NodeTag &tag) {
  writer.key(tag.name);
  writer.beginArray();
  writer.value(StringRef(getTorchPolicyName(tag.policy)));
  writer.valueOrNull(tag.acGraphId);
  writer.endArray();
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
  std::string text;
  JsonWriter writer(text);
  writer.beginObject();
  writer.member("schema", StringRef("titan.report/1"));
  writer.member("input", makeInput(report.input));
  writer.key("passes");
  writer.beginArray();
  for (const Report::PassCounts &pass : report.passes)
    writer.value(makePass(pass));
  writer.endArray();
  writer.key("partition");
  if (report.partition)
    write(writer, *report.partition);
  else
    writer.null();
  writer.key("tags");
  writer.beginObject();
  for (const NodeTag &tag : report.tags)
    write(writer, tag);
  writer.endObject();
  writer.member("peak", report.peak ? makePeak(*report.peak) : Json(nullptr));
  writer.endObject();
  text += '\n';
  return text;
}
