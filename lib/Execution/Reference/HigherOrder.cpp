// Ops that run other ops: under a state of the random number generator that is
// saved and used again, or out of a subgraph.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::titan;

// The positional arguments from number \p first on.
static ArrayRef<RuntimeValue> getArguments(Call &call, size_t first) {
  const auto *list = call.get("args").getIf<RuntimeValue::List>();
  if (!list || list->size() < first)
    return {};
  return ArrayRef(*list).drop_front(first);
}

// Results from number \p first on are those of the op that the call wraps.
static LogicalResult runWrapped(Call &call, size_t targetIndex,
                                unsigned firstResult) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, targetIndex);
  const std::string *target =
      arguments.empty() ? nullptr : arguments.front().getIf<std::string>();
  if (!target)
    return call.fail("expected an op among the arguments");
  TypeRange types = call.getOperation()->getResultTypes();
  FailureOr<std::vector<RuntimeValue>> results = call.getInterpreter().runNamed(
      call, *target, arguments.drop_front(), call.getNamedArguments(),
      types.drop_front(firstResult));
  if (failed(results))
    return failure();
  for (auto [index, result] : llvm::enumerate(*results))
    if (failed(call.set(firstResult + index, result)))
      return failure();
  return success();
}

// Hands on the state before the op, which runs as ever.
static LogicalResult runAndSave(Call &call) {
  if (failed(call.set(0, RuntimeValue(call.getInterpreter().getRandomState()))))
    return failure();
  return runWrapped(call, 0, 1);
}

// Runs the op from a saved state; the program's own stays what it is.
static LogicalResult runWithSaved(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  const RandomState *state =
      arguments.empty() ? nullptr : arguments.front().getIf<RandomState>();
  if (!state)
    return call.fail("expected a saved state as the first argument");
  RandomState &current = call.getInterpreter().getRandomState();
  RandomState own = std::exchange(current, *state);
  LogicalResult result = runWrapped(call, 1, 0);
  current = own;
  return result;
}

static LogicalResult runWithGenerator(Call &call) {
  const auto *generator =
      call.get("rng_state").getIf<std::shared_ptr<Generator>>();
  if (!generator)
    return call.fail("expected a generator as 'rng_state'");
  Generator &state = **generator;
  RandomState &current = call.getInterpreter().getRandomState();
  if (state.followsProgram) {
    state.state = current;
    return runWrapped(call, 0, 0);
  }
  if (!state.state)
    return call.fail("the generator was never used by the forward");
  RandomState own = std::exchange(current, *state.state);
  LogicalResult result = runWrapped(call, 0, 0);
  state.state = std::exchange(current, own);
  return result;
}

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

static LogicalResult runSubgraph(Call &call, const RuntimeValue &name,
                                 ArrayRef<RuntimeValue> operands) {
  const std::string *symbol = name.getIf<std::string>();
  auto function =
      symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                   call.getOperation(),
                   StringAttr::get(call.getOperation()->getContext(), *symbol))
             : func::FuncOp();
  if (!function)
    return call.fail("the subgraph is not there");
  if (function.getNumArguments() != operands.size())
    return call.fail("the subgraph takes " + Twine(function.getNumArguments()) +
                     " arguments, not " + Twine(operands.size()));
  FailureOr<std::vector<RuntimeValue>> results =
      call.getInterpreter().run(function, operands);
  if (failed(results))
    return call.fail("the subgraph '" + *symbol + "' cannot be executed");
  for (auto [index, result] : llvm::enumerate(*results))
    if (failed(call.set(index, result)))
      return failure();
  return success();
}

// The operands of a list argument.
static ArrayRef<RuntimeValue> getList(const RuntimeValue &value) {
  const auto *list = value.getIf<RuntimeValue::List>();
  return list ? ArrayRef<RuntimeValue>(*list) : ArrayRef<RuntimeValue>();
}

// cond(predicate, then, else, operands)
static LogicalResult runCond(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 3)
    return call.fail("expected a predicate and two subgraphs");
  Call predicate(call.getInterpreter(), call.getOperation(), "", {});
  predicate.addArgument("value", arguments[0]);
  return runSubgraph(
      call, predicate.flag("value") ? arguments[1] : arguments[2],
      arguments.size() > 3 ? getList(arguments[3]) : ArrayRef<RuntimeValue>());
}

// invoke_subgraph(subgraph, identifier, *operands)
static LogicalResult runInvoke(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 2)
    return call.fail("expected a subgraph and its identifier");
  return runSubgraph(call, arguments[0], arguments.drop_front(2));
}

// A subgraph that carries a hint for the compiler: the hint changes no value.
static LogicalResult runHinted(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.empty())
    return call.fail("expected a subgraph");
  return runSubgraph(call, arguments[0], arguments.drop_front(1));
}

void titan::addHigherOrderKernels(KernelTable &table) {
  table.add("higher_order.run_and_save_rng_state", runAndSave);
  table.add("higher_order.run_with_rng_state", runWithSaved);
  table.add("higher_order.graphsafe_run_with_rng_state", runWithGenerator);
  table.add("higher_order.cond", runCond);
  table.add("higher_order.invoke_subgraph", runInvoke);
  table.add({"higher_order.wrap_with_set_grad_enabled",
             "higher_order.tag_activation_checkpoint",
             "higher_order.hints_wrapper"},
            runHinted);
}
