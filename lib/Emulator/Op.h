// Operations of the machine, whichever way the module spells them.
#ifndef TITAN_LIB_EMULATOR_OP_H
#define TITAN_LIB_EMULATOR_OP_H

#include "Machine.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::titan::emulator {

/// Does an operation for one thread. `in` and `out` are its registers.
using Handler = void (*)(Thread &thread, const Op &op, Slot *in, Slot *out);

/// An operation with what its name says, read once when the module is loaded.
struct Op {
  Handler run = nullptr;
  /// Registers it writes, the first operands of its PTX form.
  unsigned numResults = 0;
  /// Operands of its PTX form, results included; known before it is decoded.
  unsigned numOperands = 0;
  /// What the name says; the meaning is the handler's.
  std::array<int64_t, 8> parameter{};
  /// The name, for messages.
  std::string name;
};

/// In `parameter[7]`: the operation reads its results before it writes them.
inline constexpr int64_t kReadsResults = 1;

/// How an operation is written.
enum class Form {
  /// An intrinsic: the name behind `llvm.nvvm.`.
  Intrinsic,
  /// A mnemonic of inline PTX.
  Ptx
};

/// Finds the operation of a name; false if it is not emulated. Each family
/// answers for its own names.
bool decodeOperation(llvm::StringRef name, Form form, Op &op);

bool decodeSynchronisation(llvm::StringRef name, Form form, Op &op);
bool decodeWarp(llvm::StringRef name, Form form, Op &op);
bool decodeCarry(llvm::StringRef name, Form form, Op &op);
bool decodeScalar(llvm::StringRef name, Form form, Op &op);
bool decodeAtomic(llvm::StringRef name, Form form, Op &op);
bool decodeAsyncCopy(llvm::StringRef name, Form form, Op &op);
bool decodeMbarrier(llvm::StringRef name, Form form, Op &op);
bool decodeBulkCopy(llvm::StringRef name, Form form, Op &op);
bool decodeMatrix(llvm::StringRef name, Form form, Op &op);
bool decodeWgmma(llvm::StringRef name, Form form, Op &op);

/// Joins the lanes of `mask` (of the thread's warp) in an operation. Returns
/// the meeting to the last lane that arrives, which does the work and calls
/// `endMeeting`; null to the others, once that is done.
Meeting *meetLanes(Thread &thread, const Op &op, uint32_t mask, Slot *in,
                   Slot *out);
/// The same for the 128 threads of a warpgroup.
Meeting *meetWarpgroup(Thread &thread, const Op &op, Slot *in, Slot *out);
void endMeeting(Meeting &meeting);
/// Orders what the threads that met did before what they do from now on.
void orderLanes(Meeting &meeting);

/// What the end of a thread means for the copies it began: a fault if they were
/// never waited for.
void finishThread(Thread &thread);
/// Opens barriers that only threads which exited were missing at.
void checkBarriers(Block &block);

/// The value that an accumulator of a wgmma stands for (see WgmmaOps.cpp).
uint32_t resolveAccumulator(uint32_t bits, uint32_t site);

/// Checks an access of compiled code or of a handler, in any address space.
void checkAccess(Thread &thread, uint64_t address, uint32_t size,
                 uint32_t alignment, uint32_t flags);

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_OP_H
