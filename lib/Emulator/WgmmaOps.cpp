// wgmma: matrix products of a warpgroup, which run when they are waited for.
//
// An accumulator register stands in compiled code for a token, a NaN whose
// payload is the register's place in the thread's accumulator file. wgmma takes
// tokens and gives them on, as hardware adds in place; every other use asks
// `resolveAccumulator` for the value, which is there once the operation was
// waited for. A value that is no token begins a new range of registers.
//
// A factor in shared memory is read when the operation runs, as late as it may,
// and its bytes count as being read from the issue on.
#include "Numbers.h"
#include "Op.h"
#include "Swizzle.h"
#include <algorithm>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

//===--- Accumulators -----------------------------------------------------===//

// A quiet NaN with the sign set and bit 21; no operation gives this payload.
// Below: 10 bits of generation, 4 of the range, 7 of the register.
static constexpr uint32_t kToken = 0xffe00000;

static bool isToken(uint32_t bits) {
  return (bits & kToken) == kToken && bits != 0xffffffff;
}

static uint32_t makeToken(uint32_t generation, uint32_t range, uint32_t index) {
  return kToken | (generation & 0x3ff) << 11 | range << 7 | index;
}

/// The range that a token names; null if it was used again since.
static AccumulatorRange *findRange(Thread &thread, uint32_t token) {
  if (!thread.accumulators)
    return nullptr;
  AccumulatorRange &range = (*thread.accumulators)[token >> 7 & 15];
  return (range.generation & 0x3ff) == (token >> 11 & 0x3ff) ? &range : nullptr;
}

uint32_t mlir::titan::emulator::resolveAccumulator(uint32_t bits,
                                                   uint32_t site) {
  if (!isToken(bits))
    return bits;
  Thread &thread = getCurrentThread();
  AccumulatorRange *range = findRange(thread, bits);
  if (!range)
    return bits;
  if (range->pending) {
    thread.site = site;
    thread.fail(Fault::PendingAccumulator,
                "uses an accumulator of a wgmma that is not complete; "
                "'wgmma.wait_group' has to come first");
  }
  return range->value[bits & 127];
}

//===--- Factors ----------------------------------------------------------===//

namespace {

/// A factor in shared memory as its descriptor has it.
struct Factor {
  uint64_t start = 0;
  uint64_t leading = 0, stride = 0;
  unsigned span = 0;
};

/// One wgmma of a warpgroup.
struct Product {
  unsigned n = 0, k = 0;
  Format a{}, b{};
  bool aInRegisters = false, transposeA = false, transposeB = false;
  bool negateA = false, negateB = false;
  Factor factorA, factorB;
  /// Bits of A from registers: row, k.
  std::vector<uint32_t> registers;
  AccumulatorRange *ranges[kWarpgroupSize];
  bool accumulate = false;
};

} // namespace

static Factor readDescriptor(Thread &thread, uint64_t descriptor) {
  auto base = reinterpret_cast<uint64_t>(thread.block->shared.getBase());
  Factor factor;
  factor.start = base + ((descriptor & 0x3fff) << 4);
  factor.leading = (descriptor >> 16 & 0x3fff) << 4;
  factor.stride = (descriptor >> 32 & 0x3fff) << 4;
  static constexpr unsigned spans[] = {0, 128, 64, 32};
  factor.span = spans[descriptor >> 62];
  return factor;
}

/// The address of element (outer, k), outer being the row of A or column of B.
///
/// K-major: groups of eight rows `stride` apart; a row is a line of the swizzle
/// (16 bytes without one), and lines along k are `leading` apart without
/// swizzle, adjacent bytes within a line with one. MN-major: lines run along
/// the outer index; groups of eight k are `stride` apart and lines `leading`;
/// without swizzle it is the other way about.
static uint64_t getAddress(const Factor &factor, bool transposed,
                           unsigned bytes, unsigned outer, unsigned k) {
  unsigned line = factor.span ? factor.span : 16;
  unsigned perLine = line / bytes;
  uint64_t address;
  if (!transposed) {
    address = factor.start + (outer / 8) * factor.stride + (outer % 8) * line +
              (k % perLine) * bytes + (k / perLine) * factor.leading;
  } else {
    uint64_t acrossLines = factor.span ? factor.leading : factor.stride;
    uint64_t acrossK = factor.span ? factor.stride : factor.leading;
    address = factor.start + (outer / perLine) * acrossLines +
              (k / 8) * acrossK + (k % 8) * line + (outer % perLine) * bytes;
  }
  return swizzle(address, factor.span);
}

