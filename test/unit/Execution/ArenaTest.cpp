// What the arena counts, hands out again, and refuses.
#include "titan/Analysis/PeakMemory.h"
#include "titan/Dialect/Registration.h"
#include "titan/Execution/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

TEST_CASE("a freed block serves the next request of its size", "[arena]") {
  Arena arena;
  char *first = arena.allocate(1000);
  CHECK(reinterpret_cast<uintptr_t>(first) % Arena::kAlignment == 0);
  arena.release(first, 1000);
  char *second = arena.allocate(1010);
  CHECK(second == first);
  arena.release(second, 1010);
  CHECK(arena.getBlockBytes() == 0);
  CHECK(arena.getPeakBlockBytes() == 1010);
}

TEST_CASE("what waits leaves room for what is needed, the oldest goes first",
          "[arena]") {
  Arena arena;
  // Blocks of 1024, 2048 and 3072 bytes, the first released first.
  char *first = arena.allocate(1024), *second = arena.allocate(2048);
  char *third = arena.allocate(3072);
  arena.release(first, 1024);
  arena.release(second, 2048);
  arena.release(third, 3072);
  CHECK(arena.getCachedBytes() == 6144);
  // 1024 bytes have to go so that no more than the peak is held.
  char *other = arena.allocate(1000 - 64);
  CHECK(arena.getCachedBytes() == 2048 + 3072);
  CHECK(arena.allocate(2048) == second);
  CHECK(arena.getCachedBytes() == 3072);
  arena.release(other, 1000 - 64);
  arena.release(second, 2048);
}

TEST_CASE("large blocks lie on huge pages", "[arena]") {
  Arena arena;
  constexpr int64_t kHugePage = int64_t{2} << 20;
  char *block = arena.allocate(3 * kHugePage + 1);
  CHECK(reinterpret_cast<uintptr_t>(block) % kHugePage == 0);
  block[3 * kHugePage] = 1;
  arena.release(block, 3 * kHugePage + 1);
}

TEST_CASE("views count their storage once, until the last is gone", "[arena]") {
  auto arena = std::make_shared<Arena>();
  ArenaScope scope(arena);
  {
    Tensor whole(DType::F32, {4, 8});
    whole.noteValue();
    Tensor row = whole.select(0, 1);
    row.noteValue();
    CHECK(arena->getValueBytes() == 128);
    whole = Tensor(DType::F32, {});
    CHECK(arena->getValueBytes() == 128);
  }
  CHECK(arena->getValueBytes() == 0);
  CHECK(arena->getPeakValueBytes() == 128);
}

TEST_CASE("tensors start as zeros also in memory that was used", "[arena]") {
  auto arena = std::make_shared<Arena>();
  ArenaScope scope(arena);
  {
    std::vector<double> values = {1, 2, 3};
    Tensor::make(DType::F64, {3}, values);
  }
  CHECK(Tensor(DType::F64, {3}).getValues<double>() ==
        std::vector<double>{0, 0, 0});
}

namespace {

struct MemoryRun {
  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string error;
  std::shared_ptr<Arena> arena;
  bool isDone = false;

  explicit MemoryRun(StringRef text, std::optional<int64_t> limit = {})
      : arena(std::make_shared<Arena>(limit)) {
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str() + "\n";
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    REQUIRE(module);
    ArenaScope scope(arena);
    Tensor input(DType::F32, {256});
    input.noteValue();
    Interpreter interpreter({1, 0}, {});
    isDone = succeeded(interpreter.run(getFunction(), {input}));
  }
  func::FuncOp getFunction() { return *module->getOps<func::FuncOp>().begin(); }
};

} // namespace

// The argument and two of the three sines live at once: the first dies when
// the second is there, and views take nothing.
static constexpr const char *kChain = R"(
func.func @f(%x: tensor<256xf32>) -> tensor<16x16xf32> {
  %0 = aten.sin %x : (tensor<256xf32>) -> tensor<256xf32>
  %1 = aten.view %0, [16, 16] : (tensor<256xf32>) -> tensor<16x16xf32>
  %2 = aten.sin %1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = aten.sin %2 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
})";

TEST_CASE("the measured peak is the predicted one", "[arena]") {
  MemoryRun run(kChain);
  REQUIRE(run.isDone);
  CHECK(run.arena->getPeakValueBytes() == 3 * 1024);
  CHECK(computePeakMemory(run.getFunction(), {}).bytes == 3 * 1024);
}

TEST_CASE("the op that needs more than the limit fails", "[arena]") {
  CHECK(MemoryRun(kChain, 4096).isDone);
  MemoryRun run(kChain, 2500);
  CHECK_FALSE(run.isDone);
  CHECK(run.error == "'aten.sin' needs 1024 bytes where 2048 of 2500 are in "
                     "use; raise '--memory-limit'\n");
}
