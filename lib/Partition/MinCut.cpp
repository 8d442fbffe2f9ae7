// Vertex 0 is the source, 1 the sink; node n has the vertices 2n+2 (its inputs
// are there) and 2n+3 (its value is there). On the sink's side means: there in
// the backward. A value is saved if its two vertices stand on different sides.
#include "titan/Partition/PartitionProblem.h"
#include "titan/Partition/Preparation.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;
using Vertex = FlowNetwork::Vertex;

static constexpr Vertex kSource = 0;
static constexpr Vertex kSink = 1;
static constexpr int64_t kUnbounded = FlowNetwork::kUnbounded;

static Vertex inOf(Node node) { return 2 * node + 2; }
static Vertex outOf(Node node) { return 2 * node + 3; }
static Node nodeOf(Vertex vertex) { return (vertex - 2) / 2; }
static bool isOut(Vertex vertex) { return vertex % 2 == 1; }

namespace {

class NetworkBuilder {
public:
  explicit NetworkBuilder(const PartitionProblem &problem)
      : problem(problem), graph(problem.getGraph()), rules(problem.getRules()),
        classes(problem.getClasses()), network(2 * graph.size() + 2),
        touched(2 * graph.size() + 2, 0) {}

  const FlowNetwork &build() {
    size_t reads = 0;
    for (Node node = 0; node < graph.size(); ++node)
      reads += graph.getUsers(node).size();
    network.reserveEdges(2 * graph.size() + reads);
    findSharedStorage();
    for (Node node = 0; node < graph.size(); ++node)
      addNode(node);
    return network;
  }

  /// The counts of the network as PyTorch would build it: vertices that an edge
  /// touches, the return of the function included.
  CutSize getSize() const {
    CutSize size;
    size.vertices = llvm::count(touched, 1) + hasReturn;
    size.vertices += network.getNumVertices() - touched.size();
    size.edges = static_cast<int64_t>(network.getNumEdges()) + numReturnEdges;
    return size;
  }

private:
  void addEdge(Vertex from, Vertex to, int64_t capacity) {
    if (from < touched.size())
      touched[from] = 1;
    if (to < touched.size())
      touched[to] = 1;
    network.addEdge(from, to, capacity);
  }

  // The rules of partitioner.md 8.1, in order.
  void addNode(Node node) {
    if (classes.requiredBackward[node]) {
      if (classes.needsTangent[node])
        return addEdge(inOf(node), kSink, kUnbounded);
      addEdge(outOf(node), kSink, kUnbounded);
    }
    if (mustRecompute(graph[node]) && !rules.honorsAllTags)
      return addEdge(inOf(node), kSink, kUnbounded);
    if (problem.isBanned(node))
      addEdge(kSource, inOf(node), kUnbounded);
    addCapacity(node);
    for (Node user : graph.getUsers(node))
      addEdge(outOf(node), inOf(user), kUnbounded);
    if (graph[node].isOutput()) {
      hasReturn = true;
      ++numReturnEdges;
    }
  }

  void addCapacity(Node node) {
    int64_t capacity = problem.getCapacity(node);
    auto it = storage.find(graph[node].root);
    if (capacity == kUnbounded || it == storage.end())
      return addEdge(inOf(node), outOf(node), capacity);
    // Whoever of them is saved, the storage is paid once.
    if (it->second == 0) {
      it->second = network.addVertex();
      Vertex end = network.addVertex();
      addEdge(it->second, end, capacity);
    }
    addEdge(inOf(node), it->second, kUnbounded);
    addEdge(it->second + 1, outOf(node), kUnbounded);
  }

  // The storages that more than one value could keep alive, with the first of
  // two vertices for each, made when needed.
  void findSharedStorage() {
    if (rules.weighsByDistance)
      return;
    std::vector<uint8_t> users(graph.size(), 0);
    for (Node node = 0; node < graph.size(); ++node)
      if (graph[node].valueKind == ValueKind::Tensor &&
          !classes.needsTangent[node] &&
          problem.getCapacity(node) != kUnbounded &&
          !problem.isResident(node) && ++users[graph[node].root] > 1) {
        users[graph[node].root] = 1;
        storage.try_emplace(graph[node].root, 0);
      }
  }

