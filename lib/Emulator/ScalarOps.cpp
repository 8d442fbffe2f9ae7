// Arithmetic of one thread that is no LLVM instruction, and the PTX forms of
// what is.
#include "Op.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace mlir::titan::emulator;
using llvm::StringRef;

static float asFloat(Slot slot) { return std::bit_cast<float>(uint32_t(slot)); }
static Slot asSlot(float value) { return std::bit_cast<uint32_t>(value); }
static float flush(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, value)
             : value;
}

/// The flushed operand of an operation whose first parameter says so.
static float load(const Op &op, Slot slot) {
  return op.parameter[0] ? flush(asFloat(slot)) : asFloat(slot);
}
static Slot store(const Op &op, float value) {
  return asSlot(op.parameter[0] ? flush(value) : value);
}

template <double (*function)(double)>
static void runUnary(Thread &, const Op &op, Slot *in, Slot *out) {
  out[0] = store(op, float(function(double(load(op, in[0])))));
}

static double reciprocal(double x) { return 1.0 / x; }
static double reciprocalRoot(double x) { return 1.0 / std::sqrt(x); }

// The lower half of its result is zero.
static void runReciprocalRoot64(Thread &, const Op &, Slot *in, Slot *out) {
  auto value = std::bit_cast<double>(in[0] & ~uint64_t(0xffffffff));
  if (std::fabs(value) < std::numeric_limits<double>::min())
    value = std::copysign(0.0, value);
  out[0] =
      std::bit_cast<uint64_t>(reciprocalRoot(value)) & ~uint64_t(0xffffffff);
}

/// Rounds the exact sum of `high` and an error of its sign down or up.
static float roundDirected(double sum, double error, int direction) {
  auto result = float(sum);
  // The distance of the exact value from the result, by its sign alone.
  double rest = (sum - double(result));
  if (rest == 0)
    rest = error;
  if (direction < 0 && rest < 0)
    return std::nextafter(result, -std::numeric_limits<float>::infinity());
  if (direction > 0 && rest > 0)
    return std::nextafter(result, std::numeric_limits<float>::infinity());
  bool towardsZero = direction == 0;
  if (towardsZero && ((result > 0 && rest < 0) || (result < 0 && rest > 0)))
    return std::nextafter(result, 0.0f);
  return result;
}

/// fma in single precision, rounded in the direction of parameter 1. The
/// product of two floats is exact in double; the sum's error is its two-sum's.
static void runDirectedFma(Thread &, const Op &op, Slot *in, Slot *out) {
  double product = double(load(op, in[0])) * load(op, in[1]);
  double addend = load(op, in[2]);
  double sum = product + addend;
  if (!std::isfinite(sum)) {
    out[0] = store(op, float(sum));
    return;
  }
  double virtualAddend = sum - product;
  double error = (product - (sum - virtualAddend)) + (addend - virtualAddend);
  out[0] = store(op, roundDirected(sum, error, int(op.parameter[1])));
}

static void runDirectedAdd(Thread &, const Op &op, Slot *in, Slot *out) {
  double sum = double(load(op, in[0])) + load(op, in[1]);
  out[0] =
      store(op, std::isfinite(sum) ? roundDirected(sum, 0, int(op.parameter[1]))
                                   : float(sum));
}

static void runDirectedMultiply(Thread &, const Op &op, Slot *in, Slot *out) {
  double product = double(load(op, in[0])) * load(op, in[1]);
  out[0] = store(op, std::isfinite(product)
                         ? roundDirected(product, 0, int(op.parameter[1]))
                         : float(product));
}

/// Rounds a float to half or bfloat, two at a time: high, low.
static Slot narrow(float value, bool bfloat, bool relu) {
  if (relu && !(value > 0))
    value = std::isnan(value) ? value : 0;
  llvm::APFloat number(value);
  bool lost;
  number.convert(bfloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
                 llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.bitcastToAPInt().getZExtValue();
}

static void runNarrowTwo(Thread &, const Op &op, Slot *in, Slot *out) {
  bool bfloat = op.parameter[2], relu = op.parameter[3];
  out[0] = narrow(asFloat(in[0]), bfloat, relu) << 16 |
           narrow(asFloat(in[1]), bfloat, relu);
}

static void runNarrowOne(Thread &, const Op &op, Slot *in, Slot *out) {
  out[0] = narrow(asFloat(in[0]), op.parameter[2], op.parameter[3]);
}

/// cvt.rna.tf32: rounds to 10 bits of mantissa, ties away from zero.
static void runToTf32(Thread &, const Op &op, Slot *in, Slot *out) {
  auto bits = uint32_t(in[0]);
  bool special = (bits & 0x7f800000) == 0x7f800000;
  if (!special) {
    uint32_t half = 0x1000;
    if (op.parameter[1]) // Ties to even.
      half = 0xfff + (bits >> 13 & 1);
    bits += half;
  }
  out[0] = bits & (special ? ~0u : ~0x1fffu);
}

static void runPermute(Thread &, const Op &op, Slot *in, Slot *out) {
  uint64_t bytes = uint32_t(in[0]) | uint64_t(uint32_t(in[1])) << 32;
  auto selector = uint32_t(in[2]);
  (void)op;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t which = selector >> (4 * i) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (which & 7))) & 255;
    if (which & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  out[0] = result;
}

static void runMoveAddress(Thread &, const Op &, Slot *in, Slot *out) {
  out[0] = in[0];
}

/// lop3: a truth table of three operands.
static void runLop3(Thread &, const Op &, Slot *in, Slot *out) {
  uint32_t result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    unsigned row = unsigned((in[0] >> bit & 1) << 2 | (in[1] >> bit & 1) << 1 |
                            (in[2] >> bit & 1));
    result |= uint32_t(in[3] >> row & 1) << bit;
  }
  out[0] = result;
}

