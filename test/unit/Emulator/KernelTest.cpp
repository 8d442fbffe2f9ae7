// What operations compute, and what is refused before a kernel runs.
#include "EmulatorTestSupport.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

using namespace emulatortest;

/// Runs a kernel of one warp (or more) that writes one i32 a thread, under each
/// schedule, and gives the results.
static std::vector<uint32_t> compute(const std::string &text,
                                     const std::vector<uint32_t> &in,
                                     uint32_t threads = 32,
                                     uint32_t words = 0) {
  std::vector<uint32_t> result;
  for (Schedule schedule : kSchedules) {
    auto emulator = load(text);
    auto *input =
        static_cast<uint32_t *>(emulator->allocate(4096, Access::Read));
    std::copy(in.begin(), in.end(), input);
    uint32_t count = words ? words : threads;
    auto *out = static_cast<uint32_t *>(emulator->allocate(4 * count));
    Launch launch;
    launch.block = {threads};
    launch.arguments = {&input, &out};
    REQUIRE_FALSE(run(*emulator, launch, schedule));
    std::vector<uint32_t> now(out, out + count);
    if (!result.empty())
      CHECK(now == result);
    result = now;
  }
  return result;
}

/// A kernel whose thread t computes `%r` (i32) from `%v`, word t of the input.
static std::string makeMap(const std::string &body) {
  return makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %t
  %v = load i32, ptr addrspace(1) %from, align 4
)" + body + R"(
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %r, ptr addrspace(1) %to, align 4)");
}

static std::vector<uint32_t> count(uint32_t n) {
  std::vector<uint32_t> values(n);
  for (uint32_t i = 0; i < n; ++i)
    values[i] = i;
  return values;
}

TEST_CASE("shuffles take lanes, and their own at the edge", "[emulator]") {
  auto bfly = compute(
      makeMap("  %r = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, "
              "i32 5, i32 31)"),
      count(32));
  auto up = compute(
      makeMap("  %p = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 "
              "%v, i32 3, i32 0)\n  %x = extractvalue {i32, i1} %p, 0\n"
              "  %y = extractvalue {i32, i1} %p, 1\n"
              "  %z = select i1 %y, i32 100, i32 0\n  %r = add i32 %x, %z"),
      count(32));
  // Segments of eight lanes: the mask 0b11000 in bits 8 to 12.
  auto down = compute(
      makeMap("  %p = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 -1, "
              "i32 %v, i32 2, i32 6175)\n  %r = extractvalue {i32, i1} %p, 0"),
      count(32));
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(bfly[i] == (i ^ 5));
    CHECK(up[i] == (i >= 3 ? i - 3 + 100 : i));
    CHECK(down[i] == (i % 8 < 6 ? i + 2 : i));
  }
}

TEST_CASE("votes, matches and reductions see every lane", "[emulator]") {
  auto ballot = compute(makeMap("  %odd = trunc i32 %v to i1\n  %r = call i32 "
                                "@llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)"),
                        count(32));
  auto sum = compute(
      makeMap("  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %v, i32 -1)"),
      count(32));
  auto match = compute(makeMap("  %k = and i32 %v, 3\n  %r = call i32 "
                               "@llvm.nvvm.match.any.sync.i32(i32 -1, i32 %k)"),
                       count(32));
  for (uint32_t i = 0; i < 32; ++i) {
    CHECK(ballot[i] == 0xaaaaaaaa);
    CHECK(sum[i] == 496);
    CHECK(match[i] == 0x11111111u << (i & 3));
  }
}

TEST_CASE("arithmetic rounds as it is told to", "[emulator]") {
  auto one = std::bit_cast<uint32_t>(1.0f);
  auto tiny = std::bit_cast<uint32_t>(0x1p-30f);
  auto fma = [&](const char *mode) {
    return compute(makeMap(std::string("  %f = bitcast i32 %v to float\n"
                                       "  %g = call float @llvm.nvvm.fma.") +
                           mode +
                           ".f(float %f, float 1.0, float 0x3E10000000000000)\n"
                           "  %r = bitcast float %g to i32"),
                   {one}, 1)[0];
  };
  // 1 + 2^-30 lies between 1 and its upper neighbour.
  CHECK(fma("rm") == one);
  CHECK(fma("rp") == one + 1);
  auto flushed = compute(
      makeMap("  %f = bitcast i32 %v to float\n  %g = call float "
              "@llvm.nvvm.ex2.approx.ftz.f(float %f)\n"
              "  %r = bitcast float %g to i32"),
      {std::bit_cast<uint32_t>(3.0f), std::bit_cast<uint32_t>(-130.0f), tiny},
      3);
  CHECK(flushed[0] == std::bit_cast<uint32_t>(8.0f));
  CHECK(flushed[1] == 0); // 2^-130 is denormal.
  CHECK(flushed[2] == one);
  // 10 bits of mantissa are left, a tie goes away from zero.
  auto tf32 = compute(makeMap("  %f = bitcast i32 %v to float\n  %r = call i32 "
                              "@llvm.nvvm.f2tf32.rna(float %f)"),
                      {0x3f801000, 0x3f800fff}, 2);
  CHECK(tf32[0] == 0x3f802000);
  CHECK(tf32[1] == 0x3f800000);
  auto bytes = compute(
      makeMap("  %r = call i32 @llvm.nvvm.prmt(i32 %v, i32 -1, i32 16675)"),
      {0x44332211}, 1);
  CHECK(bytes[0] == 0xff223344); // Selectors 4, 1, 2, 3 from the top.
}

