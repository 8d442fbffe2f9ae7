#include "ExpressionParser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

// Deeper than any literal that PyTorch prints, and shallow enough for the
// stack.
static constexpr unsigned kDeepestNesting = 128;

bool ExpressionParser::fail(StringRef expected) {
  if (isSilent)
    return true;
  if (token.is(FxToken::Kind::Invalid) && token.text.size() > 1)
    emit(token.text.begin())
        << "expected the end of the string " << getExcerpt(token.text);
  else if (token.is(FxToken::Kind::End))
    emit(token.text.begin())
        << "expected " << expected << ", found the end of the text";
  else if (token.is(FxToken::Kind::Newline))
    emit(token.text.begin())
        << "expected " << expected << ", found the end of the line";
  else
    emit(token.text.begin()) << "expected " << expected << ", found '"
                             << getExcerpt(token.text) << "'";
  return true;
}

bool ExpressionParser::failAt(const char *position, const Twine &message) {
  if (isSilent)
    return true;
  emit(position) << message;
  return true;
}

const FxExpr *ExpressionParser::make(FxExpr::Kind kind, const char *start,
                                     StringRef name,
                                     ArrayRef<FxArgument> arguments) {
  auto *expr = new (arena.Allocate<FxExpr>()) FxExpr();
  expr->kind = kind;
  expr->text = StringRef(start, previousEnd - start);
  expr->name = name;
  expr->arguments = arguments.copy(arena);
  return expr;
}

// Binding strength of Python's binary operators, 0 for what is none.
static unsigned getPrecedence(const FxToken &token) {
  if (token.is(FxToken::Kind::Name)) {
    if (token.text == "or")
      return 1;
    if (token.text == "and")
      return 2;
    return token.text == "in" || token.text == "is" ? 3 : 0;
  }
  if (!token.is(FxToken::Kind::Punctuation))
    return 0;
  StringRef text = token.text;
  // Most often what follows a value separates or closes.
  if (StringRef(",)]=").contains(text.front()) && text.size() == 1)
    return 0;
  if (text == "==" || text == "!=" || text == "<" || text == "<=" ||
      text == ">" || text == ">=")
    return 3;
  if (text == "|")
    return 4;
  if (text == "^")
    return 5;
  if (text == "&")
    return 6;
  if (text == "<<" || text == ">>")
    return 7;
  if (text == "+" || text == "-")
    return 8;
  if (text == "*" || text == "/" || text == "//" || text == "%" || text == "@")
    return 9;
  return text == "**" ? 10 : 0;
}

const FxExpr *ExpressionParser::parseBinary(unsigned precedence) {
  if (++nesting > kDeepestNesting) {
    failAt(token.text.begin(), "brackets or operators nested too deeply");
    return nullptr;
  }
  auto leave = llvm::scope_exit([&] { --nesting; });
  const char *start = getStart();
  const FxExpr *left = parseUnary();
  while (left) {
    unsigned next = getPrecedence(token);
    if (next <= precedence)
      return left;
    StringRef op = token.text;
    advance();
    const FxExpr *right = parseBinary(op == "**" ? next - 1 : next);
    if (!right)
      return nullptr;
    left = make(FxExpr::Kind::Binary, start, op, {{{}, left}, {{}, right}});
  }
  return nullptr;
}

const FxExpr *ExpressionParser::parseUnary() {
  bool isOperator =
      token.is("-") || token.is("+") || token.is("~") || token.isName("not");
  if (!isOperator)
    return parsePostfix();
  const char *start = getStart();
  StringRef op = token.text;
  advance();
  const FxExpr *operand = parseBinary(op == "not" ? 2 : 9);
  if (!operand)
    return nullptr;
  // A signed number is one literal.
  bool isNumber = operand->kind == FxExpr::Kind::Integer ||
                  operand->kind == FxExpr::Kind::Float;
  if (op == "-" && isNumber && operand->text.front() != '-')
    return make(operand->kind, start);
  return make(FxExpr::Kind::Unary, start, op, {{{}, operand}});
}

