// Minimum cuts of networks with integer and unbounded capacities. Knows nothing
// of MLIR: it speaks of vertices and numbers.
#ifndef TITAN_PARTITION_FLOWNETWORK_H
#define TITAN_PARTITION_FLOWNETWORK_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::titan {

/// A sum of capacities: 2^31 edges of 2^63 each fit.
__extension__ using FlowSum = __int128;

/// A directed network of vertices 0, 1, ... and edges with capacities.
///
/// Worked example, the chain `source -> a -> b -> c -> sink` with capacities 9,
/// 5, 5, 9: two cuts have value 5. The one closest to the source cuts `a -> b`,
/// the one closest to the sink `b -> c`.
///
///   FlowNetwork network(5); // source 0, a 1, b 2, c 3, sink 4
///   network.addEdge(0, 1, 9);
///   network.addEdge(1, 2, 5);
///   network.addEdge(2, 3, 5);
///   network.addEdge(3, 4, 9);
///   MinimumCut cut = network.findMinimumCut(0, 4, CutSide::Sink);
///   // cut.value == 5, cut.onSourceSide == {1, 1, 1, 0, 0}
class FlowNetwork {
public:
  using Vertex = uint32_t;

  /// The capacity of an edge that no cut may cross.
  static constexpr int64_t kUnbounded = INT64_MAX;

  /// Which of several minimum cuts is meant. The set of minimum cuts is a
  /// lattice, so either extreme is unique.
  enum class CutSide : uint8_t {
    /// The smallest source side.
    Source,
    /// The smallest sink side.
    Sink,
  };

  struct MinimumCut {
    /// The sum of the capacities from the source side to the sink side.
    FlowSum value = 0;
    /// For every vertex, 1 if it is on the source side.
    std::vector<uint8_t> onSourceSide;
    /// A path of unbounded edges from source to sink, ends included, shortest
    /// first found; not empty just when there is no finite cut.
    std::vector<Vertex> unboundedPath;
  };

  explicit FlowNetwork(Vertex numVertices = 0) : numVertices(numVertices) {}

  Vertex addVertex() { return numVertices++; }
  void reserveEdges(size_t count) { edges.reserve(count); }

  /// Adds an edge; \p capacity is not negative. Parallel edges add up.
  void addEdge(Vertex from, Vertex to, int64_t capacity) {
    edges.push_back({from, to, capacity});
  }

  Vertex getNumVertices() const { return numVertices; }
  size_t getNumEdges() const { return edges.size(); }

  /// A minimum cut between two different vertices (Dinic's algorithm,
  /// iterative, in O(V^2 E), in practice near linear). The network is left as
  /// it is.
  MinimumCut findMinimumCut(Vertex source, Vertex sink, CutSide side) const;

private:
  struct Edge {
    Vertex from, to;
    int64_t capacity;
  };

  Vertex numVertices;
  std::vector<Edge> edges;
};

} // namespace mlir::titan

#endif // TITAN_PARTITION_FLOWNETWORK_H
