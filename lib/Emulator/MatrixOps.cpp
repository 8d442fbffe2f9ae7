// Tensor-core operations of a warp: ldmatrix, stmatrix and mma.sync.
//
// mma.sync computes each element as the accumulator plus the products, added
// one by one in the order of k, in single precision (f64 and integers in their
// own). Hardware adds several products at once, with a few more bits.
#include "Numbers.h"
#include "Op.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

//===--- ldmatrix, stmatrix -----------------------------------------------===//

/// Lane 8*m+r gives the address of row r of matrix m; lane i holds the two
/// elements at row i/4, columns 2*(i%4) on, or of the transpose.
static void runLoadMatrix(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, ~0u, in, out);
  if (!meeting)
    return;
  auto matrices = unsigned(op.parameter[0]);
  bool transposed = op.parameter[1];
  uint16_t element[4][8][8];
  for (unsigned m = 0; m < matrices; ++m)
    for (unsigned row = 0; row < 8; ++row) {
      Thread &lane = *meeting->threads[m * 8 + row];
      uint64_t address = meeting->in[m * 8 + row][0];
      lane.site = thread.site;
      if (!thread.block->shared.contains(address))
        thread.fail(Fault::SharedOutOfBounds,
                    "ldmatrix from an address outside of shared memory");
      checkAccess(lane, address, 16, 16, kReads);
      std::memcpy(element[m][row], reinterpret_cast<const void *>(address), 16);
    }
  for (unsigned i = 0; i < kWarpSize; ++i)
    for (unsigned m = 0; m < matrices; ++m) {
      unsigned r = i / 4, c = i % 4 * 2;
      uint32_t low = transposed ? element[m][c][r] : element[m][r][c];
      uint32_t high = transposed ? element[m][c + 1][r] : element[m][r][c + 1];
      meeting->out[i][m] = low | high << 16;
    }
  endMeeting(*meeting);
}

static void runStoreMatrix(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, ~0u, in, out);
  if (!meeting)
    return;
  auto matrices = unsigned(op.parameter[0]);
  bool transposed = op.parameter[1];
  for (unsigned m = 0; m < matrices; ++m) {
    uint16_t element[8][8];
    for (unsigned i = 0; i < kWarpSize; ++i)
      for (unsigned h : {0u, 1u}) {
        auto value = uint16_t(meeting->in[i][1 + m] >> (16 * h));
        unsigned r = i / 4, c = i % 4 * 2 + h;
        (transposed ? element[c][r] : element[r][c]) = value;
      }
    for (unsigned row = 0; row < 8; ++row) {
      Thread &lane = *meeting->threads[m * 8 + row];
      uint64_t address = meeting->in[m * 8 + row][0];
      lane.site = thread.site;
      checkAccess(lane, address, 16, 16, kWrites);
      std::memcpy(reinterpret_cast<void *>(address), element[row], 16);
    }
  }
  endMeeting(*meeting);
}

//===--- mma.sync ---------------------------------------------------------===//

namespace {

/// The shape and the formats of an mma.
struct Shape {
  unsigned m, n, k;
  Format a, b, c, d;
};

constexpr unsigned kMaximumK = 64;

} // namespace

static Shape getShape(const Op &op) {
  auto dimensions = uint64_t(op.parameter[0]);
  return {unsigned(dimensions & 255),       unsigned(dimensions >> 8 & 255),
          unsigned(dimensions >> 16 & 255), Format(op.parameter[1]),
          Format(op.parameter[2]),          Format(op.parameter[3]),
          Format(op.parameter[4])};
}

template <typename T>
static T decodeAs(Format format, uint64_t bits) {
  if (format == Format::F64)
    return T(std::bit_cast<double>(bits));
  if (format == Format::S8)
    return T(int8_t(bits));
  if (format == Format::U8)
    return T(uint8_t(bits));
  if (format == Format::S32)
    return T(int32_t(bits));
  return T(decode(format, uint32_t(bits)));
}

static unsigned countRegisters(unsigned elements, Format format) {
  return std::max(1u, elements * getBits(format) /
                          std::max(32u, getBits(format)) / kWarpSize);
}

