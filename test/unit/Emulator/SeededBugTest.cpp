// Correct kernels, each of which passes every schedule, and mutations of them:
// bugs that were put in and must be found, by name.
#include "EmulatorTestSupport.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace emulatortest;

//===--- The kernels ------------------------------------------------------===//

static const char *kExchangeGlobals =
    "@buf = internal addrspace(3) global [128 x i32] undef, align 16\n";

/// Adds the values of threads t and t^64, and reverses the sums: three barriers
/// that are all needed.
static std::string makeExchange() {
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %t
  %v = load i32, ptr addrspace(1) %from, align 4
  %slot = getelementptr i32, ptr addrspace(3) @buf, i64 %t
  store i32 %v, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; first
  %o = xor i64 %t, 64
  %oslot = getelementptr i32, ptr addrspace(3) @buf, i64 %o
  %w = load i32, ptr addrspace(3) %oslot, align 4
  %s = add i32 %v, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; second
  store i32 %s, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; third
  %r = sub i64 127, %t
  %rslot = getelementptr i32, ptr addrspace(3) @buf, i64 %r
  %x = load i32, ptr addrspace(3) %rslot, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %x, ptr addrspace(1) %to, align 4)",
                    kExchangeGlobals);
}

/// Copies 16 bytes a thread through shared memory by cp.async, in two groups,
/// and stores its neighbour's.
static std::string makeAsyncCopy() {
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
  %b = shl i64 %t, 4
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %b
  %slot = getelementptr i8, ptr addrspace(3) @buf, i64 %b
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %slot, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group() ; one
  %slot2 = getelementptr i8, ptr addrspace(3) %slot, i64 2048
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %slot2, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.commit.group() ; two
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o = xor i64 %b, 16
  %oslot = getelementptr i8, ptr addrspace(3) @buf, i64 %o
  %oslot2 = getelementptr i8, ptr addrspace(3) %oslot, i64 2048
  %v = load <4 x i32>, ptr addrspace(3) %oslot2, align 16
  %to = getelementptr i8, ptr addrspace(1) %out, i64 %b
  store <4 x i32> %v, ptr addrspace(1) %to, align 16)",
                    "@buf = internal addrspace(3) global [4096 x i8] undef, "
                    "align 16\n");
}

/// Adds over the warp by shuffles.
static std::string makeShuffle() {
  std::string body = R"(
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %t
  %v0 = load i32, ptr addrspace(1) %from, align 4
)";
  for (int i = 0; i < 5; ++i) {
    std::string n = std::to_string(i), m = std::to_string(i + 1);
    body += "  %s" + n +
            " = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v" + n +
            ", i32 " + std::to_string(1 << i) + ", i32 31)\n  %v" + m +
            " = add i32 %v" + n + ", %s" + n + "\n";
  }
  body += R"(
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %v5, ptr addrspace(1) %to, align 4)";
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", body);
}

/// Warp 0 fills a buffer, warp 1 reads it behind a named barrier of the two.
static std::string makeNamedBarrier() {
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
  %lane = and i64 %t, 31
  %slot = getelementptr i32, ptr addrspace(3) @buf, i64 %lane
  %c = icmp ult i64 %t, 32
  br i1 %c, label %producer, label %consumer
producer:
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %t
  %v = load i32, ptr addrspace(1) %from, align 4
  store i32 %v, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)
  br label %end
consumer:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64) ; wait
  %w = load i32, ptr addrspace(3) %slot, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %lane
  store i32 %w, ptr addrspace(1) %to, align 4
  br label %end
end:)",
                    kExchangeGlobals);
}