const FxExpr *ExpressionParser::parsePostfix() {
  const char *start = getStart();
  const FxExpr *expr = parseAtom();
  while (expr) {
    SmallVector<FxArgument> arguments;
    bool trailingComma = false;
    if (token.is("(") && expr->kind == FxExpr::Kind::Name) {
      advance();
      if (parseArguments(")", arguments, trailingComma))
        return nullptr;
      expr = make(FxExpr::Kind::Call, start, expr->text, arguments);
      continue;
    }
    if (!token.is("["))
      return expr;
    arguments.push_back({{}, expr});
    advance();
    if (parseArguments("]", arguments, trailingComma))
      return nullptr;
    if (arguments.size() != 2 || trailingComma) {
      failAt(start, "expected one index in '" +
                        getExcerpt(StringRef(start, previousEnd - start)) +
                        "'");
      return nullptr;
    }
    expr = make(FxExpr::Kind::Subscript, start, {}, arguments);
  }
  return nullptr;
}

bool ExpressionParser::parseArguments(StringRef close,
                                      SmallVectorImpl<FxArgument> &arguments,
                                      bool &trailingComma) {
  trailingComma = false;
  while (!consume(close)) {
    const FxExpr *value = parseExpression();
    if (!value)
      return true;
    StringRef keyword;
    if (value->kind == FxExpr::Kind::Name && token.is("=")) {
      keyword = value->text;
      advance();
      value = parseExpression();
      if (!value)
        return true;
    }
    arguments.push_back({keyword, value});
    trailingComma = consume(",");
    if (!trailingComma && !token.is(close))
      return fail(close == ")" ? "',' or ')'" : "',' or ']'");
  }
  return false;
}

const FxExpr *ExpressionParser::parseBrackets() {
  const char *start = getStart();
  bool isList = token.is("[");
  advance();
  SmallVector<FxArgument> elements;
  bool trailingComma = false;
  if (parseArguments(isList ? "]" : ")", elements, trailingComma))
    return nullptr;
  // Parentheses around one expression only group.
  if (!isList && elements.size() == 1 && !trailingComma)
    return elements.front().value;
  return make(isList ? FxExpr::Kind::List : FxExpr::Kind::Tuple, start, {},
              elements);
}

const FxExpr *ExpressionParser::parseDict() {
  const char *start = getStart();
  advance();
  SmallVector<FxArgument> entries;
  while (!consume("}")) {
    const FxExpr *key = parseExpression();
    if (!key)
      return nullptr;
    if (!consume(":")) {
      fail("':' after a key");
      return nullptr;
    }
    const FxExpr *value = parseExpression();
    if (!value)
      return nullptr;
    entries.push_back({{}, key});
    entries.push_back({{}, value});
    if (!consume(",") && !token.is("}")) {
      fail("',' or '}'");
      return nullptr;
    }
  }
  return make(FxExpr::Kind::Dict, start, {}, entries);
}

const FxExpr *ExpressionParser::parseAtom() {
  const char *start = getStart();
  auto single = [&](FxExpr::Kind kind) {
    advance();
    return make(kind, start);
  };
  switch (token.kind) {
  case FxToken::Kind::Name:
    if (token.text == "None")
      return single(FxExpr::Kind::None);
    if (token.text == "True")
      return single(FxExpr::Kind::True);
    if (token.text == "False")
      return single(FxExpr::Kind::False);
    if (token.text == "inf" || token.text == "nan")
      return single(FxExpr::Kind::Float);
    // A complex number (`2j`), which starts with a digit, is kept as written.
    return single(llvm::isDigit(token.text.front()) ? FxExpr::Kind::Float
                                                    : FxExpr::Kind::Name);
  case FxToken::Kind::Integer:
    return single(FxExpr::Kind::Integer);
  case FxToken::Kind::Float:
    return single(FxExpr::Kind::Float);
  case FxToken::Kind::String:
    return single(FxExpr::Kind::String);
  default:
    if (token.is("(") || token.is("["))
      return parseBrackets();
    if (token.is("{"))
      return parseDict();
    fail("a value");
    return nullptr;
  }
}
