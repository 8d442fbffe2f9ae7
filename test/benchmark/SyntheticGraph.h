// Training graphs of any size, for timing.
#ifndef TITAN_BENCHMARK_SYNTHETICGRAPH_H
#define TITAN_BENCHMARK_SYNTHETICGRAPH_H

#include <cstdint>
#include <string>

namespace mlir::titan {

/// The sizes of a decoder of `layers` equal layers, each attention followed by
/// `experts` gated feed-forward networks whose results are summed.
struct SyntheticShape {
  int64_t layers = 4;
  int64_t experts = 1;
  int64_t tokens = 4096;
  int64_t width = 4096;
  int64_t heads = 32;
  int64_t hidden = 14336;
};

/// The joint graph of one training step of such a decoder (f32 parameters, bf16
/// arithmetic, loss outside) as PyTorch prints joint graphs. A layer with one
/// expert has about 140 ops, each further expert adds 34.
std::string makeSyntheticGraph(const SyntheticShape &shape);

} // namespace mlir::titan

#endif // TITAN_BENCHMARK_SYNTHETICGRAPH_H
