// Operations over the lanes of a warp: shuffles, votes, matches, reductions.
#include "Op.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace mlir::titan::emulator;
using llvm::StringRef;

/// The lanes that met, in order.
template <typename Function>
static void forEachLane(Meeting &meeting, Function function) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (meeting.threads[lane])
      function(lane, meeting.in[lane], meeting.out[lane]);
}

enum ShuffleMode { kIndex, kUp, kDown, kButterfly };

/// shfl.sync: mask, value, lane or distance, clamp. PTX has the mask last.
static void runShuffle(Thread &thread, const Op &op, Slot *in, Slot *out) {
  bool maskLast = op.parameter[1];
  uint32_t mask = uint32_t(maskLast ? in[3] : in[0]);
  unsigned first = maskLast ? 0 : 1;
  Meeting *meeting = meetLanes(thread, op, mask, in, out);
  if (!meeting)
    return;
  const Thread *inactive = nullptr;
  Slot results[kWarpSize];
  bool inRange[kWarpSize];
  forEachLane(*meeting, [&](unsigned lane, Slot *args, Slot *) {
    auto b = uint32_t(args[first + 1]) & 31, c = uint32_t(args[first + 2]);
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment);
    uint32_t least = lane & segment;
    int64_t source = lane;
    bool valid = false;
    switch (op.parameter[0]) {
    case kIndex:
      source = least | (b & ~segment);
      valid = source <= most;
      break;
    case kUp:
      source = int64_t(lane) - b;
      valid = source >= most;
      break;
    case kDown:
      source = int64_t(lane) + b;
      valid = source <= most;
      break;
    default:
      source = lane ^ b;
      valid = source <= most;
    }
    if (!valid)
      source = lane;
    inRange[lane] = valid;
    if (!meeting->threads[size_t(source)]) {
      inactive = meeting->threads[lane];
      source = lane;
    }
    results[lane] = meeting->in[size_t(source)][first];
  });
  if (inactive)
    thread.fail(Fault::WarpDivergence,
                "lane " + llvm::Twine(inactive->lane()) +
                    " of a shuffle reads a lane outside of the mask 0x" +
                    llvm::utohexstr(meeting->mask));
  forEachLane(*meeting, [&](unsigned lane, Slot *, Slot *outcome) {
    outcome[0] = results[lane];
    if (op.numResults == 2)
      outcome[1] = inRange[lane];
  });
  endMeeting(*meeting);
}

enum VoteMode { kAll, kAny, kUniform, kBallot };

static void runVote(Thread &thread, const Op &op, Slot *in, Slot *out) {
  bool maskLast = op.parameter[1];
  Meeting *meeting =
      meetLanes(thread, op, uint32_t(in[maskLast ? 1 : 0]), in, out);
  if (!meeting)
    return;
  uint32_t ballot = 0;
  forEachLane(*meeting, [&](unsigned lane, Slot *args, Slot *) {
    ballot |= uint32_t(args[maskLast ? 0 : 1] & 1) << lane;
  });
  bool all = ballot == meeting->mask, none = ballot == 0;
  Slot result = ballot;
  if (op.parameter[0] == kAll)
    result = all;
  else if (op.parameter[0] == kAny)
    result = !none;
  else if (op.parameter[0] == kUniform)
    result = all || none;
  forEachLane(*meeting, [&](unsigned, Slot *, Slot *to) { to[0] = result; });
  endMeeting(*meeting);
}

/// match.sync: mask, value.
static void runMatch(Thread &thread, const Op &op, Slot *in, Slot *out) {
  bool all = op.parameter[0];
  Meeting *meeting = meetLanes(thread, op, uint32_t(in[0]), in, out);
  if (!meeting)
    return;
  forEachLane(*meeting, [&](unsigned, Slot *args, Slot *to) {
    uint32_t same = 0;
    forEachLane(*meeting, [&](unsigned lane, Slot *other, Slot *) {
      same |= uint32_t(other[1] == args[1]) << lane;
    });
    bool everybody = same == meeting->mask;
    to[0] = all && !everybody ? 0 : same;
    if (all)
      to[1] = everybody;
  });
  endMeeting(*meeting);
}

/// The lanes that run together now. Fibers run one by one, and no rule makes
/// lanes converge, so that one lane alone is a right answer, and the hardest.
static void runActiveMask(Thread &thread, const Op &, Slot *, Slot *out) {
  out[0] = 1u << thread.lane();
}

enum ReduxKind {
  kAdd,
  kMin,
  kMax,
  kUnsignedMin,
  kUnsignedMax,
  kAnd,
  kOr,
  kXor,
  kFloatMin,
  kFloatMax
};

