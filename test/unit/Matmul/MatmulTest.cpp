// Runs the matrix-product kernels in the emulator against sums in f64.
#include "titan/Codegen/NVVM/Matmul.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "titan/Emulator/Emulator.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// The module of a problem's kernel as LLVM assembly.
std::string makeText(const MatmulProblem &problem, const MatmulTile &tile) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  MLIRContext context(registry);
  auto module =
      buildMatmulKernel(UnknownLoc::get(&context), "product", problem, tile);
  REQUIRE(succeeded(module));
  llvm::LLVMContext llvmContext;
  auto translated = translateModuleToLLVMIR(**module, llvmContext);
  REQUIRE(translated);
  translated->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
  translated->setDataLayout(
      "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64");
  std::string text;
  llvm::raw_string_ostream os(text);
  translated->print(os, nullptr);
  return text;
}

const llvm::fltSemantics &getSemantics(MatmulType type) {
  return type == MatmulType::BFloat16  ? llvm::APFloat::BFloat()
         : type == MatmulType::Float16 ? llvm::APFloat::IEEEhalf()
                                       : llvm::APFloat::IEEEsingle();
}

/// A matrix in the emulator's memory, and what it holds.
struct Matrix {
  MatmulType type;
  int64_t count;
  char *data;
  int64_t bytes() const { return type == MatmulType::Float32 ? 4 : 2; }

  Matrix(emulator::Emulator &emulator, MatmulType type, int64_t count,
         bool written)
      : type(type), count(count),
        data(static_cast<char *>(emulator.allocate(
            count * (type == MatmulType::Float32 ? 4 : 2),
            written ? emulator::Access::Read : emulator::Access::ReadWrite,
            !written))) {}

  void fill(uint32_t seed) {
    for (int64_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      // 65 values between -1 and 1, exact in every type.
      llvm::APFloat value(double(int(seed >> 16) % 65 - 32) / 32);
      bool lost;
      value.convert(getSemantics(type), llvm::APFloat::rmNearestTiesToEven,
                    &lost);
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      memcpy(data + i * bytes(), &bits, bytes());
    }
  }
  double operator[](int64_t i) const {
    uint64_t bits = 0;
    memcpy(&bits, data + i * bytes(), bytes());
    llvm::APFloat value(getSemantics(type),
                        llvm::APInt(unsigned(bytes() * 8), bits));
    bool lost;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
    return value.convertToDouble();
  }
};

MatmulProblem makeProblem(int64_t m, int64_t n, int64_t k) {
  MatmulProblem problem;
  problem.m = m, problem.n = n, problem.k = k;
  return problem;
}

double activate(MatmulActivation activation, double x) {
  switch (activation) {
  case MatmulActivation::Relu:
    return std::max(x, 0.0);
  case MatmulActivation::Silu:
    return x / (1 + std::exp(-x));
  case MatmulActivation::None:
    break;
  }
  return x;
}

void check(const MatmulProblem &p, const MatmulTile &tile,
           emulator::Schedule schedule = emulator::Schedule::Random) {
  std::string text = makeText(p, tile);
  auto loaded = emulator::Emulator::create(llvm::MemoryBufferRef(text, "k"));
  if (!loaded)
    FAIL(llvm::toString(loaded.takeError()));
  emulator::Emulator &emulator = **loaded;
  const MatmulEpilogue &e = p.epilogue;
  Matrix left(emulator, p.operands, p.batch * p.m * p.k, true);
  Matrix right(emulator, p.operands, p.batch * p.k * p.n, true);
  Matrix output(emulator, e.output, p.batch * p.m * p.n, false);
  Matrix bias(emulator, p.operands, p.n, true);
  Matrix residual(emulator, p.operands, p.batch * p.m * p.n, true);
  left.fill(1), right.fill(2), bias.fill(3), residual.fill(4);
  emulator::Launch launch;
  launch.grid = {uint32_t((p.n + tile.columns - 1) / tile.columns),
                 uint32_t((p.m + tile.rows - 1) / tile.rows),
                 uint32_t(p.batch)};
  launch.block = {uint32_t(kMatmulThreads), 1, 1};
  launch.dynamicSharedBytes = uint32_t(getMatmulSharedBytes(tile));
  launch.arguments = {&left.data, &right.data, &output.data};
  if (e.bias)
    launch.arguments.push_back(&bias.data);
  if (e.residual)
    launch.arguments.push_back(&residual.data);
  emulator::LaunchOptions options;
  options.schedule = schedule;
  auto result = emulator.launch("product", launch, options);
  if (!result)
    FAIL(llvm::toString(result.takeError()));

  bool turnLeft = p.layout == MatmulLayout::TN;
  bool turnRight = p.layout == MatmulLayout::NT;
  double worst = 0, largest = 0;
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += left[b * p.m * p.k + (turnLeft ? k * p.m + i : i * p.k + k)] *
                 right[b * p.k * p.n + (turnRight ? j * p.k + k : k * p.n + j)];
        int64_t at = (b * p.m + i) * p.n + j;
        double expected = activate(e.activation, sum + (e.bias ? bias[j] : 0)) +
                          (e.residual ? residual[at] : 0);
        worst = std::max(worst, std::abs(expected - output[at]));
        largest = std::max(largest, std::abs(expected));
      }
  // Half a unit in the last place of the output, or what f32 sums lose.
  double tolerance = e.output == MatmulType::BFloat16  ? 0x1p-8
                     : e.output == MatmulType::Float16 ? 0x1p-10
                                                       : 1e-5;
  CHECK(worst <= tolerance * std::max(largest, 1.0));
}

} // namespace

