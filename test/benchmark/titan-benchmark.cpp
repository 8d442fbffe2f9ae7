// Times of the stages on decoders of growing size: time per op should stay
// flat.
#include "SyntheticGraph.h"

#include "titan/Dialect/Registration.h"
#include "titan/Import/Import.h"
#include "titan/Partition/Extract.h"
#include "titan/Partition/Partitioner.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A context with Titan's dialects and the graph of the benchmark's argument.
class Stage {
public:
  explicit Stage(const benchmark::State &state) {
    DialectRegistry registry;
    registerTitanDialects(registry);
    context.appendDialectRegistry(registry);
    SyntheticShape shape;
    shape.layers = state.range(0);
    text = makeSyntheticGraph(shape);
  }

  OwningOpRef<ModuleOp> import() {
    llvm::SourceMgr source;
    source.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(text, "synthetic.txt"), llvm::SMLoc());
    return importGraph(source, &context, ImportOptions());
  }

  static func::FuncOp getJoint(ModuleOp module) {
    return *module.getOps<func::FuncOp>().begin();
  }

  MLIRContext context;
  std::string text;
};

} // namespace

static void countOps(benchmark::State &state, ModuleOp module) {
  int64_t ops = 0;
  module->walk([&](Operation *) { ++ops; });
  state.counters["ops"] = ops;
  state.counters["s/op"] =
      benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate |
                                  benchmark::Counter::kInvert);
}

static void importText(benchmark::State &state) {
  Stage stage(state);
  OwningOpRef<ModuleOp> module;
  for (auto _ : state)
    module = stage.import();
  countOps(state, *module);
}

static void plan(benchmark::State &state) {
  Stage stage(state);
  OwningOpRef<ModuleOp> module = stage.import();
  countOps(state, *module);
  for (auto _ : state) {
    // Preparation changes the function, so each run has its own.
    state.PauseTiming();
    OwningOpRef<ModuleOp> copy(module->clone());
    state.ResumeTiming();
    if (failed(makePlan(Stage::getJoint(*copy), PartitionOptions())))
      state.SkipWithError("no plan");
  }
}

static void split(benchmark::State &state) {
  Stage stage(state);
  OwningOpRef<ModuleOp> module = stage.import();
  countOps(state, *module);
  for (auto _ : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> copy(module->clone());
    func::FuncOp joint = Stage::getJoint(*copy);
    FailureOr<Plan> plan = makePlan(joint, PartitionOptions());
    state.ResumeTiming();
    if (failed(plan) || failed(extractHalves(joint, *plan, PartitionOptions())))
      state.SkipWithError("no halves");
  }
}

static void print(benchmark::State &state) {
  Stage stage(state);
  OwningOpRef<ModuleOp> module = stage.import();
  countOps(state, *module);
  for (auto _ : state)
    module->print(llvm::nulls());
}

BENCHMARK(importText)
    ->RangeMultiplier(4)
    ->Range(4, 256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(plan)->RangeMultiplier(4)->Range(4, 256)->Unit(
    benchmark::kMillisecond);
BENCHMARK(split)->RangeMultiplier(4)->Range(4, 256)->Unit(
    benchmark::kMillisecond);
BENCHMARK(print)->RangeMultiplier(4)->Range(4, 256)->Unit(
    benchmark::kMillisecond);
BENCHMARK_MAIN();
