// A training graph with values bound to it: runs the joint function, or the
// forward and the backward function of a partition with the saved values passed
// inside, and names the results alike.
#ifndef TITAN_EXECUTION_PROGRAM_H
#define TITAN_EXECUTION_PROGRAM_H

#include "titan/Execution/RuntimeValue.h"
#include "titan/Execution/Safetensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::titan {

/// Runs one function on every rank: arguments and results by rank. Engines
/// differ in how.
using Engine = llvm::function_ref<FailureOr<std::vector<RankValues>>(
    func::FuncOp, std::vector<RankValues>)>;

/// Where the values of inputs come from: named tensors, or a seed from which
/// they are drawn (normal for floats, 0 or 1 for integers, the hint or 2 for a
/// size).
///
/// What is drawn is the same on every rank for replicas, that is parameters,
/// buffers and constants, and differs for inputs, tangents, and what an
/// all-gather reads: shards.
struct InputSource {
  std::optional<TensorMap> tensors;
  /// Whether inputs that are not among the tensors are drawn; then a tensor
  /// that is no input is an error.
  bool drawsMissing = false;
  uint64_t seed = 0;
  int64_t rank = 0;
};

/// The functions of a module in the order in which they run, with their inputs.
///
/// An input that several functions read is one value. Inputs are named after
/// the source graph, or `arg0`, `arg1`, ... without one.
class Program {
public:
  /// \p functions are one (a joint or any other function) or two (forward and
  /// backward of a partition).
  explicit Program(ArrayRef<func::FuncOp> functions)
      : functions(functions.begin(), functions.end()) {}

  /// Takes the value of every input from \p source. What is missing, or has
  /// another type than the graph says, is reported in one error.
  LogicalResult bindInputs(const InputSource &source);

  /// The values of the graph's symbols (`s77`), as the inputs give them.
  const llvm::StringMap<int64_t> &getSymbols() const { return symbols; }

  /// Runs the functions. The results by position in the joint function's
  /// results (`0`, `1`, ...), and as `input:NAME` what an input became that the
  /// program wrote to.
  FailureOr<TensorMap> run(Engine engine);

  /// The same for one program a rank, all of the same functions.
  static FailureOr<std::vector<TensorMap>>
  runRanks(MutableArrayRef<Program> ranks, Engine engine);

private:
  struct Input {
    std::string name;
    Type type;
    BlockArgument argument;
  };

  FailureOr<RuntimeValue> bindInput(const Input &input,
                                    const InputSource &source,
                                    std::string &problem);
  static void findStrangers(const TensorMap &tensors, ArrayRef<Input> wanted,
                            SmallVectorImpl<std::string> &problems);
  RuntimeValue drawInput(const Input &input, const InputSource &source);
  LogicalResult checkRoom(ArrayRef<Input> wanted);
  void handOverGenerators();
  FailureOr<RankValues> takeArguments(func::FuncOp function);
  FailureOr<RuntimeValue> findArgument(func::FuncOp function, unsigned index);
  LogicalResult keepResults(func::FuncOp function,
                            ArrayRef<RuntimeValue> values, TensorMap &outputs);
  void addWrittenInputs(TensorMap &outputs) const;
  std::optional<int64_t> evaluateSize(Attribute size) const;
  std::optional<Shape> getLayoutStrides(const Input &input) const;

  SmallVector<func::FuncOp> functions;
  llvm::StringMap<RuntimeValue> inputs;
  llvm::StringMap<int64_t> symbols;
  /// What the forward saved, by name.
  llvm::StringMap<RuntimeValue> saved;
};

/// The result of comparing two sets of tensors by name.
struct Comparison {
  int64_t equal = 0;
  /// A line for each name that differs: shape, type, or the largest difference.
  std::vector<std::string> differences;
};

/// Compares \p actual with \p expected element by element, bit for bit except
/// that any NaN equals any other; with \p tolerance above zero, numbers whose
/// difference is at most that part of the largest expected one are equal too.
/// Names that only \p actual has do not count.
Comparison compareTensors(const TensorMap &actual, const TensorMap &expected,
                          double tolerance);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_PROGRAM_H
