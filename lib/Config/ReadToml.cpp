#include "Reader.h"

#include "llvm/ADT/Twine.h"
#include <nlohmann/json.hpp>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

using namespace mlir;
using nlohmann::ordered_json;

static ordered_json convert(const toml::node &node);

static ordered_json convert(const toml::table &table) {
  ordered_json object = ordered_json::object();
  for (auto &&[key, value] : table)
    object[std::string(key.str())] = convert(value);
  return object;
}

static ordered_json convert(const toml::array &array) {
  ordered_json list = ordered_json::array();
  for (const toml::node &element : array)
    list.push_back(convert(element));
  return list;
}

static ordered_json convert(const toml::node &node) {
  if (const toml::table *table = node.as_table())
    return convert(*table);
  if (const toml::array *array = node.as_array())
    return convert(*array);
  if (const auto *text = node.as_string())
    return text->get();
  if (const auto *flag = node.as_boolean())
    return flag->get();
  if (const auto *integer = node.as_integer())
    return integer->get();
  if (const auto *number = node.as_floating_point())
    return number->get();
  // Dates and times: no key that Titan reads holds one.
  return nullptr;
}

llvm::Expected<ordered_json> titan::readToml(llvm::StringRef text,
                                             llvm::StringRef fileName) {
  toml::parse_result result =
      toml::parse(std::string_view(text.data(), text.size()));
  if (result)
    return convert(result.table());
  const toml::parse_error &error = result.error();
  toml::source_position begin = error.source().begin;
  std::string_view description = error.description();
  return llvm::createStringError(
      fileName + ":" + llvm::Twine(begin.line) + ":" +
      llvm::Twine(begin.column) + ": expected TOML: " +
      llvm::StringRef(description.data(), description.size()));
}
