// Before the flow runs, what unbounded edges decide is taken away: a vertex
// that the source reaches by unbounded edges alone is on the source side of
// every finite cut, one that reaches the sink so is on the sink side. The
// networks of training graphs keep a small core after that. Dinic's algorithm
// runs on the core, in 64 bits where the sum of its capacities fits and in 128
// otherwise.
#include "titan/Partition/FlowNetwork.h"

#include <algorithm>
#include <limits>

using namespace mlir::titan;

using Vertex = FlowNetwork::Vertex;

static constexpr Vertex kNoVertex = std::numeric_limits<Vertex>::max();

namespace {

/// The edges of a network by the vertex at one of their ends.
class Adjacency {
public:
  template <typename EdgeRange, typename KeyFn>
  Adjacency(size_t numVertices, const EdgeRange &edges, KeyFn key)
      : offsets(numVertices + 1, 0), items(edges.size()) {
    for (const auto &edge : edges)
      ++offsets[key(edge) + 1];
    for (size_t i = 1; i < offsets.size(); ++i)
      offsets[i] += offsets[i - 1];
    std::vector<uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (uint32_t i = 0; i < edges.size(); ++i)
      items[next[key(edges[i])]++] = i;
  }

  const uint32_t *begin(Vertex vertex) const {
    return items.data() + offsets[vertex];
  }
  const uint32_t *end(Vertex vertex) const {
    return items.data() + offsets[vertex + 1];
  }

private:
  std::vector<uint32_t> offsets;
  std::vector<uint32_t> items;
};

/// A step of a walk along edges.
struct Step {
  Vertex from, to;
};

/// Dinic's algorithm. Arc 2e is edge e of the core, arc 2e+1 its reverse.
template <typename Flow>
class Dinic {
public:
  Dinic(Vertex numVertices, const std::vector<Step> &ends,
        std::vector<Flow> capacities)
      : heads(2 * ends.size()), residual(2 * ends.size()), level(numVertices),
        current(numVertices), arcs(numVertices, makeArcs(ends),
                                   [](const Step &arc) { return arc.from; }) {
    for (size_t i = 0; i < ends.size(); ++i) {
      heads[2 * i] = ends[i].to;
      heads[2 * i + 1] = ends[i].from;
      residual[2 * i] = capacities[i];
      residual[2 * i + 1] = 0;
    }
  }

  Flow run(Vertex source, Vertex sink) {
    Flow total = 0;
    while (layer(source, sink))
      total += saturate(source, sink);
    return total;
  }

  /// The vertices that \p source reaches by arcs with room left.
  std::vector<uint8_t> reachableFrom(Vertex source) const {
    return sweep(source, [&](uint32_t arc) { return residual[arc] > 0; });
  }

  /// The vertices from which such arcs lead to \p sink.
  std::vector<uint8_t> reaching(Vertex sink) const {
    return sweep(sink, [&](uint32_t arc) { return residual[arc ^ 1] > 0; });
  }

private:
  static std::vector<Step> makeArcs(const std::vector<Step> &ends) {
    std::vector<Step> result;
    result.reserve(2 * ends.size());
    for (const Step &edge : ends) {
      result.push_back(edge);
      result.push_back({edge.to, edge.from});
    }
    return result;
  }

  template <typename Passable>
  std::vector<uint8_t> sweep(Vertex start, Passable passable) const {
    std::vector<uint8_t> seen(level.size(), 0);
    std::vector<Vertex> work{start};
    seen[start] = 1;
    while (!work.empty()) {
      Vertex vertex = work.back();
      work.pop_back();
      for (const uint32_t *it = arcs.begin(vertex); it != arcs.end(vertex);
           ++it)
        if (!seen[heads[*it]] && passable(*it)) {
          seen[heads[*it]] = 1;
          work.push_back(heads[*it]);
        }
    }
    return seen;
  }

  /// Numbers the vertices by their distance to the sink, as far as the source.
  /// Counting from the sink keeps dead ends on the source's side out of the
  /// search that follows.
  bool layer(Vertex source, Vertex sink) {
    std::fill(level.begin(), level.end(), kNoVertex);
    queue.clear();
    queue.push_back(sink);
    level[sink] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      Vertex vertex = queue[i];
      if (vertex == source)
        break;
      for (const uint32_t *it = arcs.begin(vertex); it != arcs.end(vertex);
           ++it)
        if (residual[*it ^ 1] > 0 && level[heads[*it]] == kNoVertex) {
          level[heads[*it]] = level[vertex] + 1;
          queue.push_back(heads[*it]);
        }
    }
    return level[source] != kNoVertex;
  }

  /// Sends flow along shortest paths until none is left.
  Flow saturate(Vertex source, Vertex sink) {
    for (Vertex vertex : queue)
      current[vertex] = arcs.begin(vertex);
    Flow total = 0;
    path.clear();
    Vertex vertex = source;
    while (true) {
      if (vertex == sink) {
        total += augment();
        vertex = path.empty() ? source : heads[path.back()];
        continue;
      }
      if (advance(vertex))
        continue;
      if (path.empty())
        return total;
      // A dead end: no arc into it is tried again in this phase.
      level[vertex] = kNoVertex;
      vertex = heads[path.back() ^ 1];
      path.pop_back();
      ++current[vertex];
    }
  }

  bool advance(Vertex &vertex) {
    for (const uint32_t *&it = current[vertex]; it != arcs.end(vertex); ++it) {
      Vertex next = heads[*it];
      if (residual[*it] > 0 && level[next] != kNoVertex &&
          level[next] + 1 == level[vertex]) {
        path.push_back(*it);
        vertex = next;
        return true;
      }
    }
    return false;
  }

