// The reference engine: runs a function op by op, each by a readable kernel.
#ifndef TITAN_EXECUTION_INTERPRETER_H
#define TITAN_EXECUTION_INTERPRETER_H

#include "titan/Execution/RuntimeValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::titan {

class Call;
class KernelTable;

struct InterpreterOptions {
  /// Fail at the first op whose result holds a NaN or an infinity that none of
  /// its operands held.
  bool checkFinite = false;
  /// Take the time of every op.
  bool profile = false;
  /// The ranks of a group whose collectives do not say how many there are.
  int64_t numRanks = 1;
};

/// What the ops of one name took.
struct OpProfile {
  int64_t calls = 0;
  double seconds = 0;
  /// Bytes of tensor operands read and of tensor results written.
  int64_t bytes = 0;
};

/// Runs functions of a module. Holds the state of the random number generator,
/// which goes on from one function to the next.
class Interpreter {
public:
  Interpreter(RandomState random, const InterpreterOptions &options);
  ~Interpreter();

  /// Whether every op of \p function, and of the functions it refers to, has a
  /// kernel; if not, one error lists them all, with counts and places.
  LogicalResult checkSupported(func::FuncOp function);

  /// Whether the op called \p name (`aten.add.Tensor`) can be executed.
  bool hasKernel(StringRef name) const;

  /// Runs \p function. Arguments agree with its signature in number and kind.
  /// Errors stand at the op that cannot be executed.
  FailureOr<std::vector<RuntimeValue>> run(func::FuncOp function,
                                           ArrayRef<RuntimeValue> arguments);

  /// Runs the op called \p name, from inside \p caller, with arguments by
  /// position and by name.
  FailureOr<std::vector<RuntimeValue>>
  runNamed(Call &caller, StringRef name, ArrayRef<RuntimeValue> positional,
           ArrayRef<std::pair<StringRef, RuntimeValue>> named,
           TypeRange resultTypes);

  /// The program's generator, and the state that one op takes from it.
  RandomState &getRandomState() { return random; }
  RandomState takeRandomState() {
    RandomState taken = random;
    ++random.offset;
    return taken;
  }

  /// The kernels, to add to: another engine's replace those of the same name.
  KernelTable &getKernels() { return *kernels; }

  int64_t getNumRanks() const { return options.numRanks; }

  const llvm::MapVector<StringRef, OpProfile> &getProfile() const {
    return profile;
  }

private:
  using Environment = llvm::DenseMap<Value, RuntimeValue>;

  LogicalResult runOp(Operation *op, Environment &values);
  LogicalResult invoke(Call &call);
  LogicalResult invokeInPlace(Call &call);
  LogicalResult bindArguments(Call &call, const Environment &values);
  LogicalResult checkFinite(Operation *op, const Environment &values);

  RandomState random;
  InterpreterOptions options;
  std::unique_ptr<KernelTable> kernels;
  llvm::MapVector<StringRef, OpProfile> profile;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_INTERPRETER_H