static void runIsShared(Thread &thread, const Op &op, Slot *in, Slot *out) {
  bool shared = thread.block->shared.contains(in[0]);
  out[0] = bool(op.parameter[1]) == shared;
}

static void runPtxArithmetic(Thread &, const Op &op, Slot *in, Slot *out) {
  float a = load(op, in[0]), b = load(op, in[1]), c = load(op, in[2]);
  float result = 0;
  switch (op.parameter[1]) {
  case 0:
    result = a + b;
    break;
  case 1:
    result = a - b;
    break;
  case 2:
    result = a * b;
    break;
  case 3:
    result = std::fma(a, b, c);
    break;
  case 4:
    result = a / b;
    break;
  case 5:
    result = std::fmin(a, b);
    break;
  default:
    result = std::fmax(a, b);
  }
  out[0] = store(op, result);
}

static bool decodePtxScalar(StringRef name, Op &op) {
  if (name == "cvt.rn.bf16x2.f32" || name == "cvt.rn.f16x2.f32" ||
      name == "cvt.rn.relu.bf16x2.f32" || name == "cvt.rn.relu.f16x2.f32") {
    op.parameter[2] = name.contains("bf16");
    op.parameter[3] = name.contains("relu");
    op.run = runNarrowTwo;
    return true;
  }
  if (name == "cvt.rn.bf16.f32" || name == "cvt.rn.f16.f32") {
    op.parameter[2] = name.contains("bf16");
    op.run = runNarrowOne;
    return true;
  }
  if (name == "cvt.rna.tf32.f32" || name == "cvt.rn.tf32.f32") {
    op.parameter[1] = name.contains(".rn.");
    op.run = runToTf32;
    return true;
  }
  if (name.starts_with("cvta.")) {
    op.run = runMoveAddress;
    return true;
  }
  if (!name.ends_with(".f32"))
    return false;
  StringRef base = name.split('.').first;
  int64_t which = llvm::StringSwitch<int64_t>(base)
                      .Case("add", 0)
                      .Case("sub", 1)
                      .Case("mul", 2)
                      .Case("fma", 3)
                      .Case("div", 4)
                      .Case("min", 5)
                      .Case("max", 6)
                      .Default(-1);
  if (which < 0 || name.contains(".rm.") || name.contains(".rp.") ||
      name.contains(".rz.") || name.contains(".sat.") || name.contains(".nan."))
    return false;
  op.parameter[1] = which;
  op.run = runPtxArithmetic;
  return true;
}

bool mlir::titan::emulator::decodeScalar(StringRef name, Form form, Op &op) {
  op.numResults = 1;
  op.parameter[0] = name.contains(".ftz");
  if (name == "rsqrt.approx.ftz.f64") {
    op.run = runReciprocalRoot64;
    return true;
  }
  if (name.contains(".approx") &&
      (name.ends_with(".f32") || name.ends_with(".f"))) {
    op.run = llvm::StringSwitch<Handler>(name.split('.').first)
                 .Case("rcp", runUnary<reciprocal>)
                 .Case("rsqrt", runUnary<reciprocalRoot>)
                 .Case("ex2", runUnary<std::exp2>)
                 .Case("lg2", runUnary<std::log2>)
                 .Case("tanh", runUnary<std::tanh>)
                 .Case("sin", runUnary<std::sin>)
                 .Case("cos", runUnary<std::cos>)
                 .Case("sqrt", runUnary<std::sqrt>)
                 .Default(nullptr);
    return op.run != nullptr;
  }
  if (form == Form::Ptx && decodePtxScalar(name, op))
    return true;
  StringRef plain = name;
  plain.consume_back(".f");
  if (plain.consume_back(".ftz"))
    plain.consume_back(".f");
  auto [base, rounding] = plain.split('.');
  int64_t direction = llvm::StringSwitch<int64_t>(rounding)
                          .Case("rm", -1)
                          .Case("rp", 1)
                          .Case("rz", 0)
                          .Default(2);
  if (direction != 2 && (name.ends_with(".f") || name.ends_with(".ftz.f"))) {
    op.parameter[1] = direction;
    op.run = llvm::StringSwitch<Handler>(base)
                 .Case("fma", runDirectedFma)
                 .Case("add", runDirectedAdd)
                 .Case("mul", runDirectedMultiply)
                 .Default(nullptr);
    return op.run != nullptr;
  }
  if (name == "prmt" || name == "prmt.b32") {
    op.run = runPermute;
    return true;
  }
  if (name == "lop3.b32") {
    op.run = runLop3;
    return true;
  }
  if (name == "isspacep.shared" || name == "isspacep.global") {
    op.parameter[1] = name.ends_with("shared");
    op.run = runIsShared;
    return true;
  }
  if (name.starts_with("ff2bf16x2.rn") || name.starts_with("ff2f16x2.rn")) {
    op.parameter[2] = name.starts_with("ff2bf16");
    op.parameter[3] = name.ends_with("relu");
    op.run = runNarrowTwo;
    return true;
  }
  if (name.starts_with("f2bf16.rn") || name.starts_with("f2f16.rn")) {
    op.parameter[2] = name.starts_with("f2bf16");
    op.parameter[3] = name.ends_with("relu");
    op.run = runNarrowOne;
    return true;
  }
  if (name == "f2tf32.rna" || name == "f2tf32.rn") {
    op.parameter[1] = name.ends_with(".rn");
    op.run = runToTf32;
    return true;
  }
  if (name.starts_with("mapa") || name.starts_with("cvta")) {
    // In a cluster of one block, its own address.
    op.run = runMoveAddress;
    return true;
  }
  op.numResults = 0;
  return false;
}
