// Writes JSON straight into a text, as nlohmann's `dump(2)` would lay it out: a
// report of a large graph is mostly lists, and a tree of them costs more than
// all that is said in it.
#ifndef TITAN_REPORT_JSONWRITER_H
#define TITAN_REPORT_JSONWRITER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mlir::titan {

/// Appends to a text that the caller owns. Calls nest as the document does: in
/// an object each value follows its key().
class JsonWriter {
public:
  using Json = nlohmann::ordered_json;

  explicit JsonWriter(std::string &text) : text(text) {}

  void beginObject() { begin('{'); }
  void endObject() { end('}'); }
  void beginArray() { begin('['); }
  void endArray() { end(']'); }
  void key(llvm::StringRef name);

  void value(int64_t number);
  /// Names may hold any bytes, JSON may not: what is no UTF-8 is replaced.
  void value(llvm::StringRef string);
  void value(const Json &json);
  void null();

  /// The value, or `null` where the text is empty.
  void valueOrNull(llvm::StringRef string) {
    string.empty() ? null() : value(string);
  }
  void valueOrNull(std::optional<int64_t> number) {
    number ? value(*number) : null();
  }

  template <typename T>
  void member(llvm::StringRef name, const T &content) {
    key(name);
    value(content);
  }
  template <typename T>
  void memberOrNull(llvm::StringRef name, const T &content) {
    key(name);
    valueOrNull(content);
  }

private:
  void begin(char bracket);
  void end(char bracket);
  /// What stands between the text so far and the next element or key.
  void separate();
  void breakLine();
  void quote(llvm::StringRef string);

  std::string &text;
  unsigned depth = 0;
  /// Whether nothing stands yet in the innermost object or array.
  bool isEmpty = true;
  bool isAfterKey = false;
};

} // namespace mlir::titan

#endif // TITAN_REPORT_JSONWRITER_H