TEST_CASE("every atomic of every type adds up", "[emulator]") {
  struct Kind {
    const char *type, *value;
    uint32_t expected[2];
  };
  const Kind kinds[] = {
      {"i32", "2", {64, 0}},
      {"i64", "2", {64, 0}},
      {"float", "2.0", {std::bit_cast<uint32_t>(64.0f), 0}},
      {"double", "2.0", {0, 0x40500000}},
      {"<2 x half>", "<half 2.0, half 1.0>", {0x50005400, 0}},
      {"<2 x bfloat>", "<bfloat 2.0, bfloat 1.0>", {0x42004280, 0}}};
  for (const Kind &kind : kinds) {
    INFO(kind.type);
    std::string type(kind.type);
    bool integer = type[0] == 'i';
    auto out = compute(
        makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out",
                   std::string("  %o = atomicrmw ") +
                       (integer ? "add" : "fadd") + " ptr addrspace(1) %out, " +
                       type + " " + kind.value + " monotonic, align " +
                       (type == "i64" || type == "double" ? "8" : "4")),
        {}, 32, 2);
    CHECK(out[0] == kind.expected[0]);
    CHECK(out[1] == kind.expected[1]);
  }
}

TEST_CASE("what is not emulated is refused at once, all by name",
          "[emulator]") {
  std::string text =
      "target triple = \"nvptx64-nvidia-cuda\"\n"
      "declare void @llvm.nvvm.tcgen05.wait.ld()\n"
      "declare void @elsewhere()\n"
      "define ptx_kernel void @k() {\n"
      "  call void @llvm.nvvm.tcgen05.wait.ld()\n"
      "  call void asm sideeffect \"made.up.op $0;\", \"r\"(i32 1)\n"
      "  call void @elsewhere()\n  ret void\n}\n";
  auto emulator = Emulator::create(llvm::MemoryBufferRef(text, "kernel"));
  REQUIRE_FALSE(bool(emulator));
  std::string message;
  CHECK(takeFault(emulator.takeError(), &message) == Fault::Unsupported);
  CHECK(message.find("'llvm.nvvm.tcgen05.wait.ld'") != std::string::npos);
  CHECK(message.find("made.up.op") != std::string::npos);
  CHECK(message.find("'elsewhere'") != std::string::npos);
}

TEST_CASE("a launch that does not fit says why", "[emulator]") {
  auto emulator = load(makeKernel("ptr %p", ""));
  int value = 0;
  void *pointer = &value;
  Launch launch;
  launch.arguments = {&pointer};
  CHECK_FALSE(run(*emulator, launch, Schedule::Ascending));
  auto fails = [&](const Launch &bad, const char *why) {
    std::string message;
    CHECK(run(*emulator, bad, Schedule::Ascending, &message) ==
          Fault::BadLaunch);
    CHECK(message.find(why) != std::string::npos);
  };
  Launch bad = launch;
  bad.block = {1025};
  fails(bad, "1025 threads");
  bad = launch;
  bad.dynamicSharedBytes = 228 << 10;
  fails(bad, "shared memory");
  bad = launch;
  bad.arguments.clear();
  fails(bad, "it takes 1");
}

