// What an SSA value holds while a program runs.
#ifndef TITAN_EXECUTION_RUNTIMEVALUE_H
#define TITAN_EXECUTION_RUNTIMEVALUE_H

#include "titan/Execution/Random.h"
#include "titan/Execution/Tensor.h"

#include <string>
#include <variant>

namespace mlir::titan {

/// A generator that an op draws from instead of the program's own.
///
/// A partition that recomputes a random op hands one to either side. The
/// forward's follows the program's generator and remembers where it stood at
/// the first draw; the backward's starts from there.
struct Generator {
  bool followsProgram = false;
  std::optional<RandomState> state;
};

/// A value of a running program, or an argument of an op: Python's None, a
/// tensor, a number (SymInt is `int64_t`, SymFloat `double`), a literal, a
/// list.
struct RuntimeValue {
  using List = std::vector<RuntimeValue>;
  std::variant<std::monostate, Tensor, int64_t, double, bool, std::string, Type,
               RandomState, std::shared_ptr<Generator>, List>
      storage;

  RuntimeValue() = default;
  template <typename T>
  RuntimeValue(T value) : storage(std::move(value)) {}

  bool isNone() const {
    return std::holds_alternative<std::monostate>(storage);
  }
  template <typename T>
  const T *getIf() const {
    return std::get_if<T>(&storage);
  }
  bool isNumber() const {
    return getIf<int64_t>() || getIf<double>() || getIf<bool>();
  }
};

/// The values of one rank: arguments or results of a function.
using RankValues = std::vector<RuntimeValue>;

} // namespace mlir::titan

#endif // TITAN_EXECUTION_RUNTIMEVALUE_H
