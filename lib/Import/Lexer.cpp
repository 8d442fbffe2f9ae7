#include "titan/Import/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include <array>
#include <cstring>

using namespace mlir::titan;
using llvm::StringRef;

namespace {
/// What a name may hold, by character: one look instead of many comparisons.
struct NameCharacters {
  std::array<bool, 256> starts = {};
  std::array<bool, 256> parts = {};

  constexpr NameCharacters() {
    for (unsigned c = 0; c < 256; ++c) {
      starts[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '_' || c >= 0x80;
      parts[c] = starts[c] || (c >= '0' && c <= '9');
    }
  }
};
} // namespace

static constexpr NameCharacters kNameCharacters;

static bool isNameStart(char c) {
  return kNameCharacters.starts[static_cast<unsigned char>(c)];
}

static bool isNamePart(char c) {
  return kNameCharacters.parts[static_cast<unsigned char>(c)];
}

FxToken FxLexer::next() {
  while (position != end) {
    char c = *position;
    if (c == ' ' || c == '\t' || c == '\r') {
      ++position;
      continue;
    }
    const char *start = position;
    if (c == '\n') {
      ++position;
      lineStart = position;
      if (depth)
        continue;
      return {FxToken::Kind::Newline, StringRef(start, 1)};
    }
    if (c == '#') {
      const void *line = std::memchr(position, '\n', end - position);
      position = line ? static_cast<const char *>(line) : end;
      StringRef text(start + 1, position - start - 1);
      text = text.rtrim();
      if (depth) {
        skippedComment = text.trim();
        continue;
      }
      return {FxToken::Kind::Comment, text};
    }
    if (isNameStart(c)) {
      // In a local: the member would be written at each step.
      const char *behind = start + 1;
      while (behind != end &&
             (isNamePart(*behind) ||
              (*behind == '.' && behind + 1 != end && isNameStart(behind[1]))))
        ++behind;
      position = behind;
      return make(FxToken::Kind::Name, start);
    }
    if (llvm::isDigit(c) ||
        (c == '.' && position + 1 != end && llvm::isDigit(position[1])))
      return lexNumber(start);
    if (c == '\'' || c == '"')
      return lexString(start);
    return lexPunctuation(start);
  }
  return {FxToken::Kind::End, StringRef(end, 0)};
}

FxToken FxLexer::lexNumber(const char *start) {
  bool isFloat = false;
  while (position != end) {
    char c = *position;
    bool isExponentSign =
        (c == '+' || c == '-') && (position[-1] == 'e' || position[-1] == 'E');
    if (c == '.' || c == 'e' || c == 'E')
      isFloat = true;
    else if (!llvm::isDigit(c) && !isExponentSign)
      break;
    ++position;
  }
  // A complex number (`2j`) is kept as written.
  if (position != end && isNamePart(*position)) {
    while (position != end && isNamePart(*position))
      ++position;
    return make(FxToken::Kind::Name, start);
  }
  return make(isFloat ? FxToken::Kind::Float : FxToken::Kind::Integer, start);
}

FxToken FxLexer::lexString(const char *start) {
  char quote = *start;
  const char *behind = start + 1;
  while (behind != end && *behind != quote && *behind != '\n') {
    if (*behind == '\\' && behind + 1 != end)
      ++behind;
    ++behind;
  }
  position = behind;
  if (position == end || *position != quote)
    return make(FxToken::Kind::Invalid, start);
  ++position;
  return {FxToken::Kind::String, StringRef(start + 1, position - start - 2)};
}

FxToken FxLexer::lexPunctuation(const char *start) {
  char c = *position++;
  switch (c) {
  case '(':
  case '[':
  case '{':
    ++depth;
    break;
  case ')':
  case ']':
  case '}':
    depth -= depth > 0;
    break;
  case '*':
  case '/':
  case '<':
  case '>':
    if (position != end && *position == c)
      ++position;
    else if (position != end && *position == '=' && (c == '<' || c == '>'))
      ++position;
    break;
  case '=':
  case '!':
    if (position != end && *position == '=')
      ++position;
    break;
  case '-':
    if (position != end && *position == '>')
      ++position;
    break;
  case '+':
  case ',':
  case ':':
  case ';':
  case '.':
  case '%':
  case '@':
  case '&':
  case '|':
  case '^':
  case '~':
    break;
  default:
    return make(FxToken::Kind::Invalid, start);
  }
  return make(FxToken::Kind::Punctuation, start);
}

StringRef FxLexer::takeAnnotation() {
  while (position != end && *position == ' ')
    ++position;
  const char *start = position;
  unsigned brackets = 0;
  for (; position != end; ++position) {
    char c = *position;
    if (c == '[' || c == '(')
      ++brackets;
    else if (brackets && (c == ']' || c == ')'))
      --brackets;
    else if (c == '\n' || c == '#' ||
             (!brackets && (c == '=' || c == ';' || c == ',' || c == ')')))
      break;
  }
  return StringRef(start, position - start).rtrim();
}