/// Calls `function(address)` for each 16-byte piece of a factor, which is what
/// no swizzle takes apart.
template <typename Function>
static void forEachPiece(const Factor &factor, bool transposed, Format format,
                         unsigned outer, unsigned k, Function function) {
  unsigned bytes = getBits(format) / 8, per = 16 / bytes;
  unsigned stepOuter = transposed ? per : 1, stepK = transposed ? 1 : per;
  for (unsigned o = 0; o < outer; o += stepOuter)
    for (unsigned i = 0; i < k; i += stepK)
      function(getAddress(factor, transposed, bytes, o, i));
}

static float loadElement(uint64_t address, Format format) {
  uint32_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void *>(address),
              getBits(format) / 8);
  return decode(format, bits);
}

/// Computes the product: in single precision, by increasing k.
static void run(const Product &p) {
  static constexpr unsigned kRows = 64, kColumns = 256, kMaximumK = 16;
  float a[kRows][kMaximumK], b[kMaximumK][kColumns], d[kColumns];
  unsigned bytesA = getBits(p.a) / 8, bytesB = getBits(p.b) / 8;
  for (unsigned m = 0; m < kRows; ++m)
    for (unsigned k = 0; k < p.k; ++k) {
      float value =
          p.aInRegisters
              ? decode(p.a, p.registers[m * p.k + k])
              : loadElement(getAddress(p.factorA, p.transposeA, bytesA, m, k),
                            p.a);
      a[m][k] = p.negateA ? -value : value;
    }
  for (unsigned k = 0; k < p.k; ++k)
    for (unsigned n = 0; n < p.n; ++n) {
      float value =
          loadElement(getAddress(p.factorB, p.transposeB, bytesB, n, k), p.b);
      b[k][n] = p.negateB ? -value : value;
    }
  // Thread t of the warpgroup holds, of row 16*(t/32) + t%32/4 (+8), columns
  // 8*j + 2*(t%4) (+1): registers 4*j (+2) (+1).
  for (unsigned m = 0; m < kRows; ++m) {
    unsigned first = m / 16 * 32 + m % 8 * 4, upper = m % 16 / 8 * 2;
    for (unsigned n = 0; n < p.n; ++n) {
      uint32_t bits =
          p.ranges[first + n % 8 / 2]->value[n / 8 * 4 + upper + n % 2];
      d[n] = p.accumulate ? std::bit_cast<float>(bits) : 0.0f;
    }
    for (unsigned k = 0; k < p.k; ++k)
      for (unsigned n = 0; n < p.n; ++n)
        d[n] += a[m][k] * b[k][n];
    for (unsigned n = 0; n < p.n; ++n)
      p.ranges[first + n % 8 / 2]->value[n / 8 * 4 + upper + n % 2] =
          std::bit_cast<uint32_t>(d[n]);
  }
}

//===--- Issue ------------------------------------------------------------===//

/// Gives the thread's accumulators a range and its registers tokens.
static AccumulatorRange *takeAccumulators(Thread &thread, const Op &op,
                                          Slot *in, Slot *out, unsigned count,
                                          bool accumulate) {
  if (!thread.accumulators)
    thread.accumulators = std::make_unique<std::array<AccumulatorRange, 16>>();
  auto first = uint32_t(in[0]);
  AccumulatorRange *range = isToken(first) ? findRange(thread, first) : nullptr;
  bool inPlace = range != nullptr && (accumulate || !range->pending);
  for (unsigned i = 0; inPlace && i < count; ++i)
    inPlace = uint32_t(in[i]) == first + i;
  bool mixed = false;
  if (!inPlace) {
    if (accumulate && !thread.wgmmaFenced)
      thread.fail(Fault::MissingFence,
                  "'" + op.name +
                      "' adds to registers that were written "
                      "after the last 'wgmma.fence'");
    thread.nextRange = (thread.nextRange + 1) % 16;
    range = &(*thread.accumulators)[thread.nextRange];
    if (range->pending)
      thread.fail(Fault::PendingAccumulator,
                  "more than 16 sets of accumulators are in use at once");
    ++range->generation;
    for (unsigned i = 0; i < count; ++i) {
      auto bits = uint32_t(in[i]);
      if (accumulate && isToken(bits)) {
        AccumulatorRange *other = findRange(thread, bits);
        mixed |= other && other->pending;
        bits = other ? other->value[bits & 127] : bits;
      }
      range->value[i] = bits;
    }
    if (mixed)
      thread.fail(Fault::PendingAccumulator,
                  "'" + op.name +
                      "' adds to accumulators of other operations "
                      "that are not complete");
  }
  auto which = uint32_t(range - thread.accumulators->data());
  for (unsigned i = 0; i < count; ++i)
    out[i] = makeToken(range->generation, which, i);
  ++range->pending;
  return range;
}