/// Waits for the phase `parity` of an mbarrier as MLIR's lowering does.
static std::string waitFor(const std::string &barrier, int parity) {
  return "  call void asm sideeffect \"{\\0A.reg .pred P1; \\0ALAB_WAIT: "
         "\\0Ambarrier.try_wait.parity.shared.b64 P1, [$0], $1, $2; \\0A@P1 "
         "bra.uni DONE; \\0Abra.uni LAB_WAIT; \\0ADONE: \\0A}\", \"r,r,r\"(ptr "
         "addrspace(3) " +
         barrier + ", i32 " + std::to_string(parity) + ", i32 1000)\n";
}

/// One thread loads a tile of 8x16 i32 by TMA, twice into the same place; all
/// read it, the first time into the first half of `out`; then the tile is
/// written back by TMA.
static std::string makeTma() {
  std::string load =
      "  call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr "
      "addrspace(3) @full, i32 512) ; expectN\n"
      "  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr "
      "addrspace(7) addrspacecast (ptr addrspace(3) @tile to ptr "
      "addrspace(7)), ptr addrspace(3) @full, ptr %map, i32 0, i32 ROW, i16 0, "
      "i64 0, i1 false, i1 false, i32 0)\n";
  auto loadAt = [&](const char *row, const char *number) {
    std::string text = load;
    text.replace(text.find("ROW"), 3, row);
    text.replace(text.find("expectN"), 7, number);
    return text;
  };
  return makeKernel("ptr %map, ptr addrspace(1) %out", R"(
  %first = icmp eq i64 %t, 0
  br i1 %first, label %setup, label %ready
setup:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @full, i32 1)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @empty, i32 128)
  br label %ready
ready:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %first, label %load0, label %wait0
load0:
)" + loadAt("0", "expect0") + R"(  br label %wait0
wait0:
)" + waitFor("@full", 0) + R"(
  %slot = getelementptr i32, ptr addrspace(3) @tile, i64 %t
  %v = load i32, ptr addrspace(3) %slot, align 4
  %arrival = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @empty)
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %v, ptr addrspace(1) %to, align 4
  br i1 %first, label %load1, label %wait1
load1:
)" + waitFor("@empty", 0) + loadAt("8", "expect1") + R"(  br label %wait1
wait1:
)" + waitFor("@full", 1) + R"(
  %w = load i32, ptr addrspace(3) %slot, align 4
  %x = add i32 %w, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  store i32 %x, ptr addrspace(3) %slot, align 4
  call void @llvm.nvvm.fence.proxy.async.shared_cta() ; proxy
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 2)
  br i1 %first, label %store, label %end
store:
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr addrspace(3) @tile, ptr %map, i32 0, i32 8, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group() ; bulk
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0) ; bulk
  br label %end
end:)",
                    "@tile = internal addrspace(3) global [128 x i32] undef, "
                    "align 128\n"
                    "@full = internal addrspace(3) global i64 undef, align 8\n"
                    "@empty = internal addrspace(3) global i64 undef, align "
                    "8\n");
}

/// A descriptor of K-major factors without swizzle: rows of 16 bytes, groups of
/// eight rows 256 bytes apart, pieces along k 128 bytes apart.
static std::string makeWgmma() {
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
  %b = shl i64 %t, 4
  %from = getelementptr i8, ptr addrspace(1) %in, i64 %b
  %v = load <4 x i32>, ptr addrspace(1) %from, align 16
  %slot = getelementptr i8, ptr addrspace(3) @factors, i64 %b
  store <4 x i32> %v, ptr addrspace(3) %slot, align 16
  %small = icmp ult i64 %t, 16
  br i1 %small, label %more, label %filled
more:
  %from2 = getelementptr i8, ptr addrspace(1) %from, i64 2048
  %v2 = load <4 x i32>, ptr addrspace(1) %from2, align 16
  %slot2 = getelementptr i8, ptr addrspace(3) %slot, i64 2048
  store <4 x i32> %v2, ptr addrspace(3) %slot2, align 16
  br label %filled
filled:
  call void @llvm.nvvm.fence.proxy.async.shared_cta() ; proxy
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; filled
  %address = ptrtoint ptr addrspace(3) @factors to i64
  %low = and i64 %address, 262143
  %encoded = lshr i64 %low, 4
  %da = or i64 %encoded, 68720001024
  %db = add i64 %da, 128
  call void @llvm.nvvm.wgmma.fence.sync.aligned() ; registers
  %r = call { float, float, float, float } asm sideeffect "{\0A.reg .pred p;\0Asetp.ne.b32 p, $6, 0;\0Awgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, p, $7, $8, $9, $10;\0A}\0A", "=f,=f,=f,=f,l,l,n,n,n,n,n,0,1,2,3"(i64 %da, i64 %db, i32 1, i32 1, i32 1, i32 0, i32 0, float 0.0, float 0.0, float 0.0, float 0.0)
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0) ; complete
  %r0 = extractvalue { float, float, float, float } %r, 0
  %to = getelementptr float, ptr addrspace(1) %out, i64 %t
  store float %r0, ptr addrspace(1) %to, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; last
  store <4 x i32> %v, ptr addrspace(3) %slot, align 16)",
                    "@factors = internal addrspace(3) global [2304 x i8] "
                    "undef, align 128\n");
}