TEST_CASE("shared memory is placed as ptxas does", "[emulator]") {
  // A zero-length internal array is one byte of its own; the extern one begins
  // where the static ones end, at its alignment.
  auto emulator = load(
      makeKernel("ptr addrspace(1) %in, ptr addrspace(1) %out",
                 "  %a = ptrtoint ptr addrspace(3) @a to i64\n"
                 "  %z = ptrtoint ptr addrspace(3) @z to i64\n"
                 "  %d = ptrtoint ptr addrspace(3) @dyn to i64\n"
                 "  %az = sub i64 %z, %a\n  %ad = sub i64 %d, %a\n"
                 "  %out1 = getelementptr i64, ptr addrspace(1) %out, i64 1\n"
                 "  store i64 %az, ptr addrspace(1) %out, align 8\n"
                 "  store i64 %ad, ptr addrspace(1) %out1, align 8",
                 "@a = internal addrspace(3) global [3 x i32] undef, align 4\n"
                 "@z = internal addrspace(3) global [0 x i8] undef, align 16\n"
                 "@dyn = external addrspace(3) global [0 x i8], align 1024\n"));
  auto *out = static_cast<uint64_t *>(emulator->allocate(16));
  Launch launch;
  launch.arguments = {&out, &out};
  launch.dynamicSharedBytes = 64;
  REQUIRE_FALSE(run(*emulator, launch, Schedule::Ascending));
  CHECK(out[0] == 16);
  CHECK(out[1] == 1024);
  CHECK(emulator->getStaticSharedBytes() == 1024);
}

TEST_CASE("a buffer may be read where it was written", "[emulator]") {
  auto emulator = load(makeMap("  %r = add i32 %v, 1"));
  auto *in = static_cast<uint32_t *>(
      emulator->allocate(128, Access::Read, /*uninitialised=*/true));
  auto *out = static_cast<uint32_t *>(
      emulator->allocate(128, Access::ReadWrite, /*uninitialised=*/true));
  Launch launch;
  launch.block = {32};
  launch.arguments = {&in, &out};
  CHECK(run(*emulator, launch, Schedule::Ascending) == Fault::Uninitialised);
  emulator->registerBuffer(in, 128, Access::Read);
  CHECK_FALSE(run(*emulator, launch, Schedule::Ascending));
  // What the first launch wrote, the second may read.
  launch.arguments = {&out, &out};
  CHECK_FALSE(run(*emulator, launch, Schedule::Ascending));
  CHECK(out[7] == 2);
  launch.arguments = {&out, &in};
  CHECK(run(*emulator, launch, Schedule::Ascending) == Fault::ReadOnly);
}

TEST_CASE("registers beyond the block's are refused", "[emulator]") {
  auto emulator = load(
      makeKernel("", "  call void "
                     "@llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 240)"));
  Launch launch;
  launch.block = {256};
  CHECK_FALSE(run(*emulator, launch, Schedule::Ascending));
  launch.block = {384};
  CHECK(run(*emulator, launch, Schedule::Ascending) == Fault::Registers);
}

TEST_CASE("a grid gives the same on one worker and on several", "[emulator]") {
  auto emulator = load(
      makeKernel("ptr addrspace(1) %out",
                 "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                 "  %i0 = mul i32 %b, 32\n  %i = add i32 %i0, %tid\n"
                 "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i\n"
                 "  store i32 %i, ptr addrspace(1) %to, align 4"));
  auto *out = static_cast<uint32_t *>(emulator->allocate(4 * 32 * 100));
  Launch launch;
  launch.grid = {100};
  launch.block = {32};
  launch.arguments = {&out};
  LaunchOptions options;
  options.workers = 4;
  auto result = emulator->launch("k", launch, options);
  REQUIRE(bool(result));
  for (uint32_t i = 0; i < 3200; ++i)
    REQUIRE(out[i] == i);
}

// As libdevice's functions with large arguments do.
TEST_CASE("inline PTX carries from one instruction to the next", "[emulator]") {
  const std::vector<uint32_t> in = {0, 1, 0x7fffffff, 0x80000001, 0xffffffff};
  auto high = compute(
      makeMap("  %p = call {i32, i32} asm \"{ mad.lo.cc.u32 $0, $2, $3, $4; "
              "madc.hi.u32 $1, $2, $3, 0; }\", \"=r,=r,r,r,r\"(i32 %v, i32 "
              "-3, i32 -5)\n  %r = extractvalue {i32, i32} %p, 1"),
      in, 5);
  auto difference = compute(
      makeMap("  %w = zext i32 %v to i64\n  %d = call i64 asm \"{ .reg .u32 "
              "a0, a1, b0, b1, r0, r1; mov.b64 {a0,a1}, $1; mov.b64 {b0,b1}, "
              "$2; sub.cc.u32 r0, a0, b0; subc.u32 r1, a1, b1; mov.b64 $0, "
              "{r0,r1}; }\", \"=l,l,l\"(i64 %w, i64 4294967298)\n"
              "  %h = lshr i64 %d, 32\n  %r = trunc i64 %h to i32"),
      in, 5);
  for (size_t i = 0; i < in.size(); ++i) {
    uint64_t sum = uint64_t(in[i]) * 0xfffffffd + 0xfffffffb;
    CHECK(high[i] == uint32_t(sum >> 32));
    CHECK(difference[i] == uint32_t((in[i] - uint64_t(4294967298)) >> 32));
  }
}