/// Bits of A that lane-wise registers hold, by row and k.
static void gatherRegisters(const Meeting &meeting, Product &p,
                            unsigned offset) {
  unsigned bits = getBits(p.a), per = 32 / bits;
  p.registers.assign(size_t(64) * p.k, 0);
  for (unsigned t = 0; t < kWarpgroupSize; ++t)
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned h = 0; h < per; ++h) {
        unsigned row = t / 32 * 16 + t % 32 / 4 + 8 * (r & 1);
        unsigned k = t % 4 * per + h + 4 * per * (r >> 1);
        p.registers[row * p.k + k] =
            uint32_t(meeting.in[t][offset + r] >> (h * bits));
      }
}

/// Checks what the product will read, and marks it as being read.
static void checkFactor(Thread &thread, const Factor &factor, bool transposed,
                        Format format, unsigned outer, unsigned k) {
  SharedMemory &shared = thread.block->shared;
  constexpr unsigned bytes = 16;
  forEachPiece(factor, transposed, format, outer, k, [&](uint64_t address) {
    if (!shared.contains(address))
      thread.fail(Fault::SharedOutOfBounds,
                  "a wgmma reads outside of shared memory");
    checkAccess(thread, address, bytes, bytes, kReads | kAsync);
    shared.setBeingRead(address, bytes, true);
  });
}

/// Ends the reads that `checkFactor` began, in the name of the warpgroup.
static void releaseFactor(Block &block, uint32_t reader, uint32_t clock,
                          const Factor &factor, bool transposed, Format format,
                          unsigned outer, unsigned k) {
  constexpr unsigned bytes = 16;
  forEachPiece(factor, transposed, format, outer, k, [&](uint64_t address) {
    block.shared.setBeingRead(address, bytes, false);
    block.shared.recordReads(address, bytes, reader, clock);
  });
}

/// accumulators, A (descriptor or four registers), B, scale-d, negations,
/// transpositions: the operands of the PTX instruction.
static void runWgmma(Thread &thread, const Op &op, Slot *in, Slot *out) {
  if (!thread.wgmmaEverFenced)
    thread.fail(Fault::MissingFence,
                "'" + op.name + "' before any 'wgmma.fence'");
  unsigned n = unsigned(op.parameter[0]), count = n / 2;
  // A descriptor leaves 5 operands (7 with transpositions), registers 8 or 9.
  bool fromRegisters = op.numOperands >= count + 8;
  unsigned b = count + (fromRegisters ? 4 : 1);
  bool accumulate = in[b + 1] & 1;
  AccumulatorRange *range =
      takeAccumulators(thread, op, in, out, count, accumulate);
  // The work needs the ranges of all: each is passed on in its first register.
  in[0] = reinterpret_cast<Slot>(range);
  Meeting *meeting = meetWarpgroup(thread, op, in, out);
  if (!meeting)
    return;
  Block &block = *thread.block;
  auto p = std::make_shared<Product>();
  p->n = n;
  p->k = unsigned(op.parameter[1]);
  p->a = Format(op.parameter[2]);
  p->b = Format(op.parameter[3]);
  p->aInRegisters = fromRegisters;
  p->accumulate = accumulate;
  p->negateA = int32_t(in[b + 2]) == -1;
  p->negateB = int32_t(in[b + 3]) == -1;
  if (getBits(p->a) == 16) {
    p->transposeA = !fromRegisters && (in[b + 4] & 1);
    p->transposeB = in[b + (fromRegisters ? 4 : 5)] & 1;
  }
  p->factorB = readDescriptor(thread, in[b]);
  if (fromRegisters)
    gatherRegisters(*meeting, *p, count);
  else
    p->factorA = readDescriptor(thread, in[count]);
  for (unsigned t = 0; t < kWarpgroupSize; ++t)
    p->ranges[t] = reinterpret_cast<AccumulatorRange *>(meeting->in[t][0]);
  bool track = block.shared.isTracked();
  if (track) {
    if (!fromRegisters)
      checkFactor(thread, p->factorA, p->transposeA, p->a, 64, p->k);
    checkFactor(thread, p->factorB, p->transposeB, p->b, n, p->k);
  }
  uint32_t group = thread.warpgroup();
  block.warpgroups[group].open.push_back({[p, &block, group, track] {
    run(*p);
    for (AccumulatorRange *one : p->ranges)
      --one->pending;
    if (!track)
      return;
    uint32_t reader = block.getWarpgroupClockIndex(group);
    uint32_t clock = block.warpgroups[group].clock;
    if (!p->aInRegisters)
      releaseFactor(block, reader, clock, p->factorA, p->transposeA, p->a, 64,
                    p->k);
    releaseFactor(block, reader, clock, p->factorB, p->transposeB, p->b, p->n,
                  p->k);
  }});
  endMeeting(*meeting);
}

