// Inline PTX as a program over the machine's operations.
#ifndef TITAN_LIB_EMULATOR_INLINEPTX_H
#define TITAN_LIB_EMULATOR_INLINEPTX_H

#include "Op.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir::titan::emulator {

/// A parsed inline assembly text. Its registers are numbered: first the
/// operands `$0`, `$1`, ... of the assembly, then those it declares.
struct PtxProgram {
  /// A register, or a constant.
  struct Operand {
    bool isConstant = false;
    uint32_t number = 0;
    Slot constant = 0;
  };
  struct Instruction {
    enum class Kind { Operation, Branch, Move, SetPredicate } kind;
    /// Register of the guard `@p`, or -1; `@!p` inverts it.
    int32_t guard = -1;
    bool guardInverted = false;
    const Op *op = nullptr;
    std::vector<Operand> inputs;
    /// Registers written; -1 is the sink `_`.
    std::vector<int32_t> outputs;
    /// Of a branch, the instruction to go on at.
    uint32_t target = 0;
    /// Of a setp: comparison, and whether it is signed, and bits.
    int64_t comparison = 0;
  };
  uint32_t numOperands = 0, numRegisters = 0;
  std::vector<Instruction> instructions;
};

/// Parses a text. `operations` owns the operations found. Errors name the
/// instruction that is not emulated.
llvm::Expected<std::unique_ptr<PtxProgram>>
parsePtx(llvm::StringRef text, unsigned numOperands,
         std::vector<std::unique_ptr<Op>> &operations);

/// Runs a program over its operands, read and written in `operands`.
void runPtx(Thread &thread, const PtxProgram &program, Slot *operands);

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_INLINEPTX_H
