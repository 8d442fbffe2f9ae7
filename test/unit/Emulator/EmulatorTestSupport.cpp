// Building and running kernels for the tests.
#include "EmulatorTestSupport.h"
#include "llvm/ADT/StringRef.h"
#include <bit>
#include <catch2/catch.hpp>
#include <regex>
#include <set>

using namespace emulatortest;

/// Declarations of the intrinsics that the tests call.
static const char *kDeclarations[] = {
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
    "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()",
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)",
    "declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)",
    "declare void @llvm.nvvm.bar.warp.sync(i32)",
    "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)",
    "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)",
    "declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)",
    "declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)",
    "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)",
    "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)",
    "declare i32 @llvm.nvvm.redux.sync.add(i32, i32)",
    "declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), "
    "ptr addrspace(1))",
    "declare void @llvm.nvvm.cp.async.commit.group()",
    "declare void @llvm.nvvm.cp.async.wait.group(i32)",
    "declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)",
    "declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))",
    "declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr "
    "addrspace(3), i32)",
    "declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr "
    "addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)",
    "declare void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.2d(ptr "
    "addrspace(3), ptr, i32, i32, i64, i1)",
    "declare void @llvm.nvvm.cp.async.bulk.commit.group()",
    "declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)",
    "declare void @llvm.nvvm.fence.proxy.async.shared_cta()",
    "declare void @llvm.nvvm.wgmma.fence.sync.aligned()",
    "declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()",
    "declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)",
    "declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)",
    "declare void @llvm.nvvm.setmaxnreg.dec.sync.aligned.u32(i32)",
    "declare float @llvm.nvvm.ex2.approx.ftz.f(float)",
    "declare float @llvm.nvvm.fma.rm.f(float, float, float)",
    "declare float @llvm.nvvm.fma.rp.f(float, float, float)",
    "declare float @llvm.nvvm.add.rz.f(float, float)",
    "declare i32 @llvm.nvvm.f2tf32.rna(float)",
    "declare i32 @llvm.nvvm.prmt(i32, i32, i32)",
    "declare void @llvm.trap()",
    "declare i32 @vprintf(ptr, ptr)",
};

std::string emulatortest::makeKernel(const std::string &parameters,
                                     const std::string &body,
                                     const std::string &globals) {
  std::string text = "target triple = \"nvptx64-nvidia-cuda\"\n" + globals +
                     "\ndefine ptx_kernel void @k(" + parameters +
                     ") {\nentry:\n"
                     "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                     "  %t = zext i32 %tid to i64\n" +
                     body + "\n  ret void\n}\n";
  for (const char *declaration : kDeclarations) {
    llvm::StringRef line(declaration);
    size_t at = line.find('@');
    llvm::StringRef name = line.slice(at, line.find('(', at) + 1);
    if (llvm::StringRef(text).contains(name))
      text += line.str() + "\n";
  }
  return text;
}

std::unique_ptr<Emulator> emulatortest::load(const std::string &text,
                                             const LoadOptions &options) {
  auto emulator =
      Emulator::create(llvm::MemoryBufferRef(text, "kernel"), options);
  if (!emulator)
    FAIL(llvm::toString(emulator.takeError()));
  return std::move(*emulator);
}

std::string emulatortest::mutate(std::string text, const std::string &from,
                                 const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

std::optional<Fault> emulatortest::takeFault(llvm::Error error,
                                             std::string *message) {
  std::optional<Fault> fault;
  llvm::Error other =
      llvm::handleErrors(std::move(error), [&](const KernelFault &kernelFault) {
        fault = kernelFault.getFault();
        if (message)
          *message = kernelFault.getMessage();
        UNSCOPED_INFO(kernelFault.getMessage());
      });
  if (other)
    FAIL(llvm::toString(std::move(other)));
  return fault;
}

std::optional<Fault> emulatortest::run(Emulator &emulator, const Launch &launch,
                                       Schedule schedule,
                                       std::string *message) {
  LaunchOptions options;
  options.schedule = schedule;
  options.maxIterations = 1 << 20;
  auto result = emulator.launch("k", launch, options);
  if (result)
    return std::nullopt;
  return takeFault(result.takeError(), message);
}

uint16_t emulatortest::toBfloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float emulatortest::fromBfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
