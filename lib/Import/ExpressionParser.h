// Python expressions, as far as PyTorch prints them into graphs.
#ifndef TITAN_LIB_IMPORT_EXPRESSIONPARSER_H
#define TITAN_LIB_IMPORT_EXPRESSIONPARSER_H

#include "titan/Import/FxAst.h"
#include "titan/Import/Lexer.h"
#include "titan/Import/SourceText.h"

namespace mlir::titan {

/// A parser with one token of look-ahead. Methods that return a pointer or a
/// bool return null or true after a diagnostic.
class ExpressionParser {
public:
  ExpressionParser(const SourceText &source, llvm::StringRef text,
                   llvm::BumpPtrAllocator &arena)
      : source(source), lexer(text), arena(arena) {
    token = lexer.next();
  }

  const FxExpr *parseExpression() { return parseBinary(0); }

protected:
  void advance() {
    previousEnd = token.text.end() + token.is(FxToken::Kind::String);
    token = lexer.next();
  }
  /// Where the token starts, a string with its quote.
  const char *getStart() const {
    return token.text.begin() - token.is(FxToken::Kind::String);
  }
  bool consume(llvm::StringRef punctuation) {
    if (!token.is(punctuation))
      return false;
    advance();
    return true;
  }
  /// Reports what was expected at the token and what stands there.
  bool fail(llvm::StringRef expected);
  bool failAt(const char *position, const llvm::Twine &message);
  InFlightDiagnostic emit(const char *position) {
    return isLenient ? source.emitWarning(position)
                     : source.emitError(position);
  }

  const SourceText &source;
  FxLexer lexer;
  FxToken token;
  const char *previousEnd = nullptr;
  /// What cannot be read here is left out: a warning.
  bool isLenient = false;
  /// Enough has been said.
  bool isSilent = false;

private:
  const FxExpr *parseBinary(unsigned precedence);
  const FxExpr *parseUnary();
  const FxExpr *parsePostfix();
  const FxExpr *parseAtom();
  const FxExpr *parseBrackets();
  const FxExpr *parseDict();
  /// Up to the closing bracket, which is consumed.
  bool parseArguments(llvm::StringRef close,
                      llvm::SmallVectorImpl<FxArgument> &arguments,
                      bool &trailingComma);
  const FxExpr *make(FxExpr::Kind kind, const char *start,
                     llvm::StringRef name = {},
                     llvm::ArrayRef<FxArgument> arguments = {});

  llvm::BumpPtrAllocator &arena;
  unsigned nesting = 0;
};

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_EXPRESSIONPARSER_H