//===--- The bugs ---------------------------------------------------------===//

namespace {

/// A kernel, how to launch it, and buffers of 4 KiB to run it on.
struct Case {
  std::string text;
  uint32_t threads = 128;
  bool tensorMap = false;
  uint64_t outBytes = 512;
};

/// A mutation and the faults that it may show as.
struct Bug {
  const char *what;
  std::vector<std::pair<const char *, const char *>> edits;
  std::vector<Fault> faults;
};

} // namespace

static std::vector<std::optional<Fault>>
runAll(const Case &test, const std::string &text, std::string *message) {
  std::vector<std::optional<Fault>> faults;
  for (Schedule schedule : kSchedules) {
    auto emulator = load(text);
    auto *in = static_cast<int32_t *>(emulator->allocate(4096));
    void *out = emulator->allocate(test.outBytes);
    for (int i = 0; i < 1024; ++i)
      in[i] = 0x3f800000 + i * 0x10000;
    auto *map = static_cast<TensorMap *>(
        emulator->allocate(sizeof(TensorMap), Access::Read));
    *map = TensorMap();
    map->rank = 2;
    map->elementBytes = 4;
    map->base = in;
    map->size = {16, 16};
    map->box = {16, 8};
    map->stride = {64};
    Launch launch;
    launch.block = {test.threads};
    if (test.tensorMap)
      launch.arguments = {&map, &out};
    else
      launch.arguments = {&in, &out};
    faults.push_back(run(*emulator, launch, schedule, message));
  }
  return faults;
}

static void checkBugs(const Case &test, const std::vector<Bug> &bugs) {
  for (auto &fault : runAll(test, test.text, nullptr))
    CHECK_FALSE(fault);
  for (const Bug &bug : bugs) {
    INFO(bug.what);
    std::string text = test.text, message;
    for (auto [from, to] : bug.edits)
      text = mutate(text, from, to);
    bool caught = false;
    for (auto &fault : runAll(test, text, &message)) {
      if (!fault)
        continue;
      caught = true;
      INFO(message);
      CHECK(std::count(bug.faults.begin(), bug.faults.end(), *fault) == 1);
      CHECK(message.find("kernel 'k'") != std::string::npos);
    }
    CHECK(caught);
  }
}

#define BARRIER "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; "

