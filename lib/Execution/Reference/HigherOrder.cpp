// Ops that run other ops: under a state of the random number generator that is
// saved and used again, or out of a subgraph.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"

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

static func::FuncOp findSubgraph(Call &call, const RuntimeValue &name) {
  const std::string *symbol = name.getIf<std::string>();
  if (!symbol)
    return {};
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call.getOperation(),
      StringAttr::get(call.getOperation()->getContext(), *symbol));
}

// Runs a subgraph on the running rank; its results, not those of the call.
static FailureOr<RankValues> evaluate(Call &call, const RuntimeValue &name,
                                      ArrayRef<RuntimeValue> operands) {
  func::FuncOp function = findSubgraph(call, name);
  if (!function)
    return call.fail("the subgraph is not there");
  if (function.getNumArguments() != operands.size())
    return call.fail("the subgraph takes " + Twine(function.getNumArguments()) +
                     " arguments, not " + Twine(operands.size()));
  FailureOr<RankValues> results =
      call.getInterpreter().run(function, operands.vec());
  if (failed(results))
    return call.fail("the subgraph '" + function.getSymName() +
                     "' cannot be executed");
  return results;
}

static LogicalResult setResults(Call &call, ArrayRef<RuntimeValue> results) {
  for (auto [index, result] : llvm::enumerate(results))
    if (index < call.getNumResults() && failed(call.set(index, result)))
      return failure();
  return success();
}

static LogicalResult runSubgraph(Call &call, const RuntimeValue &name,
                                 ArrayRef<RuntimeValue> operands) {
  FailureOr<RankValues> results = evaluate(call, name, operands);
  return failed(results) ? failure() : setResults(call, *results);
}

// Runs the subgraph \p name on all ranks, each on the operands that \p select
// takes from its call.
static LogicalResult
runOnAllRanks(MutableArrayRef<Call> calls, const RuntimeValue &name,
              llvm::function_ref<ArrayRef<RuntimeValue>(Call &)> select) {
  Call &first = calls.front();
  func::FuncOp function = findSubgraph(first, name);
  if (!function)
    return first.fail("the subgraph is not there");
  std::vector<RankValues> operands;
  for (Call &call : calls) {
    operands.push_back(select(call).vec());
    if (operands.back().size() != function.getNumArguments())
      return call.fail("the subgraph takes " +
                       Twine(function.getNumArguments()) + " arguments, not " +
                       Twine(operands.back().size()));
  }
  auto results =
      first.getInterpreter().runLockstep(function, std::move(operands));
  if (failed(results))
    return first.fail("the subgraph '" + function.getSymName() +
                      "' cannot be executed");
  for (auto [call, own] : llvm::zip_equal(calls, *results))
    if (failed(setResults(call, own)))
      return failure();
  return success();
}

// The operands of a list argument.
static ArrayRef<RuntimeValue> getList(const RuntimeValue &value) {
  const auto *list = value.getIf<RuntimeValue::List>();
  return list ? ArrayRef<RuntimeValue>(*list) : ArrayRef<RuntimeValue>();
}

static bool isTrue(Call &call, const RuntimeValue &value) {
  Call predicate(call.getInterpreter(), call.getOperation(), "", {});
  predicate.addArgument("value", value);
  return predicate.flag("value");
}

// cond(predicate, then, else, operands)
static LogicalResult runCond(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 3)
    return call.fail("expected a predicate and two subgraphs");
  return runSubgraph(
      call, isTrue(call, arguments[0]) ? arguments[1] : arguments[2],
      arguments.size() > 3 ? getList(arguments[3]) : ArrayRef<RuntimeValue>());
}

// A subgraph among the positional arguments, with operands from number
// \p firstOperand on: invoke_subgraph(subgraph, identifier, *operands), or one
// that carries a hint for the compiler, which changes no value.
static LogicalResult runPositional(MutableArrayRef<Call> calls,
                                   size_t firstOperand) {
  ArrayRef<RuntimeValue> arguments = getArguments(calls.front(), 0);
  if (arguments.size() < firstOperand)
    return calls.front().fail("expected a subgraph and " +
                              Twine(firstOperand - 1) + " more arguments");
  return runOnAllRanks(calls, arguments.front(), [&](Call &call) {
    return getArguments(call, firstOperand);
  });
}

