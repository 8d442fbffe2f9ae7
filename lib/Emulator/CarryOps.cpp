// Integers of 32 bits as inline PTX computes with them: sums and products with
// a carry from one instruction to the next, and pairs of them as 64 bits.
#include "Op.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir::titan::emulator;
using llvm::StringRef;

namespace {
enum Kind : int64_t { kAdd, kSubtract, kMultiply };
enum Parameter { kKind, kIsHigh, kReadsCarry, kWritesCarry };
} // namespace

static void runInteger(Thread &thread, const Op &op, Slot *in, Slot *out) {
  uint64_t a = uint32_t(in[0]), b = uint32_t(in[1]);
  uint64_t carry = op.parameter[kReadsCarry] ? thread.carry : 0, sum = 0;
  if (op.parameter[kKind] == kSubtract) {
    // A borrow, which shows in the upper half.
    sum = a - b - carry;
  } else if (op.parameter[kKind] == kAdd) {
    sum = a + b + carry;
  } else {
    uint64_t product = a * b;
    sum = (op.parameter[kIsHigh] ? product >> 32 : uint32_t(product)) +
          uint32_t(in[2]) + carry;
  }
  if (op.parameter[kWritesCarry])
    thread.carry = sum >> 32 != 0;
  out[0] = uint32_t(sum);
}

static void runJoin(Thread &, const Op &, Slot *in, Slot *out) {
  out[0] = uint32_t(in[0]) | uint64_t(uint32_t(in[1])) << 32;
}

static void runSplit(Thread &, const Op &, Slot *in, Slot *out) {
  out[0] = uint32_t(in[0]);
  out[1] = in[0] >> 32;
}

bool mlir::titan::emulator::decodeCarry(StringRef name, Form form, Op &op) {
  if (form != Form::Ptx)
    return false;
  op.numResults = 1;
  if (name == "mov.b64.join") {
    op.run = runJoin;
    return true;
  }
  if (name == "mov.b64.split") {
    op.numResults = 2;
    op.run = runSplit;
    return true;
  }
  StringRef rest = name;
  bool isInteger = rest.consume_back(".u32") || rest.consume_back(".s32");
  op.parameter[kWritesCarry] = rest.consume_back(".cc");
  op.parameter[kIsHigh] = rest.ends_with(".hi");
  bool hasHalf = rest.consume_back(".hi") || rest.consume_back(".lo");
  bool isProduct = rest == "mul" || rest == "mad" || rest == "madc";
  op.parameter[kReadsCarry] = rest.ends_with("c") && rest != "c";
  op.parameter[kKind] = llvm::StringSwitch<int64_t>(rest)
                            .Cases({"add", "addc"}, kAdd)
                            .Cases({"sub", "subc"}, kSubtract)
                            .Cases({"mul", "mad", "madc"}, kMultiply)
                            .Default(-1);
  // The upper half of a signed product is another.
  if (!isInteger || op.parameter[kKind] < 0 || hasHalf != isProduct ||
      (op.parameter[kIsHigh] && name.ends_with(".s32"))) {
    op.numResults = 0;
    op.parameter = {};
    return false;
  }
  op.run = runInteger;
  return true;
}
