#include "titan/Partition/Partitioner.h"

#include "Finalize.h"

#include "titan/Partition/Preparation.h"

using namespace mlir;
using namespace mlir::titan;

using Node = JointGraph::Node;

static LogicalResult checkJoint(func::FuncOp joint) {
  if (!llvm::hasSingleElement(joint.getBody()))
    return emitError(joint.getLoc())
           << "expected function '" << joint.getName()
           << "' to have one block; partition it before "
              "control flow is lowered";
  auto function = cast<FunctionOpInterface>(joint.getOperation());
  auto kind = joint->getAttrOfType<StringAttr>(kGraphKindAttr);
  if (!getNumForwardOutputs(function) || (kind && kind.getValue() == "forward"))
    return emitError(joint.getLoc())
           << "function '" << joint.getName()
           << "' has no backward to split off; give the joint graph of the "
              "training step (TORCH_LOGS=aot_joint_graph prints it)";
  return success();
}

static bool hasRecomputeTags(const JointGraph &graph) {
  for (Node node = 0; node < graph.size(); ++node)
    if (mustRecompute(graph[node]))
      return true;
  return false;
}

// Whether an op writes memory other than in the epilogue that writes results to
// inputs.
static bool isFunctional(const JointGraph &graph) {
  for (Node index = 0; index < graph.size(); ++index) {
    ArrayRef<Node> arguments = graph.getPositionalInputs(index);
    if (graph[index].has(OpFact::Mutable) &&
        (arguments.empty() || graph[arguments[0]].op))
      return false;
  }
  return true;
}

static FailureOr<Plan> planDefault(const JointGraph &graph, CompatRules rules) {
  PartitionProblem problem(graph, rules);
  if (failed(problem.check()))
    return failure();
  PartitionSolution solution = solveDefault(problem);
  // Where PyTorch's own rule leaves the backward without what it needs, the
  // rule goes, not the plan (27.15).
  if (!problem.isLegal(solution.saved) && rules.skipsUnusedTensors) {
    rules.skipsUnusedTensors = false;
    return planDefault(graph, rules);
  }
  if (failed(problem.verify(solution.saved)))
    return failure();
  return finalizePlan(problem, solution, /*isDefault=*/true);
}

// PyTorch's plan for the same graph, judged by Titan's rules; none if it is
// illegal by them.
static std::optional<Plan> planAsPytorch(const PartitionProblem &problem,
                                         JointGraph graph) {
  CompatRules rules = CompatRules::get(CompatKind::Pytorch);
  ScopedDiagnosticHandler silence(graph.getFunction().getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(settleTags(graph, rules, /*isDefault=*/false)))
    return std::nullopt;
  PartitionProblem other(graph, rules);
  FailureOr<PartitionSolution> solution = solveMinCut(other, /*isQuiet=*/true);
  if (failed(solution) || !problem.isLegal(solution->saved))
    return std::nullopt;
  return finalizePlan(problem, *solution, /*isDefault=*/false);
}

static FailureOr<Plan> planMinCut(const JointGraph &untagged, JointGraph graph,
                                  const CompatRules &rules) {
  PartitionProblem problem(graph, rules);
  if (failed(problem.check()))
    return failure();
  if (!problem.hasBackward())
    return planDefault(graph, rules);
  FailureOr<PartitionSolution> solution = solveMinCut(problem);
  if (failed(solution) || failed(problem.verify(solution->saved)))
    return failure();
  Plan plan = finalizePlan(problem, *solution, /*isDefault=*/false);
  if (rules.kind != CompatKind::Titan)
    return plan;
  // The cut sees storage one by one; where views and outputs overlap in ways
  // that it does not see, PyTorch's plan may be the smaller.
  std::optional<Plan> other = planAsPytorch(problem, untagged);
  if (other &&
      countStorageBytes(problem, *other) < countStorageBytes(problem, plan)) {
    other->cut = plan.cut;
    return *other;
  }
  return plan;
}

FailureOr<Plan> titan::makePlan(func::FuncOp joint,
                                const PartitionOptions &options) {
  return makePlan(joint, options.partitioner, CompatRules::get(options.compat));
}

FailureOr<Plan> titan::makePlan(func::FuncOp joint, PartitionerKind partitioner,
                                const CompatRules &rules) {
  if (failed(checkJoint(joint)))
    return failure();
  TensorSizes sizes(joint->getParentOfType<ModuleOp>());
  bool isDefault = partitioner == PartitionerKind::Default;
  if (isDefault) {
    JointGraph graph(joint, sizes);
    // Recomputing what writes memory is min-cut's business (2.2).
    if (!hasRecomputeTags(graph) || isFunctional(graph)) {
      if (failed(settleTags(graph, rules, /*isDefault=*/true)))
        return failure();
      return planDefault(graph, rules);
    }
    emitWarning(joint.getLoc())
        << "recompute tags in a graph that writes memory; "
           "partitioning with min-cut instead of default";
  }
  eraseDeadOps(joint);
  std::vector<MergedValue> merged = mergeEqualOps(joint, rules);
  JointGraph untagged(joint, sizes);
  JointGraph graph = untagged;
  if (failed(settleTags(graph, rules, /*isDefault=*/false)))
    return failure();
  FailureOr<Plan> plan = planMinCut(untagged, std::move(graph), rules);
  if (succeeded(plan))
    plan->merged = std::move(merged);
  return plan;
}
