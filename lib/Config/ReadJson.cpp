#include "Reader.h"

#include "llvm/ADT/Twine.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using nlohmann::ordered_json;

namespace {
/// Keeps where reading stopped; without exceptions the library does not say.
class DomBuilder : public nlohmann::detail::json_sax_dom_parser<ordered_json> {
public:
  explicit DomBuilder(ordered_json &root)
      : json_sax_dom_parser(root, /*allow_exceptions_=*/false) {}

  template <class Exception>
  bool parse_error(std::size_t at, const std::string &, const Exception &) {
    position = at;
    return false;
  }

  /// One behind the last character read.
  std::size_t position = 0;
};
} // namespace

static std::string describe(llvm::StringRef text, std::size_t position) {
  std::size_t offset = position ? position - 1 : 0;
  llvm::StringRef before = text.take_front(offset);
  std::size_t line = before.count('\n') + 1;
  std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  std::string found = offset < text.size()
                          ? ("'" + text.substr(offset, 1) + "'").str()
                          : "the end of the file";
  return (llvm::Twine(line) + ":" + llvm::Twine(column) +
          ": expected JSON, found " + found)
      .str();
}

llvm::Expected<ordered_json> titan::readJson(llvm::StringRef text,
                                             llvm::StringRef fileName) {
  ordered_json root;
  DomBuilder builder(root);
  if (!ordered_json::sax_parse(text.begin(), text.end(), &builder))
    return llvm::createStringError(fileName + ":" +
                                   describe(text, builder.position));
  return root;
}
