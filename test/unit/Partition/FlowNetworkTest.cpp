#include "titan/Partition/FlowNetwork.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>

using namespace mlir::titan;
using Side = FlowNetwork::CutSide;

static std::vector<uint8_t> sides(std::initializer_list<int> bits) {
  return {bits.begin(), bits.end()};
}

TEST_CASE("the cut of a chain is its thinnest edge", "[flow]") {
  FlowNetwork network(4);
  network.addEdge(0, 1, 8);
  network.addEdge(1, 2, 3);
  network.addEdge(2, 3, 5);
  for (Side side : {Side::Source, Side::Sink}) {
    FlowNetwork::MinimumCut cut = network.findMinimumCut(0, 3, side);
    CHECK(cut.value == 3);
    CHECK(cut.onSourceSide == sides({1, 1, 0, 0}));
  }
}

// Acceptance graph A10: equal capacities on a chain.
TEST_CASE("a tie is cut at the side that was asked for", "[flow]") {
  FlowNetwork network(5);
  network.addEdge(0, 1, FlowNetwork::kUnbounded);
  network.addEdge(1, 2, 5);
  network.addEdge(2, 3, 5);
  network.addEdge(3, 4, 5);
  FlowNetwork::MinimumCut sink = network.findMinimumCut(0, 4, Side::Sink);
  CHECK(sink.value == 5);
  CHECK(sink.onSourceSide == sides({1, 1, 1, 1, 0}));
  FlowNetwork::MinimumCut source = network.findMinimumCut(0, 4, Side::Source);
  CHECK(source.value == 5);
  CHECK(source.onSourceSide == sides({1, 1, 0, 0, 0}));
}

TEST_CASE("a path of unbounded edges is found and told", "[flow]") {
  FlowNetwork network(5);
  network.addEdge(0, 1, 7);
  network.addEdge(0, 2, FlowNetwork::kUnbounded);
  network.addEdge(2, 3, FlowNetwork::kUnbounded);
  network.addEdge(3, 4, FlowNetwork::kUnbounded);
  network.addEdge(1, 4, FlowNetwork::kUnbounded);
  CHECK(network.findMinimumCut(0, 4, Side::Sink).unboundedPath ==
        std::vector<uint32_t>{0, 2, 3, 4});
}

TEST_CASE("an unbounded edge between two finite ones is no cut", "[flow]") {
  FlowNetwork network(4);
  network.addEdge(0, 1, 4);
  network.addEdge(1, 2, FlowNetwork::kUnbounded);
  network.addEdge(2, 3, 4);
  CHECK(network.findMinimumCut(0, 3, Side::Sink).value == 4);
}

TEST_CASE("capacities whose sum leaves 64 bits add up", "[flow]") {
  constexpr int64_t kHuge = INT64_MAX - 1;
  FlowNetwork network(6);
  for (uint32_t middle = 1; middle < 5; ++middle) {
    network.addEdge(0, middle, kHuge);
    network.addEdge(middle, 5, kHuge - 1);
  }
  FlowSum expected = FlowSum(4) * (kHuge - 1);
  CHECK((network.findMinimumCut(0, 5, Side::Sink).value == expected));
}

TEST_CASE("source and sink that nothing joins cost nothing", "[flow]") {
  FlowNetwork network(3);
  network.addEdge(0, 1, 3);
  FlowNetwork::MinimumCut cut = network.findMinimumCut(0, 2, Side::Sink);
  CHECK(cut.value == 0);
  CHECK(cut.unboundedPath.empty());
  CHECK(cut.onSourceSide == sides({1, 1, 0}));
  CHECK(network.findMinimumCut(0, 2, Side::Source).onSourceSide ==
        sides({1, 1, 0}));
}

namespace {
struct RandomEdge {
  uint32_t from, to;
  int64_t capacity;
};
} // namespace

/// The value of the cut with source side \p mask; none if it is unbounded.
static std::optional<int64_t> cutValue(const std::vector<RandomEdge> &edges,
                                       uint32_t mask) {
  int64_t value = 0;
  for (const RandomEdge &edge : edges) {
    if (!(mask >> edge.from & 1) || (mask >> edge.to & 1))
      continue;
    if (edge.capacity == FlowNetwork::kUnbounded)
      return std::nullopt;
    value += edge.capacity;
  }
  return value;
}

TEST_CASE("on random networks the cuts are the extremes of all minimum cuts",
          "[flow]") {
  std::mt19937 random(20260807);
  for (int round = 0; round < 300; ++round) {
    uint32_t size = 3 + random() % 12;
    std::vector<RandomEdge> edges;
    FlowNetwork network(size);
    for (uint32_t from = 0; from < size; ++from)
      for (uint32_t to = from + 1; to < size; ++to)
        if (random() % 3 == 0) {
          // Small numbers make ties, every eighth edge is unbounded.
          int64_t capacity =
              random() % 8 ? random() % 4 : FlowNetwork::kUnbounded;
          edges.push_back({from, to, capacity});
          network.addEdge(from, to, capacity);
        }
    std::optional<int64_t> best;
    uint32_t smallest = ~0u, largest = 0;
    for (uint32_t mask = 1; mask < (1u << (size - 1)); mask += 2) {
      std::optional<int64_t> value = cutValue(edges, mask);
      if (!value || (best && *value > *best))
        continue;
      if (!best || *value < *best) {
        best = value;
        smallest = ~0u;
        largest = 0;
      }
      // Minimum cuts are closed under intersection and union.
      smallest &= mask;
      largest |= mask;
    }
    for (Side side : {Side::Source, Side::Sink}) {
      FlowNetwork::MinimumCut cut = network.findMinimumCut(0, size - 1, side);
      REQUIRE(cut.unboundedPath.empty() == best.has_value());
      if (!best)
        continue;
      REQUIRE((cut.value == *best));
      uint32_t mask = 0;
      for (uint32_t vertex = 0; vertex < size; ++vertex)
        mask |= uint32_t(cut.onSourceSide[vertex]) << vertex;
      REQUIRE(mask == (side == Side::Source ? smallest : largest));
    }
  }
}

TEST_CASE("a long chain needs no stack", "[flow]") {
  constexpr uint32_t kLength = 300000;
  FlowNetwork network(kLength);
  for (uint32_t i = 0; i + 1 < kLength; ++i)
    network.addEdge(i, i + 1, 2 + i % 7);
  CHECK(network.findMinimumCut(0, kLength - 1, Side::Sink).value == 2);
}
