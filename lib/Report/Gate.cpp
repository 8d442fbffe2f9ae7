#include "titan/Report/Gate.h"

#include "titan/Interfaces/DidYouMean.h"

#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>

using namespace mlir::titan;
using llvm::StringRef;

using Json = nlohmann::ordered_json;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The number in \p text with its unit, none if it is no number.
static std::optional<double> parseNumber(StringRef text) {
  constexpr std::pair<StringRef, double> units[] = {
      {"TiB", 1099511627776.0},
      {"GiB", 1073741824.0},
      {"MiB", 1048576.0},
      {"KiB", 1024.0},
      {"B", 1.0},
  };
  double factor = 1;
  for (auto [unit, bytes] : units)
    if (text.consume_back(unit)) {
      factor = bytes;
      break;
    }
  double number = 0;
  if (text.trim().empty() || text.trim().getAsDouble(number))
    return std::nullopt;
  return number * factor;
}

llvm::Expected<Gate> mlir::titan::parseGate(StringRef expression) {
  using Comparison = Gate::Comparison;
  // Longer spellings first: `>=` is no `>`.
  constexpr std::pair<StringRef, Comparison> operators[] = {
      {">=", Comparison::GreaterEqual}, {"<=", Comparison::LessEqual},
      {"==", Comparison::Equal},        {"!=", Comparison::NotEqual},
      {">", Comparison::Greater},       {"<", Comparison::Less},
  };
  for (auto [spelling, comparison] : operators) {
    size_t position = expression.find(spelling);
    if (position == StringRef::npos)
      continue;
    Gate gate;
    gate.path = expression.take_front(position).trim().str();
    gate.comparison = comparison;
    gate.limitText =
        expression.drop_front(position + spelling.size()).trim().str();
    std::optional<double> limit = parseNumber(gate.limitText);
    if (!limit)
      return makeError("expected a number or a size like '72GiB' behind '" +
                       spelling + "' in '" + expression + "', found '" +
                       gate.limitText + "'");
    gate.limit = *limit;
    if (gate.path.empty())
      return makeError("expected a key of the report before '" + spelling +
                       "' in '" + expression + "'");
    return gate;
  }
  return makeError("expected a comparison like 'peak.bytes > 72GiB', found '" +
                   expression + "'");
}

static bool holds(Gate::Comparison comparison, double value, double limit) {
  switch (comparison) {
  case Gate::Comparison::Less:
    return value < limit;
  case Gate::Comparison::LessEqual:
    return value <= limit;
  case Gate::Comparison::Equal:
    return value == limit;
  case Gate::Comparison::NotEqual:
    return value != limit;
  case Gate::Comparison::GreaterEqual:
    return value >= limit;
  case Gate::Comparison::Greater:
    return value > limit;
  }
  llvm_unreachable("not a comparison");
}

static StringRef spell(Gate::Comparison comparison) {
  constexpr StringRef spellings[] = {"<", "<=", "==", "!=", ">=", ">"};
  return spellings[static_cast<size_t>(comparison)];
}

llvm::Expected<std::optional<std::string>>
mlir::titan::evaluateGate(const Gate &gate, StringRef text) {
  Json report = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json *node = &report;
  StringRef rest = gate.path;
  while (!rest.empty()) {
    auto [key, tail] = rest.split('.');
    rest = tail;
    if (node->is_null())
      return makeError("the report has nothing at '" + gate.path +
                       "': no partition was made");
    if (node->is_object() && node->contains(key.str())) {
      node = &(*node)[key.str()];
      continue;
    }
    std::vector<std::string> keys;
    if (node->is_object())
      for (const auto &entry : node->items())
        keys.push_back(entry.key());
    std::vector<StringRef> known(keys.begin(), keys.end());
    return makeError("the report has no '" + key + "' on the way to '" +
                     gate.path + "'" + didYouMean(key, known));
  }
  if (!node->is_number())
    return makeError("expected a number at '" + gate.path + "' of the report");
  double value = node->get<double>();
  if (!holds(gate.comparison, value, gate.limit))
    return std::nullopt;
  return "'" + gate.path + "' is " + node->dump() + ", which is " +
         spell(gate.comparison).str() + " " + gate.limitText;
}
