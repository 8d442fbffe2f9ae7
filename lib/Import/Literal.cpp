#include "titan/Import/Literal.h"

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Import/Lexer.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

static std::optional<char> getEscape(char c) {
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case '\\':
  case '\'':
  case '"':
    return c;
  default:
    return std::nullopt;
  }
}

std::string titan::unescapePython(StringRef text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    uint8_t byte;
    if (text[i + 1] == 'x' && i + 3 < text.size() &&
        !text.substr(i + 2, 2).getAsInteger(16, byte)) {
      result += static_cast<char>(byte);
      i += 3;
    } else if (std::optional<char> escape = getEscape(text[i + 1])) {
      result += *escape;
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string titan::quotePython(StringRef text) {
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, quote);
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, 2);
    } else {
      result += c;
    }
  }
  result += quote;
  return result;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string titan::getFloatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest digits that read back to the same number; Python writes them
  // plainly from 1e-4 up to 1e16 and with an exponent elsewhere.
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                           std::chars_format::scientific)
                 .ptr;
  StringRef text(buffer, end - buffer);
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  StringRef digits = exponentText;
  digits.consume_front("+");
  (void)digits.getAsInteger(10, exponent);
  if (exponent < -4 || exponent >= 16)
    return text.str();
  std::string plain(buffer, std::to_chars(buffer, buffer + sizeof(buffer),
                                          value, std::chars_format::fixed)
                                .ptr);
  if (plain.find('.') == std::string::npos)
    plain += ".0";
  return plain;
}

static std::optional<double> parseFloat(StringRef text) {
  bool negative = text.consume_front("-");
  text = text.ltrim();
  double value;
  if (text == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (text == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc() || end != text.end())
      return std::nullopt;
  }
  return negative ? -value : value;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute titan::getLiteralAttr(MLIRContext *context, const FxExpr &expr) {
  Builder builder(context);
  switch (expr.kind) {
  case FxExpr::Kind::None:
    return NoneAttr::get(context);
  case FxExpr::Kind::True:
    return builder.getBoolAttr(true);
  case FxExpr::Kind::False:
    return builder.getBoolAttr(false);
  case FxExpr::Kind::Integer: {
    int64_t value;
    if (!expr.text.getAsInteger(10, value))
      return builder.getI64IntegerAttr(value);
    break;
  }
  case FxExpr::Kind::Float:
    if (std::optional<double> value = parseFloat(expr.text))
      return builder.getF64FloatAttr(*value);
    break;
  case FxExpr::Kind::String:
    return builder.getStringAttr(
        unescapePython(expr.text.drop_front().drop_back()));
  default:
    break;
  }
  return PythonAttr::get(context, expr.text);
}

Attribute titan::getLiteralAttr(MLIRContext *context, StringRef text) {
  FxLexer lexer(text);
  FxToken first = lexer.next();
  bool isNegative = first.is("-");
  FxToken token = isNegative ? lexer.next() : first;
  FxExpr expr{FxExpr::Kind::Name, text, {}, {}};
  if (!lexer.next().is(FxToken::Kind::End))
    return getLiteralAttr(context, expr);
  if (token.is(FxToken::Kind::Integer))
    expr.kind = FxExpr::Kind::Integer;
  else if (token.is(FxToken::Kind::Float) || token.isName("inf") ||
           token.isName("nan"))
    expr.kind = FxExpr::Kind::Float;
  else if (isNegative)
    return getLiteralAttr(context, expr);
  else if (token.is(FxToken::Kind::String))
    expr.kind = FxExpr::Kind::String;
  else if (token.isName("None"))
    expr.kind = FxExpr::Kind::None;
  else if (token.isName("True"))
    expr.kind = FxExpr::Kind::True;
  else if (token.isName("False"))
    expr.kind = FxExpr::Kind::False;
  return getLiteralAttr(context, expr);
}

static std::string join(ArrayRef<Attribute> elements) {
  std::string text;
  for (auto [index, element] : llvm::enumerate(elements))
    text += (index ? ", " : "") + getLiteralText(element);
  return text;
}

std::string titan::getLiteralText(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue() ? "True" : "False";
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return std::to_string(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return getFloatText(number.getValueAsDouble());
  if (auto text = dyn_cast<StringAttr>(attribute))
    return quotePython(text);
  if (auto python = dyn_cast<PythonAttr>(attribute))
    return python.getText().str();
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    return "[" + join(list.getValue()) + "]";
  if (auto tuple = dyn_cast<TupleAttr>(attribute)) {
    ArrayRef<Attribute> elements = tuple.getElements().getValue();
    return "(" + join(elements) + (elements.size() == 1 ? ",)" : ")");
  }
  if (auto dict = dyn_cast<DictAttr>(attribute)) {
    std::string text = "{";
    ArrayRef<Attribute> entries = dict.getEntries().getValue();
    for (size_t i = 0; i + 1 < entries.size(); i += 2)
      text += (i ? ", " : "") + getLiteralText(entries[i]) + ": " +
              getLiteralText(entries[i + 1]);
    return text + "}";
  }
  return "None";
}
