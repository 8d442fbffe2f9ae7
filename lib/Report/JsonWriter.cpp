#include "JsonWriter.h"

#include "llvm/ADT/STLExtras.h"

#include <charconv>

using namespace mlir::titan;
using llvm::StringRef;

void JsonWriter::breakLine() {
  text += '\n';
  text.append(size_t(2) * depth, ' ');
}

void JsonWriter::separate() {
  if (std::exchange(isAfterKey, false) || depth == 0)
    return;
  if (!std::exchange(isEmpty, false))
    text += ',';
  breakLine();
}

void JsonWriter::begin(char bracket) {
  separate();
  text += bracket;
  ++depth;
  isEmpty = true;
}

void JsonWriter::end(char bracket) {
  --depth;
  if (!std::exchange(isEmpty, false))
    breakLine();
  text += bracket;
}

void JsonWriter::key(StringRef name) {
  separate();
  quote(name);
  text += ": ";
  isAfterKey = true;
}

void JsonWriter::value(int64_t number) {
  separate();
  char digits[24];
  text.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

void JsonWriter::value(StringRef string) {
  separate();
  quote(string);
}

void JsonWriter::null() {
  separate();
  text += "null";
}

void JsonWriter::value(const Json &json) {
  if (json.is_object()) {
    beginObject();
    for (const auto &[name, element] : json.items())
      member(name, element);
    return endObject();
  }
  if (json.is_array()) {
    beginArray();
    for (const Json &element : json)
      value(element);
    return endArray();
  }
  separate();
  text += json.dump(-1, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

void JsonWriter::quote(StringRef string) {
  bool isPlain = llvm::all_of(string, [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
  if (!isPlain) {
    text += Json(string.str())
                .dump(-1, ' ', /*ensure_ascii=*/false,
                      Json::error_handler_t::replace);
    return;
  }
  text += '"';
  text.append(string.begin(), string.end());
  text += '"';
}