TEST_CASE("bugs in the use of shared memory", "[emulator]") {
  checkBugs(
      {makeExchange()},
      {{"no barrier before reading",
        {{BARRIER "first", ""}},
        {Fault::Race, Fault::Uninitialised}},
       {"no barrier before writing again",
        {{BARRIER "second", ""}},
        {Fault::Race}},
       {"no barrier before reading again",
        {{BARRIER "third", ""}},
        {Fault::Race}},
       {"a store past the end of global memory",
        {{"ptr addrspace(1) %out, i64 %t", "ptr addrspace(1) %out, i64 %o2"},
         {"%r = sub i64 127, %t",
          "%r = sub i64 127, %t\n  %o2 = add i64 %t, 1"}},
        {Fault::OutOfBounds}},
       {"a load before the start of global memory",
        {{"ptr addrspace(1) %in, i64 %t", "ptr addrspace(1) %in, i64 -1"}},
        {Fault::OutOfBounds}},
       {"a misaligned vector",
        {{"%v = load i32, ptr addrspace(1) %from, align 4",
          "%vv = load <4 x i32>, ptr addrspace(1) %from, align 16\n"
          "  %v = extractelement <4 x i32> %vv, i32 0"}},
        {Fault::Misaligned}},
       {"an index past shared memory",
        {{"%r = sub i64 127, %t", "%r = sub i64 128, %t"}},
        {Fault::SharedOutOfBounds}},
       {"a read of a place that nobody wrote",
        {{"[128 x i32]", "[256 x i32]"},
         {"%r = sub i64 127, %t", "%r = sub i64 128, %t"}},
        {Fault::Uninitialised}},
       {"a thread that leaves before a barrier",
        {{"%o = xor i64 %t, 64",
          "%leaves = icmp eq i64 %t, 5\n"
          "  br i1 %leaves, label %gone, label %stays\n"
          "gone:\n  ret void\nstays:\n  %o = xor i64 %t, 64"}},
        {Fault::BarrierDivergence}},
       {"threads at different barriers",
        {{BARRIER "first", "%id = and i32 %tid, 1\n  call void "
                           "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 %id)"}},
        {Fault::BarrierDivergence}},
       {"a loop that never ends",
        {{BARRIER "first",
          "br label %spin\nspin:\n  %i = phi i64 [ 0, %entry ], [ %j, %spin ]\n"
          "  %j = add i64 %i, 1\n  %odd = and i64 %j, 0\n"
          "  %go = icmp eq i64 %odd, 0\n"
          "  br i1 %go, label %spin, label %past\npast:"}},
        {Fault::Endless}},
       {"a failed check of the kernel's own",
        {{BARRIER "third", "call void @llvm.trap()"}},
        {Fault::Trap}}});
}

TEST_CASE("bugs in cp.async", "[emulator]") {
  Case test{makeAsyncCopy()};
  test.outBytes = 2048;
  checkBugs(
      test,
      {{"a wait that leaves one group",
        {{"wait.group(i32 0)", "wait.group(i32 1)"}},
        {Fault::PendingCopy}},
       {"no wait",
        {{"call void @llvm.nvvm.cp.async.wait.group(i32 0)", ""}},
        {Fault::PendingCopy}},
       {"no commit",
        {{"call void @llvm.nvvm.cp.async.commit.group() ; two", ""}},
        {Fault::PendingCopy}},
       {"no barrier after the wait",
        {{"call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)", ""}},
        {Fault::Race, Fault::Uninitialised, Fault::PendingCopy}},
       {"a copy that nobody waits for",
        {{"store <4 x i32> %v, ptr addrspace(1) %to, align 16",
          "store <4 x i32> %v, ptr addrspace(1) %to, align 16\n"
          "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)\n"
          "  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr "
          "addrspace(3) %slot, ptr addrspace(1) %from)"}},
        {Fault::UnwaitedCopy}}});
}

TEST_CASE("bugs in warp operations", "[emulator]") {
  Case test{makeShuffle(), 32};
  checkBugs(test,
            {{"a mask that leaves its own lane out",
              {{"bfly.i32(i32 -1, i32 %v0", "bfly.i32(i32 65535, i32 %v0"}},
              {Fault::WarpDivergence}},
             {"a lane that does not take part",
              {{"%v0 = load", "%gone = icmp eq i64 %t, 7\n"
                              "  br i1 %gone, label %away, label %here\naway:\n"
                              "  ret void\nhere:\n  %v0 = load"}},
              {Fault::Deadlock}}});
}

