// The reference engine: runs a function op by op, each by a readable kernel.
#ifndef TITAN_EXECUTION_INTERPRETER_H
#define TITAN_EXECUTION_INTERPRETER_H

#include "titan/Execution/RuntimeValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <functional>

namespace mlir::titan {

class Call;
class KernelTable;

/// One op that has run, on one rank.
struct OpEvent {
  using Time = std::chrono::steady_clock::time_point;
  Operation *op;
  int64_t rank;
  /// How many functions were being run, one inside the other: 1 for an op of
  /// the outermost. An op inside of another one is told of before that.
  int64_t depth;
  ArrayRef<RuntimeValue> results;
  Time start, end;
};

/// Which numbers are looked for behind every op. An op is to blame for a NaN
/// where no operand holds one, and for an infinity where all operands are
/// finite, unless an infinity or a NaN is among its literals: a mask is filled
/// with minus infinity on purpose.
enum class FiniteCheck { None, Nan, All };

struct InterpreterOptions {
  /// Fail at the first op that is to blame for what is looked for.
  FiniteCheck finiteCheck = FiniteCheck::None;
  /// Take the time of every op.
  bool profile = false;
  /// How many ranks run in lockstep, each on data of its own. A single one
  /// stands for all ranks of a group: each of them has its data.
  int64_t numRanks = 1;
  /// Is told of every op; failure stops the run.
  std::function<LogicalResult(const OpEvent &)> observer;
};

/// What the ops of one name took, or the calls of one kernel.
struct OpProfile {
  /// One of them.
  Operation *op = nullptr;
  int64_t calls = 0;
  /// Without what ops inside of them took.
  double seconds = 0;
  /// Floating point operations, as far as a formula is known, by static types.
  int64_t flops = 0;
  /// Bytes of tensor operands read and of tensor results written.
  int64_t bytes = 0;
};

/// Runs functions of a module. Holds the state of the random number generator,
/// which goes on from one function to the next.
///
/// Memory is taken from the arena of the innermost ArenaScope. The results of
/// ops of the outermost function count as its values, from the op that makes
/// them to the last op that reads them. Where the arena has a limit, the op
/// whose results pass it fails.
class Interpreter {
public:
  /// Rank r's generator has the seed of \p random plus r.
  Interpreter(RandomState random, const InterpreterOptions &options);
  ~Interpreter();

  /// Whether every op of \p function, and of the functions it refers to, has a
  /// kernel; if not, one error lists them all, with counts and places.
  LogicalResult checkSupported(func::FuncOp function);

  /// Whether the op called \p name (`aten.add.Tensor`) can be executed.
  bool hasKernel(StringRef name) const;

  /// Runs \p function on the rank that is running, the first one at the
  /// outset. Arguments agree with its signature in number and kind, and are
  /// freed after their last use. Errors stand at the op that cannot be
  /// executed.
  FailureOr<RankValues> run(func::FuncOp function, RankValues arguments);

  /// Runs \p function on several ranks, op by op, every op on all of them
  /// before the next: rank r on `arguments[r]`. Results by rank.
  FailureOr<std::vector<RankValues>>
  runLockstep(func::FuncOp function, std::vector<RankValues> arguments);

  /// Runs the op called \p name, from inside \p caller, with arguments by
  /// position and by name.
  FailureOr<std::vector<RuntimeValue>>
  runNamed(Call &caller, StringRef name, ArrayRef<RuntimeValue> positional,
           ArrayRef<std::pair<StringRef, RuntimeValue>> named,
           TypeRange resultTypes);

  /// The running rank's generator, and the state that one op takes from it.
  RandomState &getRandomState() { return randoms[rank]; }
  RandomState takeRandomState() {
    RandomState taken = getRandomState();
    ++getRandomState().offset;
    return taken;
  }

  /// The kernels, to add to: another engine's replace those of the same name.
  KernelTable &getKernels() { return *kernels; }

  int64_t getNumRanks() const { return options.numRanks; }
  /// The rank that is running, or the first of those that run in lockstep.
  int64_t getRank() const { return rank; }

  /// By the name of the op or, of a call, of the function that is called.
  const llvm::MapVector<StringRef, OpProfile> &getProfile() const {
    return profile;
  }

private:
  using Environment = llvm::DenseMap<Value, RuntimeValue>;

  LogicalResult runOp(Operation *op, MutableArrayRef<Environment> ranks);
  LogicalResult invoke(Call &call);
  LogicalResult invokeOnAll(MutableArrayRef<Call> calls, int64_t firstRank,
                            SmallVectorImpl<OpEvent> &events);
  LogicalResult invokeInPlace(Call &call);
  LogicalResult bindArguments(Call &call, const Environment &values);
  LogicalResult checkRoom(Operation *op, int64_t numRanks);
  void addToProfile(const OpEvent &event, const Environment &values);

  InterpreterOptions options;
  /// The generators by rank.
  SmallVector<RandomState> randoms;
  int64_t rank = 0;
  /// How many functions are being run, one inside the other.
  int64_t depth = 0;
  std::unique_ptr<KernelTable> kernels;
  llvm::MapVector<StringRef, OpProfile> profile;
  /// Of the ops inside of the one that is running.
  double nestedSeconds = 0;
};

/// The op that \p op stands for, in words: its name, or those of the ops of
/// the kernel that it calls (`aten.mul.Tensor, aten.sigmoid`), views left out.
std::string describeOp(Operation *op);

/// How many ops of each name the kernel that \p op calls holds, in order of
/// the first; empty if it calls none.
llvm::MapVector<StringRef, int64_t> countKernelOps(Operation *op);

} // namespace mlir::titan

#endif // TITAN_EXECUTION_INTERPRETER_H
