// Atomics that are intrinsics or PTX; most are LLVM instructions, which the
// host runs as they are. Blocks that use them run on one worker (see
// `Kernel::ordered`), and the threads of a block take turns, so that reading
// and writing apart is atomic.
#include "Op.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::APFloat;
using llvm::StringRef;

enum Kind {
  kAdd,
  kMin,
  kMax,
  kIncrement,
  kDecrement,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompare
};
enum Type { kUnsigned, kSigned, kBits, kFloat, kDouble, kHalf, kBfloat };

static const llvm::fltSemantics &getSemantics(int64_t type) {
  if (type == kFloat)
    return APFloat::IEEEsingle();
  if (type == kDouble)
    return APFloat::IEEEdouble();
  return type == kHalf ? APFloat::IEEEhalf() : APFloat::BFloat();
}

static Slot addFloats(int64_t type, unsigned bits, Slot a, Slot b) {
  const llvm::fltSemantics &semantics = getSemantics(type);
  APFloat x(semantics, llvm::APInt(bits, a)),
      y(semantics, llvm::APInt(bits, b));
  x.add(y, APFloat::rmNearestTiesToEven);
  return x.bitcastToAPInt().getZExtValue();
}

static Slot combine(const Op &op, unsigned bits, Slot old, Slot value,
                    Slot other) {
  bool isSigned = op.parameter[1] == kSigned;
  auto extend = [&](Slot v) {
    return int64_t(v << (64 - bits)) >> (64 - bits);
  };
  bool less = isSigned ? extend(value) < extend(old) : value < old;
  switch (op.parameter[0]) {
  case kAdd:
    return op.parameter[1] >= kFloat
               ? addFloats(op.parameter[1], bits, old, value)
               : old + value;
  case kMin:
    return less ? value : old;
  case kMax:
    return less ? old : value;
  case kIncrement:
    return old >= value ? 0 : old + 1;
  case kDecrement:
    return old == 0 || old > value ? value : old - 1;
  case kAnd:
    return old & value;
  case kOr:
    return old | value;
  case kXor:
    return old ^ value;
  case kExchange:
    return value;
  default:
    return old == value ? other : old;
  }
}

static void runAtomic(Thread &thread, const Op &op, Slot *in, Slot *out) {
  auto bits = unsigned(op.parameter[2]);
  unsigned elements = unsigned(op.parameter[3]);
  uint32_t bytes = bits / 8 * elements;
  checkAccess(thread, in[0], bytes, bytes, kWrites | kAtomic);
  Slot old = 0, result = 0;
  auto *address = reinterpret_cast<void *>(in[0]);
  std::memcpy(&old, address, bytes);
  Slot mask = bits == 64 ? ~Slot(0) : (Slot(1) << bits) - 1;
  for (unsigned i = 0; i < elements; ++i)
    result |= (combine(op, bits, old >> (i * bits) & mask,
                       in[1] >> (i * bits) & mask, in[2] & mask) &
               mask)
              << (i * bits);
  std::memcpy(address, &result, bytes);
  if (op.numResults)
    out[0] = old;
}

bool mlir::titan::emulator::decodeAtomic(StringRef name, Form form, Op &op) {
  bool returns = name.starts_with("atom.");
  if (form != Form::Ptx || (!returns && !name.starts_with("red.")) ||
      name.starts_with("red.async"))
    return false;
  op.run = runAtomic;
  op.numResults = returns;
  op.parameter[0] = -1;
  op.parameter[2] = 0;
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '.');
  for (StringRef part : llvm::drop_begin(parts)) {
    int64_t kind = llvm::StringSwitch<int64_t>(part)
                       .Case("add", kAdd)
                       .Case("min", kMin)
                       .Case("max", kMax)
                       .Case("inc", kIncrement)
                       .Case("dec", kDecrement)
                       .Case("and", kAnd)
                       .Case("or", kOr)
                       .Case("xor", kXor)
                       .Case("exch", kExchange)
                       .Case("cas", kCompare)
                       .Default(-1);
    if (kind >= 0) {
      op.parameter[0] = kind;
      continue;
    }
    StringRef type = part;
    op.parameter[3] = type.consume_back("x2") ? 2 : 1;
    int64_t family = -1;
    if (type.consume_front("bf"))
      family = kBfloat;
    else if (type.consume_front("u"))
      family = kUnsigned;
    else if (type.consume_front("s"))
      family = kSigned;
    else if (type.consume_front("b"))
      family = kBits;
    else if (type.consume_front("f"))
      family = type == "64" ? kDouble : type == "32" ? kFloat : kHalf;
    int64_t bits = 0;
    if (family < 0 || type.getAsInteger(10, bits))
      continue;
    op.parameter[1] = family;
    op.parameter[2] = bits;
  }
  bool floats = op.parameter[1] >= kFloat;
  return op.parameter[0] >= 0 && op.parameter[2] &&
         (!floats || op.parameter[0] == kAdd);
}
