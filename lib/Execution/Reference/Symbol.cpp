// Symbolic numbers: sizes of tensors, arithmetic as Python writes it, and the
// assertions about them.
#include "titan/Execution/Kernel.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Python expressions
//===----------------------------------------------------------------------===//

namespace {

/// Evaluates a Python expression over numbers, with `@0`, `@1` for the
/// operands. Integers stay integers as they do in Python.
class PythonEvaluator {
public:
  PythonEvaluator(StringRef text, ArrayRef<RuntimeValue> operands)
      : rest(text), operands(operands) {}

  std::optional<RuntimeValue> evaluate() {
    RuntimeValue value = parseComparison();
    rest = rest.ltrim();
    if (failed || !rest.empty())
      return std::nullopt;
    return value;
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  RuntimeValue fail() {
    failed = true;
    return int64_t(0);
  }
  RuntimeValue parseComparison();
  RuntimeValue parseSum();
  RuntimeValue parseProduct();
  RuntimeValue parseUnary();
  RuntimeValue parsePower();
  RuntimeValue parseAtom();
  RuntimeValue parseCall(StringRef name);
  RuntimeValue apply(StringRef op, const RuntimeValue &a,
                     const RuntimeValue &b);

  StringRef rest;
  ArrayRef<RuntimeValue> operands;
  bool failed = false;
};

} // namespace

static double asDouble(const RuntimeValue &value) {
  if (const auto *number = value.getIf<double>())
    return *number;
  if (const auto *flag = value.getIf<bool>())
    return *flag;
  const auto *integer = value.getIf<int64_t>();
  return integer ? static_cast<double>(*integer) : 0;
}

static std::optional<int64_t> asInteger(const RuntimeValue &value) {
  if (const auto *flag = value.getIf<bool>())
    return *flag;
  if (const auto *integer = value.getIf<int64_t>())
    return *integer;
  return std::nullopt;
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

RuntimeValue PythonEvaluator::apply(StringRef op, const RuntimeValue &a,
                                    const RuntimeValue &b) {
  std::optional<int64_t> x = asInteger(a), y = asInteger(b);
  double u = asDouble(a), v = asDouble(b);
  if (op == "/")
    return u / v;
  if (op == ">=")
    return u >= v;
  if (op == "<=")
    return u <= v;
  if (op == "==")
    return u == v;
  if (op == "!=")
    return u != v;
  if (op == ">")
    return u > v;
  if (op == "<")
    return u < v;
  if (x && y) {
    if ((op == "//" || op == "%") && *y == 0)
      return fail();
    if (op == "+")
      return *x + *y;
    if (op == "-")
      return *x - *y;
    if (op == "*")
      return *x * *y;
    if (op == "//")
      return floorDivide(*x, *y);
    if (op == "%")
      return *x - floorDivide(*x, *y) * *y;
    if (op == "&")
      return *x & *y;
    if (op == "|")
      return *x | *y;
    if (op == "**" && *y >= 0)
      return static_cast<int64_t>(std::llround(std::pow(u, v)));
  }
  if (op == "+")
    return u + v;
  if (op == "-")
    return u - v;
  if (op == "*")
    return u * v;
  if (op == "//")
    return std::floor(u / v);
  if (op == "%")
    return u - std::floor(u / v) * v;
  if (op == "**")
    return std::pow(u, v);
  return fail();
}

RuntimeValue PythonEvaluator::parseComparison() {
  RuntimeValue left = parseSum();
  for (StringRef op : {">=", "<=", "==", "!=", ">", "<", "&", "|"})
    if (consume(op))
      return apply(op, left, parseSum());
  return left;
}

RuntimeValue PythonEvaluator::parseSum() {
  RuntimeValue left = parseProduct();
  while (true) {
    if (consume("+"))
      left = apply("+", left, parseProduct());
    else if (consume("-"))
      left = apply("-", left, parseProduct());
    else
      return left;
  }
}

RuntimeValue PythonEvaluator::parseProduct() {
  RuntimeValue left = parseUnary();
  while (true) {
    if (consume("//"))
      left = apply("//", left, parseUnary());
    else if (consume("*"))
      left = apply("*", left, parseUnary());
    else if (consume("/"))
      left = apply("/", left, parseUnary());
    else if (consume("%"))
      left = apply("%", left, parseUnary());
    else
      return left;
  }
}

RuntimeValue PythonEvaluator::parseUnary() {
  if (consume("-"))
    return apply("-", int64_t(0), parseUnary());
  if (consume("not "))
    return asDouble(parseUnary()) == 0;
  return parsePower();
}

RuntimeValue PythonEvaluator::parsePower() {
  RuntimeValue base = parseAtom();
  return consume("**") ? apply("**", base, parseUnary()) : base;
}

RuntimeValue PythonEvaluator::parseAtom() {
  if (consume("(")) {
    RuntimeValue value = parseComparison();
    return consume(")") ? value : fail();
  }
  if (consume("@")) {
    size_t index;
    if (rest.consumeInteger(10, index) || index >= operands.size())
      return fail();
    return operands[index];
  }
  if (!rest.empty() && (llvm::isDigit(rest.front()) || rest.front() == '.')) {
    StringRef literal =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '.'; });
    rest = rest.drop_front(literal.size());
    int64_t integer;
    if (!literal.getAsInteger(10, integer))
      return integer;
    double number;
    return literal.getAsDouble(number) ? fail() : RuntimeValue(number);
  }
  StringRef name = rest.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  rest = rest.drop_front(name.size());
  if (name == "True" || name == "False")
    return name == "True";
  return consume("(") ? parseCall(name) : fail();
}