TEST_CASE("bugs in named barriers", "[emulator]") {
  checkBugs({makeNamedBarrier(), 64},
            {{"different counts",
              {{"sync.aligned.count(i32 1, i32 64) ; wait",
                "sync.aligned.count(i32 1, i32 32) ; wait"}},
              {Fault::BarrierDivergence, Fault::Race, Fault::Uninitialised}},
             {"different numbers",
              {{"sync.aligned.count(i32 1, i32 64) ; wait",
                "sync.aligned.count(i32 2, i32 64) ; wait"}},
              {Fault::BarrierDivergence, Fault::Deadlock}},
             {"a count that is no number of warps",
              {{"sync.aligned.count(i32 1, i32 64) ; wait",
                "sync.aligned.count(i32 1, i32 48) ; wait"}},
              {Fault::BarrierDivergence}}});
}

TEST_CASE("bugs in TMA and mbarriers", "[emulator]") {
  Case test{makeTma()};
  test.tensorMap = true;
  std::string full0 = waitFor("@full", 0), full1 = waitFor("@full", 1),
              empty0 = waitFor("@empty", 0);
  checkBugs(
      test,
      {{"no wait for the load",
        {{full0.c_str(), ""}},
        {Fault::PendingCopy, Fault::Uninitialised, Fault::Race}},
       {"no wait for the second load",
        {{full1.c_str(), ""}},
        {Fault::PendingCopy, Fault::Race}},
       {"the wrong parity",
        {{full1.c_str(), full0.c_str()}},
        {Fault::PendingCopy, Fault::Race}},
       {"no wait for the readers",
        {{empty0.c_str(), ""}},
        {Fault::Race, Fault::PendingCopy}},
       {"readers that never say they are done",
        {{"%arrival = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr "
          "addrspace(3) @empty)",
          ""}},
        {Fault::Deadlock}},
       {"more bytes expected than come",
        {{"i32 512) ; expect1", "i32 528) ; expect1"}},
        {Fault::Deadlock}},
       {"an mbarrier that nobody initialised",
        {{"call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @empty, "
          "i32 128)",
          ""}},
        {Fault::Mbarrier}},
       {"more arrivals than counted",
        {{"@empty, i32 128", "@empty, i32 100"}},
        {Fault::Mbarrier, Fault::Race}},
       {"a store of what the proxy may not see",
        {{"call void @llvm.nvvm.fence.proxy.async.shared_cta() ; proxy", ""}},
        {Fault::MissingProxyFence}},
       {"a store that nobody waits for",
        {{"call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0) ; bulk", ""}},
        {Fault::UnwaitedCopy}}});
}

TEST_CASE("bugs in wgmma", "[emulator]") {
  checkBugs(
      {makeWgmma()},
      {{"no wait for the accumulators",
        {{"call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0) ; "
          "complete",
          ""}},
        {Fault::PendingAccumulator}},
       {"a wait that leaves the group",
        {{"wait_group.sync.aligned(i64 0) ; complete",
          "wait_group.sync.aligned(i64 1) ; complete"}},
        {Fault::PendingAccumulator}},
       {"no fence of the registers",
        {{"call void @llvm.nvvm.wgmma.fence.sync.aligned() ; registers", ""}},
        {Fault::MissingFence}},
       {"no fence of the proxy",
        {{"call void @llvm.nvvm.fence.proxy.async.shared_cta() ; proxy", ""}},
        {Fault::MissingProxyFence}},
       {"no barrier before the factors are read",
        {{BARRIER "filled", ""}},
        {Fault::Race, Fault::Uninitialised}},
       {"a factor that is written over while it is read",
        {{"call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0) ; "
          "complete",
          "store <4 x i32> %v, ptr addrspace(3) %slot, align 16\n"
          "  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)"}},
        {Fault::PendingCopy}}});
}