TEST_CASE("products of ragged sizes in every layout", "[matmul]") {
  auto layout = GENERATE(MatmulLayout::NN, MatmulLayout::NT, MatmulLayout::TN);
  const MatmulTile tile = getMatmulTiles().back();
  SECTION("1x1x1") {
    check({1, 1, 1, 1, MatmulType::BFloat16, layout, {}}, tile);
  }
  SECTION("17x33x65") {
    check({17, 33, 65, 1, MatmulType::Float16, layout, {}}, tile);
  }
  SECTION("72x136x200, copied asynchronously") {
    check({72, 136, 200, 1, MatmulType::BFloat16, layout, {}}, tile);
  }
  SECTION("batched") {
    check({24, 40, 16, 3, MatmulType::BFloat16, layout, {}}, tile);
  }
}

TEST_CASE("each tile, in each order of threads", "[matmul]") {
  auto schedule =
      GENERATE(emulator::Schedule::Ascending, emulator::Schedule::Descending,
               emulator::Schedule::Random);
  for (const MatmulTile &tile : getMatmulTiles())
    check({130, 258, 264, 1, MatmulType::BFloat16, MatmulLayout::NT, {}}, tile,
          schedule);
}

TEST_CASE("epilogues", "[matmul]") {
  auto activation = GENERATE(MatmulActivation::None, MatmulActivation::Relu,
                             MatmulActivation::Silu);
  auto output =
      GENERATE(MatmulType::Float32, MatmulType::BFloat16, MatmulType::Float16);
  auto extras = GENERATE(false, true);
  MatmulEpilogue epilogue{extras, activation, extras, output};
  check({20, 24, 32, 2, MatmulType::BFloat16, MatmulLayout::NN, epilogue},
        getMatmulTiles().back());
}

TEST_CASE("tiles follow the matrix", "[matmul]") {
  CHECK(chooseMatmulTile(makeProblem(4096, 4096, 4096)).rows == 128);
  CHECK(chooseMatmulTile(makeProblem(4096, 64, 4096)).columns == 64);
  CHECK(chooseMatmulTile(makeProblem(1, 1, 1)).rows == 64);
  // Three slices of (64 + 64) rows of 128 bytes.
  CHECK(getMatmulSharedBytes({64, 64, 3}) == 49152);
}

TEST_CASE("kernels hold the instructions of their family", "[matmul]") {
  std::string text = makeText(makeProblem(128, 128, 64),
                              chooseMatmulTile(makeProblem(128, 128, 64)));
  CHECK(text.find("llvm.nvvm.mma.m16n8k16.row.col.bf16") != text.npos);
  CHECK(text.find("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4") != text.npos);
  CHECK(text.find("llvm.nvvm.cp.async.cg.shared.global.16") != text.npos);
}

TEST_CASE("problems without a kernel are errors", "[matmul]") {
  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  Location location = UnknownLoc::get(&context);
  MatmulTile tile = getMatmulTiles().front();
  MatmulProblem problem;
  problem.operands = MatmulType::Float32;
  CHECK(failed(buildMatmulKernel(location, "p", problem, tile)));
  CHECK(message.find("found f32") != message.npos);
  CHECK(failed(buildMatmulKernel(location, "p", makeProblem(0, 1, 1), tile)));
  CHECK(message.find("found 1 of 0x1x1") != message.npos);
  CHECK(failed(
      buildMatmulKernel(location, "p", makeProblem(1, 1, 1), {32, 7, 2})));
  CHECK(message.find("found 32x7") != message.npos);
}