  /// Fills the path and cuts it back to where it still has room.
  Flow augment() {
    Flow amount = residual[path.front()];
    for (uint32_t arc : path)
      amount = std::min(amount, residual[arc]);
    size_t open = path.size();
    for (size_t i = path.size(); i-- > 0;) {
      residual[path[i]] -= amount;
      residual[path[i] ^ 1] += amount;
      if (residual[path[i]] == 0)
        open = i;
    }
    path.resize(open);
    return amount;
  }

  std::vector<Vertex> heads;
  std::vector<Flow> residual;
  std::vector<Vertex> level;
  std::vector<const uint32_t *> current;
  std::vector<Vertex> queue;
  std::vector<uint32_t> path;
  Adjacency arcs;
};

/// What is left to decide after unbounded edges have spoken. Vertex 0 stands
/// for all of the source's side, vertex 1 for all of the sink's.
struct Core {
  std::vector<Vertex> vertexOf;
  Vertex numVertices = 2;
  std::vector<Step> ends;
  std::vector<int64_t> capacities;
  /// The capacity of edges straight from side to side.
  FlowSum crossing = 0;
  /// More than all finite capacities together.
  FlowSum beyond = 1;
};

} // namespace

template <typename Flow>
static FlowSum solveCore(const Core &core, FlowNetwork::CutSide side,
                         std::vector<uint8_t> &onSourceSide) {
  std::vector<Flow> capacities(core.capacities.size());
  for (size_t i = 0; i < capacities.size(); ++i)
    capacities[i] = core.capacities[i] == FlowNetwork::kUnbounded
                        ? static_cast<Flow>(core.beyond)
                        : static_cast<Flow>(core.capacities[i]);
  Dinic<Flow> dinic(core.numVertices, core.ends, std::move(capacities));
  FlowSum value = dinic.run(0, 1);
  if (side == FlowNetwork::CutSide::Source) {
    onSourceSide = dinic.reachableFrom(0);
  } else {
    onSourceSide = dinic.reaching(1);
    for (uint8_t &flag : onSourceSide)
      flag = !flag;
  }
  return value;
}

/// The tree of a breadth-first walk over unbounded edges from \p start: for
/// each vertex reached the vertex before it (\p start for itself).
template <typename Edges, typename NextFn>
static std::vector<Vertex>
walkUnbounded(Vertex start, size_t numVertices, const Edges &edges,
              const Adjacency &adjacency, NextFn next) {
  std::vector<Vertex> parent(numVertices, kNoVertex);
  std::vector<Vertex> queue{start};
  parent[start] = start;
  for (size_t i = 0; i < queue.size(); ++i)
    for (const uint32_t *it = adjacency.begin(queue[i]);
         it != adjacency.end(queue[i]); ++it) {
      if (edges[*it].capacity != FlowNetwork::kUnbounded)
        continue;
      Vertex to = next(edges[*it]);
      if (parent[to] != kNoVertex)
        continue;
      parent[to] = queue[i];
      queue.push_back(to);
    }
  return parent;
}

FlowNetwork::MinimumCut FlowNetwork::findMinimumCut(Vertex source, Vertex sink,
                                                    CutSide side) const {
  MinimumCut result;
  Adjacency outgoing(numVertices, edges, [](const Edge &e) { return e.from; });
  std::vector<Vertex> fromSource = walkUnbounded(
      source, numVertices, edges, outgoing, [](const Edge &e) { return e.to; });
  if (fromSource[sink] != kNoVertex) {
    for (Vertex vertex = sink; vertex != source; vertex = fromSource[vertex])
      result.unboundedPath.push_back(vertex);
    result.unboundedPath.push_back(source);
    std::reverse(result.unboundedPath.begin(), result.unboundedPath.end());
    return result;
  }
  Adjacency incoming(numVertices, edges, [](const Edge &e) { return e.to; });
  std::vector<Vertex> toSink = walkUnbounded(
      sink, numVertices, edges, incoming, [](const Edge &e) { return e.from; });

  Core core;
  core.vertexOf.resize(numVertices);
  for (Vertex vertex = 0; vertex < numVertices; ++vertex)
    core.vertexOf[vertex] = fromSource[vertex] != kNoVertex ? 0
                            : toSink[vertex] != kNoVertex ? 1
                                                          : core.numVertices++;
  for (const Edge &edge : edges) {
    Vertex from = core.vertexOf[edge.from], to = core.vertexOf[edge.to];
    if (edge.capacity == 0 || from == to || from == 1 || to == 0)
      continue;
    if (from == 0 && to == 1) {
      core.crossing += edge.capacity;
      continue;
    }
    core.ends.push_back({from, to});
    core.capacities.push_back(edge.capacity);
    if (edge.capacity != kUnbounded)
      core.beyond += edge.capacity;
  }

  // A residual grows by at most what flows, which stays below `beyond`.
  std::vector<uint8_t> sides;
  bool fits = core.beyond < std::numeric_limits<int64_t>::max() / 2;
  result.value = core.crossing + (fits ? solveCore<int64_t>(core, side, sides)
                                       : solveCore<FlowSum>(core, side, sides));
  result.onSourceSide.resize(numVertices);
  for (Vertex vertex = 0; vertex < numVertices; ++vertex)
    result.onSourceSide[vertex] = sides[core.vertexOf[vertex]];
  return result;
}