/// Computes in T: float, double or int32_t (wrapping).
template <typename T>
static void multiply(const Meeting &meeting, const Shape &s) {
  T a[16][kMaximumK], b[kMaximumK][8], d[16][8];
  unsigned inA = countRegisters(s.m * s.k, s.a);
  unsigned inB = countRegisters(s.k * s.n, s.b);
  auto perRegister = [](Format format) {
    return std::max(1u, 32 / getBits(format));
  };
  unsigned eA = perRegister(s.a), eB = perRegister(s.b), eC = perRegister(s.c);
  unsigned inC = countRegisters(s.m * s.n, s.c);
  bool tall = s.m == 16;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Slot *slot = meeting.in[lane];
    unsigned g = lane / 4, q = lane % 4;
    for (unsigned r = 0; r < inA; ++r)
      for (unsigned h = 0; h < eA; ++h) {
        unsigned row = tall ? g + 8 * (r & 1) : g;
        unsigned k = q * eA + h + 4 * eA * (tall ? r >> 1 : r);
        a[row][k] = decodeAs<T>(s.a, slot[r] >> (h * getBits(s.a) % 64));
      }
    for (unsigned r = 0; r < inB; ++r)
      for (unsigned h = 0; h < eB; ++h)
        b[q * eB + h + 4 * eB * r][g] =
            decodeAs<T>(s.b, slot[inA + r] >> (h * getBits(s.b) % 64));
    for (unsigned r = 0; r < inC; ++r)
      for (unsigned h = 0; h < eC; ++h) {
        unsigned e = r * eC + h;
        d[g + 8 * (e >> 1)][q * 2 + (e & 1)] =
            decodeAs<T>(s.c, slot[inA + inB + r] >> (h * getBits(s.c) % 64));
      }
  }
  for (unsigned row = 0; row < s.m; ++row)
    for (unsigned k = 0; k < s.k; ++k)
      for (unsigned n = 0; n < 8; ++n) {
        if constexpr (std::is_integral_v<T>)
          d[row][n] =
              T(uint32_t(d[row][n]) + uint32_t(a[row][k]) * uint32_t(b[k][n]));
        else
          d[row][n] += a[row][k] * b[k][n];
      }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    Slot *slot = meeting.out[lane];
    unsigned g = lane / 4, q = lane % 4;
    for (unsigned e = 0; e < s.m * s.n / kWarpSize; ++e) {
      T value = d[g + 8 * (e >> 1)][q * 2 + (e & 1)];
      if (s.d == Format::F16) {
        Slot half = toHalf(float(value));
        slot[e / 2] = e & 1 ? slot[e / 2] | half << 16 : half;
      } else if constexpr (std::is_same_v<T, double>) {
        slot[e] = std::bit_cast<uint64_t>(value);
      } else {
        slot[e] = std::bit_cast<uint32_t>(value);
      }
    }
  }
}

static void runMma(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, ~0u, in, out);
  if (!meeting)
    return;
  Shape shape = getShape(op);
  if (shape.d == Format::F64)
    multiply<double>(*meeting, shape);
  else if (shape.d == Format::S32)
    multiply<int32_t>(*meeting, shape);
  else
    multiply<float>(*meeting, shape);
  endMeeting(*meeting);
}

static std::optional<Format> parseFormat(StringRef name) {
  return llvm::StringSwitch<std::optional<Format>>(name)
      .Case("f16", Format::F16)
      .Case("bf16", Format::Bf16)
      .Case("tf32", Format::Tf32)
      .Case("f32", Format::F32)
      .Case("f64", Format::F64)
      .Case("s8", Format::S8)
      .Case("u8", Format::U8)
      .Case("s32", Format::S32)
      .Default(std::nullopt);
}

/// mma: shape, row.col, and formats. PTX writes all four, an intrinsic those of
/// the factors, or for f16 those of the sums.
static bool decodeMma(StringRef name, Form form, Op &op) {
  auto [shape, rest] = name.split('.');
  unsigned m = 0, n = 0, k = 0;
  if (!shape.consume_front("m") || shape.consumeInteger(10, m) ||
      !shape.consume_front("n") || shape.consumeInteger(10, n) ||
      !shape.consume_front("k") || shape.consumeInteger(10, k) ||
      !rest.consume_front("row.col."))
    return false;
  llvm::SmallVector<StringRef> parts;
  rest.split(parts, '.');
  llvm::SmallVector<Format> formats;
  for (StringRef part : parts) {
    auto format = parseFormat(part);
    if (!format)
      return false;
    formats.push_back(*format);
  }
  Shape s{m, n, k, {}, {}, {}, {}};
  if (form == Form::Ptx && formats.size() == 4) {
    s.d = formats[0];
    s.a = formats[1];
    s.b = formats[2];
    s.c = formats[3];
  } else if (form == Form::Intrinsic && formats.size() == 2 &&
             (formats[0] == Format::F16 || formats[0] == Format::F32)) {
    s.a = s.b = Format::F16;
    s.d = formats[0];
    s.c = formats[1];
  } else if (form == Form::Intrinsic && formats.size() <= 2) {
    s.a = formats[0];
    s.b = formats.back();
    bool integers = getBits(s.a) == 8;
    s.c = s.d = integers             ? Format::S32
                : s.a == Format::F64 ? Format::F64
                                     : Format::F32;
  } else {
    return false;
  }
  // m8n8k4 of f16 is laid out in a way of its own.
  bool known = n == 8 && (m == 16 || (m == 8 && s.a == Format::F64)) &&
               k * getBits(s.a) >= 128 && k <= kMaximumK;
  if (!known)
    return false;
  op.run = runMma;
  op.parameter = {int64_t(m | n << 8 | k << 16),
                  int64_t(s.a),
                  int64_t(s.b),
                  int64_t(s.c),
                  int64_t(s.d),
                  0,
                  0,
                  0};
  op.numResults = countRegisters(m * n, s.d);
  return true;
}

bool mlir::titan::emulator::decodeMatrix(StringRef name, Form form, Op &op) {
  if (name.consume_front("mma.")) {
    if (form == Form::Ptx && !name.consume_front("sync.aligned."))
      return false;
    return decodeMma(name, form, op);
  }
  bool loads = name.consume_front("ldmatrix.sync.aligned.");
  if (!loads && !name.consume_front("stmatrix.sync.aligned."))
    return false;
  if (!name.contains("m8n8") || !name.contains("b16"))
    return false;
  op.parameter[0] = name.contains("x4") ? 4 : name.contains("x2") ? 2 : 1;
  op.parameter[1] = name.contains(".trans");
  op.numResults = loads ? unsigned(op.parameter[0]) : 0;
  op.run = loads ? runLoadMatrix : runStoreMatrix;
  return true;
}
