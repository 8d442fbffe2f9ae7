#include "titan/Import/SourceText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::titan;

// A diagnostic shows the line it stands on. Lists of arguments take up to a
// megabyte in real graphs; what is longer is no line to show.
static constexpr size_t kLongestShownLine = 4096;

size_t titan::getEscapeLength(StringRef text) {
  if (!text.starts_with("\x1b["))
    return 0;
  size_t end = text.find_first_not_of("0123456789;?", 2);
  return end == StringRef::npos ? text.size() : end + 1;
}

std::string titan::getExcerpt(StringRef text) {
  constexpr size_t kLongest = 60;
  StringRef line = text.take_until([](char c) { return c == '\n'; }).rtrim();
  std::string excerpt;
  for (char c : line.take_front(kLongest))
    excerpt += llvm::isPrint(c) || (c & 0x80) ? c : '?';
  if (line.size() > kLongest)
    excerpt += "...";
  return excerpt;
}

static bool isInside(StringRef text, const char *position) {
  return position >= text.begin() && position <= text.end();
}

const char *SourceText::getOrigin(const char *position) const {
  if (lineOrigins.empty() || !isInside(copy, position))
    return isInside(file, position) ? position : file.begin();
  StringRef before = StringRef(copy).take_front(position - copy.data());
  size_t line = before.count('\n');
  if (line >= lineOrigins.size())
    return file.end();
  size_t lineStart = before.rfind('\n');
  size_t column =
      before.size() - (lineStart == StringRef::npos ? 0 : lineStart + 1);
  // Colours were removed inside of lines, too.
  const char *origin = lineOrigins[line];
  while (true) {
    StringRef rest(origin, file.end() - origin);
    if (size_t length = getEscapeLength(rest)) {
      origin += length;
      continue;
    }
    if (column == 0 || rest.empty())
      return origin;
    --column;
    ++origin;
  }
}

Location SourceText::getLocation(const char *position) const {
  const char *origin = getOrigin(position);
  StringRef before = file.take_front(origin - file.begin());
  size_t line = before.count('\n') + 1;
  size_t lineStart = before.rfind('\n');
  size_t column =
      before.size() - (lineStart == StringRef::npos ? 0 : lineStart + 1) + 1;
  return FileLineColLoc::get(context, name, line, column);
}

InFlightDiagnostic SourceText::emit(const char *position,
                                    DiagnosticSeverity severity) const {
  Location location = getLocation(position);
  const char *origin = getOrigin(position);
  StringRef line = file.drop_front(origin - file.begin());
  size_t before = file.take_front(origin - file.begin()).rfind('\n');
  size_t length = line.find('\n');
  if (length == StringRef::npos)
    length = line.size();
  length +=
      origin - file.begin() - (before == StringRef::npos ? 0 : before + 1);
  auto start = [&](Location at) {
    return severity == DiagnosticSeverity::Error ? mlir::emitError(at)
                                                 : mlir::emitWarning(at);
  };
  if (length <= kLongestShownLine)
    return start(location);
  InFlightDiagnostic diagnostic = start(UnknownLoc::get(context));
  auto place = cast<FileLineColLoc>(location);
  diagnostic << place.getFilename().getValue() << ":" << place.getLine() << ":"
             << place.getColumn() << ": ";
  return diagnostic;
}

InFlightDiagnostic SourceText::emitError(const char *position) const {
  return emit(position, DiagnosticSeverity::Error);
}

InFlightDiagnostic SourceText::emitWarning(const char *position) const {
  return emit(position, DiagnosticSeverity::Warning);
}
