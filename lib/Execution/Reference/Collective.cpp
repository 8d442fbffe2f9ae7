// Talk between ranks that run in lockstep: a collective sees the tensors of
// all of them and makes the results of all of them. A program of one rank
// stands for every rank of a group, each with its data.
//
// Groups are runs of neighbours: of four ranks in groups of two, 0 talks to 1
// and 2 to 3. The names of groups do not say which ranks they hold.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// One tensor of each member of a group, in the order of their ranks.
using Members = std::vector<Tensor>;

/// Makes the results of a group's members of their tensors.
using Exchange =
    llvm::function_ref<FailureOr<Members>(Call &, const Members &)>;

} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

// The size that another op of the module gives the group of this one.
static std::optional<int64_t> findGroupSize(Operation *op) {
  auto own = dyn_cast<CollectiveOpInterface>(op);
  auto module = op->getParentOfType<ModuleOp>();
  if (!own || !module)
    return std::nullopt;
  std::optional<int64_t> size;
  module.walk([&](CollectiveOpInterface other) {
    if (other.getGroup() == own.getGroup())
      if ((size = other.getGroupSizeIfKnown()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return size;
}

static int64_t getGroupSize(Call &call) {
  int64_t numRanks = call.getInterpreter().getNumRanks();
  if (call.has("group_size"))
    return std::max<int64_t>(call.integer("group_size"), 1);
  if (call.has("output_split_sizes"))
    return std::max<int64_t>(call.integers("output_split_sizes").size(), 1);
  if (numRanks > 1)
    return findGroupSize(call.getOperation()).value_or(numRanks);
  return 1;
}

// The tensors of `input`, or of `inputs` for the coalesced forms.
static Members getInputs(Call &call) {
  for (StringRef list : {"inputs", "tensors"})
    if (call.has(list))
      return call.tensors(list);
  return {call.tensor(call.has("tensor") ? "tensor" : "input")};
}

static LogicalResult setResult(Call &call, unsigned index,
                               const Tensor &result) {
  if (!call.has("out"))
    return index < call.getNumResults() ? call.set(index, result) : success();
  Tensor out = call.tensor("out");
  if (!result.isBroadcastableTo(out.getShape()))
    return call.fail("the result does not fit 'out'");
  out.assign(result);
  out.noteWrite();
  return call.set(index, out);
}

// Runs \p exchange on every group of \p size neighbours among \p calls.
static LogicalResult exchangeInGroups(MutableArrayRef<Call> calls, size_t size,
                                      Exchange exchange) {
  Call &first = calls.front();
  int64_t numRanks = first.getInterpreter().getNumRanks();
  bool standsForAll = numRanks == 1;
  if (!standsForAll && calls.size() == 1)
    return first.fail("ranks do not run this op in lockstep, it stands in a "
                      "subgraph that each runs apart");
  if (!standsForAll && numRanks % static_cast<int64_t>(size) != 0)
    return first.fail("its groups have " + Twine(size) +
                      " ranks, of which '--ranks' has to be a multiple, not " +
                      Twine(numRanks));
  std::vector<Members> inputs;
  for (Call &call : calls)
    inputs.push_back(getInputs(call));
  for (size_t start = 0; start < calls.size(); start += standsForAll ? 1 : size)
    for (size_t index = 0; index < inputs[start].size(); ++index) {
      Members members;
      for (size_t member = 0; member < size; ++member) {
        const Members &own = inputs[standsForAll ? start : start + member];
        if (index >= own.size())
          return first.fail("ranks give numbers of tensors that differ");
        members.push_back(own[index]);
      }
      FailureOr<Members> results = exchange(calls[start], members);
      if (failed(results))
        return failure();
      size_t end = standsForAll ? start + 1 : start + size;
      for (size_t rank = start; rank < end; ++rank)
        if (failed(setResult(calls[rank], index, (*results)[rank - start])))
          return failure();
    }
  return success();
}

static LogicalResult exchangeAll(MutableArrayRef<Call> calls,
                                 Exchange exchange) {
  return exchangeInGroups(calls, getGroupSize(calls.front()), exchange);
}

// Whether the members' tensors have one shape.
static LogicalResult checkShapes(Call &call, const Members &members) {
  for (const Tensor &member : members)
    if (member.getShape() != members.front().getShape())
      return call.fail("ranks give tensors of the shapes " +
                       formatShape(members.front().getShape()) + " and " +
                       formatShape(member.getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce and gather
//===----------------------------------------------------------------------===//

// Ranks are taken in order, the sum of each element in the wide type: rounded
// once, whatever the number of ranks.
template <typename T>
static std::vector<T> reduceValues(const Members &members, StringRef how) {
  std::vector<T> values = members.front().getValues<T>();
  for (const Tensor &member : ArrayRef(members).drop_front()) {
    std::vector<T> other = member.getValues<T>();
    for (auto [value, next] : llvm::zip_equal(values, other)) {
      if (how == "sum" || how == "avg")
        value = value + next;
      else if (how == "product")
        value = value * next;
      else if constexpr (!std::is_same_v<T, Complex>)
        value = how == "max" ? std::max(value, next) : std::min(value, next);
    }
  }
  if (how == "avg")
    for (T &value : values)
      value = value / static_cast<T>(static_cast<double>(members.size()));
  return values;
}

static FailureOr<Tensor> reduce(Call &call, const Members &members) {
  StringRef how = call.text("reduce_op");
  DType dtype = members.front().getDType();
  static constexpr StringLiteral kKnown[] = {"sum", "avg", "max", "min",
                                             "product"};
  if (!llvm::is_contained(kKnown, how))
    return call.fail("cannot reduce by '" + how + "'");
  if (isComplex(dtype) && (how == "max" || how == "min"))
    return call.fail("complex numbers have no '" + how + "'");
  if (failed(checkShapes(call, members)))
    return failure();
  Tensor result = Tensor::makeUninitialized(dtype, members.front().getShape());
  LogicalResult done = dispatch(dtype, [&]<typename T>(T) {
    result.assign(ArrayRef<T>(reduceValues<T>(members, how)));
    return success();
  });
  if (failed(done))
    return failure();
  return result;
}

static FailureOr<Members> allReduce(Call &call, const Members &members) {
  FailureOr<Tensor> reduced = reduce(call, members);
  if (failed(reduced))
    return failure();
  Members results;
  for (size_t i = 0; i < members.size(); ++i)
    results.push_back(reduced->clone());
  return results;
}

// Joins the members' tensors along their first dimension.
static FailureOr<Members> allGather(Call &call, const Members &members) {
  if (failed(checkShapes(call, members)))
    return failure();
  const Tensor &first = members.front();
  Shape shape(first.getShape());
  if (shape.empty())
    shape.push_back(1);
  int64_t length = shape[0];
  Shape part = shape;
  shape[0] *= static_cast<int64_t>(members.size());
  Tensor result = Tensor::makeUninitialized(first.getDType(), shape);
  for (auto [rank, member] : llvm::enumerate(members))
    result.slice(0, rank * length, length).assign(member.reshape(part));
  Members results;
  for (size_t i = 0; i < members.size(); ++i)
    results.push_back(result.clone());
  return results;
}

static FailureOr<Members> reduceScatter(Call &call, const Members &members) {
  FailureOr<Tensor> reduced = reduce(call, members);
  if (failed(reduced))
    return failure();
  auto size = static_cast<int64_t>(members.size());
  if (reduced->getRank() == 0 || reduced->getDim(0) % size)
    return call.fail("a first dimension of " +
                     formatShape(reduced->getShape()) +
                     " cannot be split among " + Twine(size) + " ranks");
  int64_t length = reduced->getDim(0) / size;
  Members results;
  for (int64_t rank = 0; rank < size; ++rank)
    results.push_back(reduced->slice(0, rank * length, length).clone());
  return results;
}

//===----------------------------------------------------------------------===//
// Exchange of parts
//===----------------------------------------------------------------------===//

// Row r of the result is what rank r says of its splits, or equal parts.
static FailureOr<Shape> getSplits(Call &call, StringRef parameter,
                                  const Tensor &input, size_t size) {
  Shape splits = call.integers(parameter);
  if (input.getRank() == 0)
    return call.fail("expected a tensor with dimensions");
  if (splits.empty())
    splits.assign(size, input.getDim(0) / static_cast<int64_t>(size));
  if (splits.size() != size)
    return call.fail("expected " + Twine(size) + " splits, got " +
                     Twine(splits.size()));
  return splits;
}

// Part d of rank s goes to part s of rank d. What the ranks say of the lengths
// has to agree; a rank that stands for all receives as long a part as it says.
static LogicalResult allToAll(MutableArrayRef<Call> calls) {
  size_t size = getGroupSize(calls.front());
  if (calls.size() > 1 && calls.size() % size != 0)
    return calls.front().fail("its groups have " + Twine(size) +
                              " ranks, of which '--ranks' has to be a "
                              "multiple, not " +
                              Twine(calls.size()));
  if (calls.size() == 1 && calls.front().getInterpreter().getNumRanks() > 1)
    return calls.front().fail("ranks do not run this op in lockstep");
  for (auto [rank, call] : llvm::enumerate(calls)) {
    Tensor own = call.tensor("input");
    FailureOr<Shape> received =
        getSplits(call, "output_split_sizes", own, size);
    if (failed(received))
      return failure();
    int64_t total = 0;
    for (int64_t length : *received) {
      if (length < 0)
        return call.fail("the splits do not fit the tensor");
      total += length;
    }
    Shape shape(own.getShape());
    shape[0] = total;
    Tensor result = Tensor::makeUninitialized(own.getDType(), shape);
    int64_t to = 0;
    size_t start = rank / size * size, place = rank % size;
    for (auto [member, length] : llvm::enumerate(*received)) {
      Call &sender = calls.size() == 1 ? call : calls[start + member];
      Tensor source = sender.tensor("input");
      FailureOr<Shape> sent =
          getSplits(sender, "input_split_sizes", source, size);
      if (failed(sent))
        return call.fail(sender.getError());
      int64_t from = 0;
      for (size_t before = 0; before < place; ++before)
        from += (*sent)[before];
      bool agrees = calls.size() == 1 || (*sent)[place] == length;
      if (!agrees || from + length > source.getDim(0))
        return call.fail("rank " + Twine(start + member) + " sends " +
                         Twine((*sent)[place]) + " rows where " +
                         Twine(length) + " are expected");
      result.slice(0, to, length).assign(source.slice(0, from, length));
      to += length;
    }
    if (failed(call.set(0, result)))
      return failure();
  }
  return success();
}

static FailureOr<Members> broadcastFrom(Call &call, const Members &members) {
  // The source counts from the first rank of the program.
  auto size = static_cast<int64_t>(members.size());
  int64_t source = call.integer("src");
  if (source < 0)
    return call.fail("expected the number of a rank as 'src'");
  Members results;
  for (int64_t rank = 0; rank < size; ++rank)
    results.push_back(members[source % size].clone());
  return results;
}

void titan::addCollectiveKernels(KernelTable &table) {
  table.addLockstep({"c10d.all_gather_into_tensor",
                     "c10d.all_gather_into_tensor_coalesced",
                     "c10d.all_gather_into_tensor_out"},
                    [](MutableArrayRef<Call> calls) {
                      return exchangeAll(calls, allGather);
                    });
  table.addLockstep({"c10d.reduce_scatter_tensor",
                     "c10d.reduce_scatter_tensor_coalesced",
                     "c10d.reduce_scatter_tensor_out"},
                    [](MutableArrayRef<Call> calls) {
                      return exchangeAll(calls, reduceScatter);
                    });
  table.addLockstep({"c10d.all_reduce", "c10d.all_reduce_coalesced"},
                    [](MutableArrayRef<Call> calls) {
                      return exchangeAll(calls, allReduce);
                    });
  table.addLockstep({"c10d.broadcast"}, [](MutableArrayRef<Call> calls) {
    return exchangeAll(calls, broadcastFrom);
  });
  table.addLockstep({"c10d.all_to_all_single"}, allToAll);
  table.add({"c10d.wait_tensor", "c10d.wait_tensors"}, [](Call &call) {
    for (auto [index, tensor] : llvm::enumerate(getInputs(call)))
      if (index < call.getNumResults() && failed(call.set(index, tensor)))
        return failure();
    return success();
  });
}
