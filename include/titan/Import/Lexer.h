// The tokens of the Python that PyTorch prints for a graph.
#ifndef TITAN_IMPORT_LEXER_H
#define TITAN_IMPORT_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <utility>

namespace mlir::titan {

struct FxToken {
  enum class Kind : uint8_t {
    End,
    /// The end of a line outside of brackets.
    Newline,
    /// From `#` to the end of the line, without the `#`.
    Comment,
    /// A name, with its dots: `torch.ops.aten.mm.default`.
    Name,
    Integer,
    Float,
    /// Between its quotes, escapes as written.
    String,
    /// An operator or bracket of one or two characters.
    Punctuation,
    /// A character that starts no token, or a string without end.
    Invalid,
  };

  Kind kind = Kind::End;
  llvm::StringRef text;

  bool is(Kind other) const { return kind == other; }
  bool is(llvm::StringRef punctuation) const {
    // Never empty, either of them.
    return kind == Kind::Punctuation && text.front() == punctuation.front() &&
           text == punctuation;
  }
  bool isName(llvm::StringRef name) const {
    return kind == Kind::Name && text == name;
  }
};

/// Splits a text into tokens, on demand. Ends of lines and comments inside of
/// brackets are skipped; the last comment skipped can be asked for.
class FxLexer {
public:
  explicit FxLexer(llvm::StringRef text)
      : position(text.begin()), end(text.end()), lineStart(text.begin()) {}

  FxToken next();

  /// The comment skipped since the last call, empty if there was none.
  llvm::StringRef takeSkippedComment() {
    return std::exchange(skippedComment, llvm::StringRef());
  }

  /// The text from the next token up to the end of an annotation without
  /// quotes: a top-level `=`, `;`, `,`, `)`, `#` or the end of the line.
  llvm::StringRef takeAnnotation();

  /// The string that starts behind the last token and blanks, as the text from
  /// its quote on; empty if there is none.
  llvm::StringRef findString() const {
    llvm::StringRef rest = llvm::StringRef(position, end - position).ltrim(' ');
    return rest.starts_with("\"") || rest.starts_with("'") ? rest
                                                           : llvm::StringRef();
  }

  /// The number of characters between the start of the line and \p token's.
  unsigned getColumn(const FxToken &token) const {
    return token.text.begin() - lineStart;
  }

  /// Goes on at \p place, which lies behind the last token.
  void moveTo(const char *place) { position = place; }

  /// Whether `=` (and not `==`) follows the last token.
  bool isFollowedByAssignment() const {
    llvm::StringRef rest = llvm::StringRef(position, end - position).ltrim(' ');
    return rest.starts_with("=") && !rest.starts_with("==");
  }

  /// Forgets open brackets, to go on after an error at the next line.
  void leaveBrackets() { depth = 0; }

private:
  FxToken make(FxToken::Kind kind, const char *start) {
    return {kind, llvm::StringRef(start, position - start)};
  }
  FxToken lexNumber(const char *start);
  FxToken lexString(const char *start);
  FxToken lexPunctuation(const char *start);

  const char *position;
  const char *end;
  const char *lineStart;
  unsigned depth = 0;
  llvm::StringRef skippedComment;
};

} // namespace mlir::titan

#endif // TITAN_IMPORT_LEXER_H