static LogicalResult runCall(MutableArrayRef<Call> calls) {
  auto op = cast<func::CallOp>(calls.front().getOperation());
  return runOnAllRanks(calls, op.getCallee().str(), [](Call &call) {
    return getList(call.get("operands"));
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static void append(RankValues &to, ArrayRef<RuntimeValue> values) {
  to.insert(to.end(), values.begin(), values.end());
}

// The tensors of \p list at \p step of their first dimension.
static FailureOr<RankValues> selectStep(Call &call, ArrayRef<RuntimeValue> list,
                                        int64_t step) {
  RankValues slices;
  for (const RuntimeValue &value : list) {
    const auto *tensor = value.getIf<Tensor>();
    if (!tensor || tensor->getRank() == 0 || step >= tensor->getDim(0))
      return call.fail("expected tensors of one length to step through");
    slices.push_back(tensor->select(0, step));
  }
  return slices;
}

// How many steps there are: the first dimension of the first tensor.
static int64_t countSteps(ArrayRef<RuntimeValue> list) {
  const auto *first = list.empty() ? nullptr : list.front().getIf<Tensor>();
  return first && first->getRank() > 0 ? first->getDim(0) : 0;
}

// Puts what each of \p steps made, from its value \p first on, into the results
// of the call from \p firstResult on, stacked along a new first dimension.
static LogicalResult stackSteps(Call &call, ArrayRef<RankValues> steps,
                                size_t first, unsigned firstResult) {
  auto length = static_cast<int64_t>(steps.size());
  size_t end = steps.empty() ? first : steps.front().size();
  for (size_t index = first; index < end; ++index) {
    const auto *model = steps.front()[index].getIf<Tensor>();
    if (!model)
      continue;
    Shape shape(model->getShape());
    shape.insert(shape.begin(), length);
    Tensor result = Tensor::makeUninitialized(model->getDType(), shape);
    for (int64_t step = 0; step < length; ++step) {
      const auto *part = steps[step][index].getIf<Tensor>();
      if (!part || part->getShape() != model->getShape())
        return call.fail("the steps make tensors of shapes that differ");
      result.select(0, step).assign(*part);
    }
    unsigned number = firstResult + (index - first);
    if (number < call.getNumResults() && failed(call.set(number, result)))
      return failure();
  }
  return success();
}

// scan(combine, initial, xs, more): combine(*carried, *x, *more) makes what is
// carried to the next step and what is kept of this one. Results are the last
// carried values, then what was kept.
static LogicalResult runScan(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 3)
    return call.fail("expected a subgraph, initial values and tensors");
  RankValues carried = getList(arguments[1]).vec();
  size_t numCarried = carried.size();
  ArrayRef<RuntimeValue> xs = getList(arguments[2]);
  std::vector<RankValues> steps;
  for (int64_t step = 0, end = countSteps(xs); step < end; ++step) {
    RankValues operands = carried;
    FailureOr<RankValues> slices = selectStep(call, xs, step);
    if (failed(slices))
      return failure();
    append(operands, *slices);
    if (arguments.size() > 3)
      append(operands, getList(arguments[3]));
    FailureOr<RankValues> made = evaluate(call, arguments[0], operands);
    if (failed(made))
      return failure();
    if (made->size() < numCarried)
      return call.fail("the subgraph makes less than it is to carry");
    carried.assign(made->begin(), made->begin() + numCarried);
    steps.push_back(std::move(*made));
  }
  if (failed(setResults(call, carried)))
    return failure();
  return stackSteps(call, steps, numCarried, numCarried);
}

// associative_scan(combine, xs, more): result i is what combine makes of result
// i - 1 and element i, from the first on.
static LogicalResult runAssociativeScan(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 2)
    return call.fail("expected a subgraph and tensors");
  ArrayRef<RuntimeValue> xs = getList(arguments[1]);
  std::vector<RankValues> steps;
  for (int64_t step = 0, end = countSteps(xs); step < end; ++step) {
    FailureOr<RankValues> slices = selectStep(call, xs, step);
    if (failed(slices))
      return failure();
    if (step > 0) {
      RankValues operands = steps.back();
      append(operands, *slices);
      if (arguments.size() > 2)
        append(operands, getList(arguments[2]));
      slices = evaluate(call, arguments[0], operands);
      if (failed(slices))
        return failure();
    }
    steps.push_back(std::move(*slices));
  }
  return stackSteps(call, steps, 0, 0);
}

// map_impl(f, xs, more)
static LogicalResult runMap(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 2)
    return call.fail("expected a subgraph and tensors");
  ArrayRef<RuntimeValue> xs = getList(arguments[1]);
  std::vector<RankValues> steps;
  for (int64_t step = 0, end = countSteps(xs); step < end; ++step) {
    FailureOr<RankValues> operands = selectStep(call, xs, step);
    if (failed(operands))
      return failure();
    if (arguments.size() > 2)
      append(*operands, getList(arguments[2]));
    FailureOr<RankValues> made = evaluate(call, arguments[0], *operands);
    if (failed(made))
      return failure();
    steps.push_back(std::move(*made));
  }
  return stackSteps(call, steps, 0, 0);
}