  const PartitionProblem &problem;
  const JointGraph &graph;
  const CompatRules &rules;
  const Classification &classes;
  FlowNetwork network;
  std::vector<uint8_t> touched;
  llvm::DenseMap<Node, Vertex> storage;
  bool hasReturn = false;
  int64_t numReturnEdges = 0;
};

/// Says why no cut is finite: the tag first, then the chain, then the remedy.
class UnboundedPathReport {
public:
  UnboundedPathReport(const PartitionProblem &problem,
                      const std::vector<Vertex> &path)
      : problem(problem), graph(problem.getGraph()), path(path) {
    collect();
  }

  LogicalResult emit() {
    Node culprit = findCulprit();
    InFlightDiagnostic error = emitError(graph.getLocation(culprit));
    error << "'" << graph.getName(culprit) << "' ";
    if (graph[culprit].policy)
      error << "is tagged " << stringifyPolicy(*graph[culprit].policy)
            << ", which leaves no legal partition: ";
    else
      error << "leaves no legal partition: ";
    error << "a value that the backward needs can be neither saved nor "
             "recomputed; "
          << getRemedy(culprit);
    for (auto &[node, clauses] : constraints) {
      Diagnostic &note = error.attachNote(graph.getLocation(node));
      note << "'" << graph.getName(node) << "': ";
      llvm::interleave(
          clauses, [&](const std::string &clause) { note << clause; },
          [&] { note << ", "; });
    }
    return failure();
  }

private:
  // The wording of partitioner.md 8.4.
  void collect() {
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      Vertex from = path[i], to = path[i + 1];
      if (from == kSource) {
        add(nodeOf(to),
            "cannot recompute: " + describe(problem.getBan(nodeOf(to))).str());
      } else if (to == kSink) {
        add(nodeOf(from), explainNeed(from));
      } else if (nodeOf(from) == nodeOf(to)) {
        UnsavableReason reason = problem.getUnsavableReason(nodeOf(to));
        add(nodeOf(to), "cannot save: " + describe(reason).str());
      } else {
        add(nodeOf(to), "depends on '" + graph.getName(nodeOf(from)) + "'");
      }
    }
  }

  void add(Node node, std::string clause) {
    constraints[node].push_back(std::move(clause));
  }

  std::string explainNeed(Vertex vertex) const {
    if (isOut(vertex))
      return "must be available for backward: input required for gradient";
    if (problem.getClasses().needsTangent[nodeOf(vertex)])
      return "must be computed in backward: required for gradient";
    return "must recompute: marked by checkpoint policy";
  }

  Node findCulprit() const {
    for (auto &[node, clauses] : constraints)
      if (mustRecompute(graph[node]))
        return node;
    for (auto &[node, clauses] : constraints)
      if (graph[node].policy)
        return node;
    return constraints.front().first;
  }

  std::string getRemedy(Node culprit) const {
    Node first = constraints.front().first;
    if (!graph[culprit].policy)
      return "remove what makes '" + graph.getName(first) +
             "' impossible to save";
    if (first == culprit || problem.getBan(first) == BanReason::PrimalInput)
      return "remove the tag";
    return "remove the tag or tag '" + graph.getName(first) +
           "' must_recompute as well";
  }

  const PartitionProblem &problem;
  const JointGraph &graph;
  const std::vector<Vertex> &path;
  llvm::MapVector<Node, std::vector<std::string>> constraints;
};

} // namespace

static int64_t saturate(FlowSum value) {
  return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
}

FailureOr<PartitionSolution> titan::solveMinCut(const PartitionProblem &problem,
                                                bool isQuiet) {
  NetworkBuilder builder(problem);
  const FlowNetwork &network = builder.build();
  FlowNetwork::MinimumCut cut =
      network.findMinimumCut(kSource, kSink, FlowNetwork::CutSide::Sink);
  if (!cut.unboundedPath.empty() && isQuiet)
    return failure();
  if (!cut.unboundedPath.empty())
    return UnboundedPathReport(problem, cut.unboundedPath).emit();
  PartitionSolution solution;
  solution.cut = builder.getSize();
  solution.cut.value = saturate(cut.value);
  for (Node node = 0; node < problem.getGraph().size(); ++node)
    if (cut.onSourceSide[inOf(node)] && !cut.onSourceSide[outOf(node)])
      solution.saved.push_back(node);
  return solution;
}