static void runFence(Thread &thread, const Op &, Slot *, Slot *) {
  thread.wgmmaFenced = thread.wgmmaEverFenced = true;
}

static void runCommit(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetWarpgroup(thread, op, in, out);
  if (!meeting)
    return;
  Warpgroup &group = thread.block->warpgroups[thread.warpgroup()];
  group.groups.push_back(std::move(group.open));
  group.open.clear();
  endMeeting(*meeting);
}

static void runWait(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetWarpgroup(thread, op, in, out);
  uint32_t number = thread.warpgroup();
  Warpgroup &group = thread.block->warpgroups[number];
  if (meeting) {
    while (group.groups.size() > in[0]) {
      for (WgmmaOperation &operation : group.groups.front())
        operation.run();
      group.groups.pop_front();
    }
    ++group.clock;
    endMeeting(*meeting);
  }
  // Who waited knows that the reads are over.
  thread.wgmmaFenced = false;
  bool fenced = thread.fencedSinceAcquire;
  std::vector<uint32_t> clocks(thread.block->getWarpgroupClockIndex(number) +
                               1);
  clocks.back() = group.clock - 1;
  thread.acquire(clocks);
  thread.fencedSinceAcquire = fenced;
}

static bool decodeProduct(StringRef name, Op &op) {
  unsigned n = 0, k = 0;
  if (!name.consume_front("m64n") || name.consumeInteger(10, n) ||
      !name.consume_front("k") || name.consumeInteger(10, k) ||
      !name.consume_front(".f32."))
    return false;
  if (name == "bf16.bf16")
    op.parameter[2] = op.parameter[3] = int64_t(Format::Bf16);
  else if (name == "f16.f16")
    op.parameter[2] = op.parameter[3] = int64_t(Format::F16);
  else if (name == "tf32.tf32")
    op.parameter[2] = op.parameter[3] = int64_t(Format::Tf32);
  else
    return false;
  unsigned expected = name.starts_with("tf32") ? 8 : 16;
  if (n % 8 || n == 0 || n > 256 || k != expected)
    return false;
  op.parameter[0] = n;
  op.parameter[1] = k;
  op.parameter[7] = kReadsResults;
  op.numResults = n / 2;
  op.run = runWgmma;
  return true;
}

bool mlir::titan::emulator::decodeWgmma(StringRef name, Form, Op &op) {
  if (!name.consume_front("wgmma."))
    return false;
  if (name.starts_with("fence"))
    op.run = runFence;
  else if (name.starts_with("commit_group"))
    op.run = runCommit;
  else if (name.starts_with("wait_group"))
    op.run = runWait;
  else if (name.consume_front("mma_async.sync.aligned."))
    return decodeProduct(name, op);
  return op.run != nullptr;
}