// while_loop(condition, body, carried, more)
static LogicalResult runWhile(Call &call) {
  ArrayRef<RuntimeValue> arguments = getArguments(call, 0);
  if (arguments.size() < 3)
    return call.fail("expected two subgraphs and what they carry");
  RankValues carried = getList(arguments[2]).vec();
  size_t numCarried = carried.size();
  while (true) {
    RankValues operands = carried;
    if (arguments.size() > 3)
      append(operands, getList(arguments[3]));
    FailureOr<RankValues> condition = evaluate(call, arguments[0], operands);
    if (failed(condition))
      return failure();
    if (condition->size() != 1)
      return call.fail("expected a condition of one value");
    if (!isTrue(call, condition->front()))
      return setResults(call, carried);
    FailureOr<RankValues> made = evaluate(call, arguments[1], operands);
    if (failed(made))
      return failure();
    if (made->size() != numCarried)
      return call.fail("the body makes " + Twine(made->size()) +
                       " values of the " + Twine(numCarried) +
                       " that the loop carries");
    carried = std::move(*made);
  }
}

// with_effects(token, op, *operands): the token orders effects and holds
// nothing.
static LogicalResult runWithEffects(Call &call) {
  if (getArguments(call, 0).size() < 2)
    return call.fail("expected a token and an op");
  return runWrapped(call, 1, 1);
}

void titan::addHigherOrderKernels(KernelTable &table) {
  table.add("higher_order.run_and_save_rng_state", runAndSave);
  table.add("higher_order.run_with_rng_state", runWithSaved);
  table.add("higher_order.graphsafe_run_with_rng_state", runWithGenerator);
  table.add("higher_order.cond", runCond);
  table.add("higher_order.scan", runScan);
  table.add("higher_order.associative_scan", runAssociativeScan);
  table.add({"higher_order.map_impl", "higher_order.map"}, runMap);
  table.add("higher_order.while_loop", runWhile);
  table.add("higher_order.with_effects", runWithEffects);
  table.addLockstep({"func.call"}, runCall);
  table.addLockstep(
      {"higher_order.invoke_subgraph"},
      [](MutableArrayRef<Call> calls) { return runPositional(calls, 2); });
  table.addLockstep(
      {"higher_order.wrap_with_set_grad_enabled",
       "higher_order.tag_activation_checkpoint", "higher_order.hints_wrapper"},
      [](MutableArrayRef<Call> calls) { return runPositional(calls, 1); });
}
