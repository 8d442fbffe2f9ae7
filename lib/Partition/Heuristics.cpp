// The two rules of partitioner.md 7.4 and 7.5. Both walk the forward with a
// heap by position; positions only grow along a walk, so that a stamp a
// position tells what a walk has already met.
#include "titan/Partition/PartitionProblem.h"

#include <algorithm>
#include <functional>

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

namespace {

/// A heap of numbers, the smallest on top.
class Heap {
public:
  bool empty() const { return items.empty(); }
  void clear() { items.clear(); }
  void push(uint64_t item) {
    items.push_back(item);
    std::push_heap(items.begin(), items.end(), std::greater<>());
  }
  uint64_t pop() {
    std::pop_heap(items.begin(), items.end(), std::greater<>());
    uint64_t item = items.back();
    items.pop_back();
    return item;
  }

private:
  std::vector<uint64_t> items;
};

/// Finds the first op that cannot be fused behind a set of ops.
class UnfusibleSearch {
public:
  explicit UnfusibleSearch(const PartitionProblem &problem)
      : problem(problem), classes(problem.getClasses()),
        stamps(2 * classes.forwardNodes.size(), 0) {}

  /// The position of the first op not fusible with the one before it on a walk
  /// from \p starts up to position \p last; \p last if there is none.
  uint32_t run(ArrayRef<Node> starts, uint32_t last) {
    ++search;
    heap.clear();
    for (Node start : starts)
      push(classes.forwardOrder[start], true);
    while (!heap.empty()) {
      uint64_t item = heap.pop();
      auto order = static_cast<uint32_t>(item >> 1);
      if (!(item & 1))
        return order;
      Node node = classes.forwardNodes[order];
      for (Node user : problem.getGraph().getUsers(node))
        if (classes.requiredForward[user] && classes.forwardOrder[user] <= last)
          push(classes.forwardOrder[user], problem.isFusible(node, user));
    }
    return last;
  }

private:
  void push(uint32_t order, bool fusible) {
    uint64_t item = 2 * uint64_t(order) + fusible;
    if (stamps[item] == search)
      return;
    stamps[item] = search;
    heap.push(item);
  }

  const PartitionProblem &problem;
  const Classification &classes;
  std::vector<uint32_t> stamps;
  uint32_t search = 0;
  Heap heap;
};

} // namespace

void titan::banUsedFarApart(PartitionProblem &problem) {
  const JointGraph &graph = problem.getGraph();
  const Classification &classes = problem.getClasses();
  UnfusibleSearch search(problem);
  SmallVector<Node> users;
  for (Node node : classes.forwardNodes) {
    users.clear();
    uint32_t last = 0;
    for (Node user : graph.getUsers(node))
      if (classes.requiredForward[user]) {
        users.push_back(user);
        last = std::max(last, classes.forwardOrder[user]);
      }
    // A single user is the last one.
    if (users.size() < 2)
      continue;
    uint32_t first = search.run(users, last);
    for (Node user : users)
      if (classes.forwardOrder[user] > first && problem.isFusible(node, user) &&
          !problem.isBanned(user))
        problem.ban(user, BanReason::UsedFarApart);
  }
}

void titan::banLongChains(PartitionProblem &problem) {
  constexpr uint32_t kLongChain = 100;
  const JointGraph &graph = problem.getGraph();
  const Classification &classes = problem.getClasses();
  std::vector<uint8_t> visited(graph.size(), 0);
  Heap heap;
  for (Node start : classes.forwardNodes) {
    uint32_t first = classes.forwardOrder[start];
    heap.clear();
    heap.push(first);
    while (!heap.empty()) {
      auto order = static_cast<uint32_t>(heap.pop());
      Node node = classes.forwardNodes[order];
      if (visited[node])
        continue;
      visited[node] = 1;
      if (order > first + kLongChain && heap.empty()) {
        problem.ban(node, BanReason::LongChain);
        break;
      }
      for (Node user : graph.getUsers(node))
        if (classes.requiredForward[user] && problem.isFusible(node, user) &&
            !problem.isBanned(user))
          heap.push(classes.forwardOrder[user]);
    }
  }
}
