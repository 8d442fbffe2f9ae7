#include "titan/Analysis/SymbolicExpression.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::titan;
using llvm::StringRef;

// Deeper nesting than this is no size that PyTorch prints.
static constexpr int kMaxDepth = 200;

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (llvm::AddOverflow(a, b, sum))
    return a < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  return product;
}

static std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static std::optional<int64_t> pythonModulo(int64_t a, int64_t b) {
  std::optional<int64_t> quotient = floorDivide(a, b);
  return quotient ? std::optional(a - *quotient * b) : std::nullopt;
}

namespace {

using Number = std::optional<int64_t>;

/// Recursive descent, a function a level of precedence.
class Evaluator {
public:
  Evaluator(StringRef text, llvm::function_ref<int64_t(StringRef)> symbol)
      : rest(text), symbol(symbol) {}

  Number run() {
    Number value = sum();
    return rest.trim().empty() ? value : std::nullopt;
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  Number sum() {
    Number value = product();
    while (value) {
      bool minus = false;
      if (!take("+") && !(minus = take("-")))
        break;
      Number other = product();
      if (!other)
        return std::nullopt;
      value = saturatingAdd(*value,
                            minus ? saturatingMultiply(*other, -1) : *other);
    }
    return value;
  }

  Number product() {
    Number value = factor();
    while (value) {
      char kind = take("//") ? '/' : take("%") ? '%' : 0;
      if (!kind && !rest.starts_with("**") && take("*"))
        kind = '*';
      if (!kind)
        break;
      Number other = factor();
      if (!other)
        return std::nullopt;
      value = kind == '*'   ? saturatingMultiply(*value, *other)
              : kind == '/' ? floorDivide(*value, *other)
                            : pythonModulo(*value, *other);
    }
    return value;
  }

  Number factor() {
    if (++depth > kMaxDepth)
      return std::nullopt;
    bool negative = take("-");
    Number value = negative ? factor() : power();
    --depth;
    return value && negative ? saturatingMultiply(*value, -1) : value;
  }

  Number power() {
    Number base = atom();
    if (!base || !take("**"))
      return base;
    Number exponent = factor();
    if (!exponent || *exponent < 0 || *exponent > 63)
      return std::nullopt;
    int64_t value = 1;
    for (int64_t i = 0; i < *exponent; ++i)
      value = saturatingMultiply(value, *base);
    return value;
  }

  Number atom() {
    if (take("(")) {
      Number value = sum();
      return take(")") ? value : std::nullopt;
    }
    StringRef digits = rest.take_while(llvm::isDigit);
    if (!digits.empty()) {
      rest = rest.drop_front(digits.size());
      int64_t value;
      if (digits.getAsInteger(10, value) || rest.starts_with("."))
        return std::nullopt;
      return value;
    }
    StringRef name =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty())
      return std::nullopt;
    rest = rest.drop_front(name.size());
    if (take("("))
      return call(name);
    return symbol(name);
  }

  Number call(StringRef name) {
    llvm::SmallVector<int64_t, 3> arguments;
    do {
      Number argument = sum();
      if (!argument)
        return std::nullopt;
      arguments.push_back(*argument);
    } while (take(","));
    if (!take(")"))
      return std::nullopt;
    if (name == "Max")
      return *llvm::max_element(arguments);
    if (name == "Min")
      return *llvm::min_element(arguments);
    if (arguments.size() == 2)
      return callBinary(name, arguments[0], arguments[1]);
    if (name == "ModularIndexing" && arguments.size() == 3)
      if (Number quotient = floorDivide(arguments[0], arguments[1]))
        return pythonModulo(*quotient, arguments[2]);
    return std::nullopt;
  }

  static Number callBinary(StringRef name, int64_t a, int64_t b) {
    if (name == "FloorDiv" || name == "CleanDiv")
      return floorDivide(a, b);
    if (name == "Mod" || name == "PythonMod")
      return pythonModulo(a, b);
    if (name == "CeilDiv")
      if (Number quotient = floorDivide(saturatingMultiply(a, -1), b))
        return saturatingMultiply(*quotient, -1);
    return std::nullopt;
  }

  StringRef rest;
  llvm::function_ref<int64_t(StringRef)> symbol;
  int depth = 0;
};

} // namespace

std::optional<int64_t>
titan::evaluateExpression(StringRef text,
                          llvm::function_ref<int64_t(StringRef)> symbol) {
  return Evaluator(text, symbol).run();
}

void titan::visitSymbols(StringRef text,
                         llvm::function_ref<void(StringRef)> visit) {
  while (!text.empty()) {
    StringRef word =
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty()) {
      text = text.drop_front();
      continue;
    }
    text = text.drop_front(word.size());
    StringRef digits = word;
    if ((digits.consume_front("s") || digits.consume_front("u") ||
         digits.consume_front("f") || digits.consume_front("z")) &&
        !digits.empty() && llvm::all_of(digits, llvm::isDigit))
      visit(word);
  }
}