static Slot reduceTwo(const Op &op, Slot a, Slot b) {
  auto x = uint32_t(a), y = uint32_t(b);
  auto asFloat = [&](uint32_t bits) {
    auto value = std::bit_cast<float>(bits);
    return op.parameter[1] ? std::fabs(value) : value;
  };
  switch (op.parameter[0]) {
  case kAdd:
    return uint32_t(x + y);
  case kMin:
    return uint32_t(std::min(int32_t(x), int32_t(y)));
  case kMax:
    return uint32_t(std::max(int32_t(x), int32_t(y)));
  case kUnsignedMin:
    return std::min(x, y);
  case kUnsignedMax:
    return std::max(x, y);
  case kAnd:
    return x & y;
  case kOr:
    return x | y;
  case kXor:
    return x ^ y;
  default:
    float p = asFloat(x), q = asFloat(y);
    bool nan = std::isnan(p) || std::isnan(q);
    if (nan && op.parameter[2])
      return 0x7fffffff;
    return std::bit_cast<uint32_t>(
        op.parameter[0] == kFloatMin ? std::fmin(p, q) : std::fmax(p, q));
  }
}

/// redux.sync: value, mask.
static void runRedux(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, uint32_t(in[1]), in, out);
  if (!meeting)
    return;
  bool first = true;
  Slot result = 0;
  forEachLane(*meeting, [&](unsigned, Slot *args, Slot *) {
    result = first ? args[0] : reduceTwo(op, result, args[0]);
    first = false;
  });
  if (op.parameter[0] >= kFloatMin && op.parameter[1])
    result &= 0x7fffffff;
  forEachLane(*meeting, [&](unsigned, Slot *, Slot *to) { to[0] = result; });
  endMeeting(*meeting);
}

static void runElect(Thread &thread, const Op &op, Slot *in, Slot *out) {
  Meeting *meeting = meetLanes(thread, op, uint32_t(in[0]), in, out);
  if (!meeting)
    return;
  auto leader = unsigned(std::countr_zero(meeting->mask));
  forEachLane(*meeting, [&](unsigned lane, Slot *, Slot *to) {
    to[0] = leader;
    to[1] = lane == leader;
  });
  endMeeting(*meeting);
}

static bool decodeRedux(StringRef kind, Op &op) {
  op.parameter[1] = kind.contains("abs");
  op.parameter[2] = kind.contains_insensitive("nan");
  StringRef operation = kind.split('.').first;
  bool isFloat = kind.ends_with("f32");
  op.parameter[0] = llvm::StringSwitch<int64_t>(operation)
                        .Case("add", kAdd)
                        .Case("min", kMin)
                        .Case("max", kMax)
                        .Case("umin", kUnsignedMin)
                        .Case("umax", kUnsignedMax)
                        .Case("and", kAnd)
                        .Case("or", kOr)
                        .Case("xor", kXor)
                        .Case("fmin", kFloatMin)
                        .Case("fmax", kFloatMax)
                        .Default(-1);
  if (isFloat && op.parameter[0] == kMin)
    op.parameter[0] = kFloatMin;
  if (isFloat && op.parameter[0] == kMax)
    op.parameter[0] = kFloatMax;
  if (kind.ends_with(".u32") && op.parameter[0] == kMin)
    op.parameter[0] = kUnsignedMin;
  if (kind.ends_with(".u32") && op.parameter[0] == kMax)
    op.parameter[0] = kUnsignedMax;
  return op.parameter[0] >= 0;
}

bool mlir::titan::emulator::decodeWarp(StringRef name, Form form, Op &op) {
  op.numResults = 1;
  bool ptx = form == Form::Ptx;
  if (name.consume_front("shfl.sync.")) {
    op.run = runShuffle;
    op.parameter[1] = ptx;
    op.numResults = (ptx ? op.numOperands == 6 : name.ends_with("p")) ? 2 : 1;
    op.parameter[0] = llvm::StringSwitch<int64_t>(name.split('.').first)
                          .Case("idx", kIndex)
                          .Case("up", kUp)
                          .Case("down", kDown)
                          .Case("bfly", kButterfly)
                          .Default(-1);
    return op.parameter[0] >= 0;
  }
  if (name.consume_front("vote.sync.") ||
      (name.starts_with("vote.") && name.ends_with(".sync") &&
       name.consume_front("vote."))) {
    op.run = runVote;
    op.parameter[1] = ptx;
    op.parameter[0] = llvm::StringSwitch<int64_t>(name.split('.').first)
                          .Case("all", kAll)
                          .Case("any", kAny)
                          .Case("uni", kUniform)
                          .Case("ballot", kBallot)
                          .Default(-1);
    return op.parameter[0] >= 0;
  }
  if (!ptx && name.starts_with("match.")) {
    op.run = runMatch;
    op.parameter[0] = name.starts_with("match.all");
    op.numResults = op.parameter[0] ? 2 : 1;
    return true;
  }
  if (name == "activemask" || name == "activemask.b32") {
    op.run = runActiveMask;
    return true;
  }
  if (name.consume_front("redux.sync.")) {
    op.run = runRedux;
    return decodeRedux(name, op);
  }
  if (name == "elect.sync") {
    op.run = runElect;
    op.numResults = 2;
    return true;
  }
  op.numResults = 0;
  return false;
}