// `math.floor(@0)`, `torch.sym_max(@0, 1)`, `operator.neg(@0)`.
RuntimeValue PythonEvaluator::parseCall(StringRef name) {
  SmallVector<RuntimeValue> arguments;
  while (!failed && !consume(")")) {
    arguments.push_back(parseComparison());
    (void)consume(",");
  }
  if (failed || arguments.empty())
    return fail();
  StringRef base =
      name.rsplit('.').second.empty() ? name : name.rsplit('.').second;
  base.consume_front("sym_");
  const RuntimeValue &a = arguments.front();
  if (arguments.size() >= 2) {
    const RuntimeValue &b = arguments[1];
    if (base == "max")
      return asDouble(a) >= asDouble(b) ? a : b;
    if (base == "min")
      return asDouble(a) <= asDouble(b) ? a : b;
    static constexpr std::pair<StringLiteral, StringLiteral> kOperators[] = {
        {"add", "+"},     {"sub", "-"}, {"mul", "*"},  {"floordiv", "//"},
        {"truediv", "/"}, {"mod", "%"}, {"pow", "**"}, {"ge", ">="},
        {"le", "<="},     {"eq", "=="}, {"ne", "!="},  {"gt", ">"},
        {"lt", "<"}};
    for (auto [word, op] : kOperators)
      if (base == word)
        return apply(op, a, b);
    return fail();
  }
  if (base == "floor")
    return static_cast<int64_t>(std::floor(asDouble(a)));
  if (base == "ceil")
    return static_cast<int64_t>(std::ceil(asDouble(a)));
  if (base == "int" || base == "trunc")
    return static_cast<int64_t>(asDouble(a));
  if (base == "float")
    return asDouble(a);
  if (base == "sqrt")
    return std::sqrt(asDouble(a));
  if (base == "neg")
    return apply("-", int64_t(0), a);
  if (base == "not" || base == "not_")
    return asDouble(a) == 0;
  return fail();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult computeSymbolic(Call &call) {
  const auto *operands = call.get("inputs").getIf<RuntimeValue::List>();
  std::optional<RuntimeValue> value =
      PythonEvaluator(call.text("python"),
                      operands ? *operands : RuntimeValue::List())
          .evaluate();
  if (!value)
    return call.fail("cannot evaluate '" + call.text("python") + "'");
  Type type = call.getResultType(0);
  if (type.isIndex())
    return call.set(0, RuntimeValue(static_cast<int64_t>(asDouble(*value))));
  if (type.isInteger(1))
    return call.set(0, RuntimeValue(asDouble(*value) != 0));
  return call.set(0, RuntimeValue(asDouble(*value)));
}

static LogicalResult computeSize(Call &call, bool isStride) {
  Tensor self = call.tensor("self");
  FailureOr<int64_t> dim = call.wrapDim(call.integer("dim"), self.getRank());
  if (failed(dim) || self.getRank() == 0)
    return call.fail("the tensor has no dimensions");
  return call.set(0, RuntimeValue(isStride ? self.getStrides()[*dim]
                                           : self.getShape()[*dim]));
}

static LogicalResult computeItem(Call &call) {
  Tensor self = call.tensor("self");
  if (self.getNumElements() != 1)
    return call.fail("expected a tensor of one element, got " +
                     formatShape(self.getShape()));
  if (self.getDType() == DType::Bool)
    return call.set(0, RuntimeValue(self.getItem<int64_t>() != 0));
  if (isInteger(self.getDType()))
    return call.set(0, RuntimeValue(self.getItem<int64_t>()));
  return call.set(0, RuntimeValue(self.getItem<double>()));
}

static LogicalResult checkAssertion(Call &call) {
  Tensor condition = call.tensor("self");
  if (condition.getNumElements() != 1 || condition.getItem<double>() != 0)
    return success();
  return call.fail("the assertion '" + call.text("assert_msg") +
                   "' does not hold");
}

static LogicalResult checkRange(Call &call) {
  double size = call.number("size");
  if (size < call.number("min", size) || size > call.number("max", size))
    return call.fail("the size " + Twine(static_cast<int64_t>(size)) +
                     " is out of its range");
  return success();
}

void titan::addSymbolKernels(KernelTable &table) {
  table.add("titan.sym", computeSymbolic);
  table.add("aten.sym_size",
            [](Call &call) { return computeSize(call, false); });
  table.add("aten.sym_stride",
            [](Call &call) { return computeSize(call, true); });
  table.add("aten.sym_numel", [](Call &call) {
    return call.set(0, RuntimeValue(call.tensor("self").getNumElements()));
  });
  table.add("aten.sym_storage_offset", [](Call &call) {
    return call.set(0, RuntimeValue(call.tensor("self").getOffset()));
  });
  table.add({"aten._local_scalar_dense", "aten.item"}, computeItem);
  table.add({"aten._assert_async", "aten._assert_scalar"}, checkAssertion);
  table.add({"aten.sym_constrain_range", "aten.sym_constrain_range_for_size"},
            checkRange);
}
