// Talk between ranks. One process stands for all of them: every rank of a group
// has the data of rank 0, and rank 0's results are those of the program.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"

using namespace mlir;
using namespace mlir::titan;

static int64_t getGroupSize(Call &call) {
  return std::max<int64_t>(
      call.integer("group_size", call.getInterpreter().getNumRanks()), 1);
}

// What \p size equal contributions are reduced to.
static FailureOr<Tensor> reduceEqual(Call &call, const Tensor &input,
                                     int64_t size) {
  StringRef how = call.text("reduce_op");
  if (how == "avg" || how == "max" || how == "min")
    return input.clone();
  if (how != "sum" && how != "product")
    return call.fail("cannot reduce by '" + how + "'");
  Tensor result(input.getDType(), input.getShape());
  LogicalResult done = dispatch(input.getDType(), [&]<typename T>(T) {
    auto values = input.getValues<T>();
    for (T &value : values) {
      T one = value;
      for (int64_t rank = 1; rank < size; ++rank)
        value = how == "sum" ? value + one : value * one;
    }
    result.assign(ArrayRef<T>(values));
    return success();
  });
  if (failed(done))
    return failure();
  return result;
}

static Tensor gather(const Tensor &input, int64_t size) {
  Shape shape(input.getShape()), expanded(input.getShape());
  expanded.insert(expanded.begin(), size);
  if (!shape.empty())
    shape[0] *= size;
  else
    shape.push_back(size);
  return input.expand(expanded).clone().reshape(shape);
}

static FailureOr<Tensor> reduceScatter(Call &call, const Tensor &input,
                                       int64_t size) {
  FailureOr<Tensor> reduced = reduceEqual(call, input, size);
  if (failed(reduced))
    return failure();
  if (input.getRank() == 0 || input.getDim(0) % size)
    return call.fail("a first dimension of " + formatShape(input.getShape()) +
                     " cannot be split among " + Twine(size) + " ranks");
  return reduced->slice(0, 0, input.getDim(0) / size).clone();
}

// The tensors of `input`, or of `inputs` for the coalesced forms.
static std::vector<Tensor> getInputs(Call &call) {
  if (call.has("inputs"))
    return call.tensors("inputs");
  if (call.has("tensors"))
    return call.tensors("tensors");
  return {call.tensor(call.has("tensor") ? "tensor" : "input")};
}

template <typename Exchange>
static LogicalResult exchange(Call &call, Exchange one) {
  for (auto [index, input] : llvm::enumerate(getInputs(call))) {
    FailureOr<Tensor> result = one(input);
    if (failed(result))
      return failure();
    if (call.has("out")) {
      Tensor out = call.tensor("out");
      if (!result->isBroadcastableTo(out.getShape()))
        return call.fail("the result does not fit 'out'");
      out.assign(*result);
      out.noteWrite();
      return call.set(index, out);
    }
    if (index < call.getNumResults() && failed(call.set(index, *result)))
      return failure();
  }
  return success();
}

// Rank 0 receives the first part of every rank's tensor.
static FailureOr<Tensor> exchangeParts(Call &call, const Tensor &input) {
  Shape received = call.integers("output_split_sizes");
  Shape sent = call.integers("input_split_sizes");
  int64_t size = received.empty() ? getGroupSize(call)
                                  : static_cast<int64_t>(received.size());
  if (input.getRank() == 0)
    return call.fail("expected a tensor with dimensions");
  if (sent.empty())
    sent.assign(size, input.getDim(0) / size);
  if (received.empty())
    received.assign(size, sent.front());
  int64_t total = 0;
  for (int64_t length : received)
    total += length;
  Shape shape(input.getShape());
  shape[0] = total;
  Tensor result(input.getDType(), shape);
  int64_t start = 0;
  for (int64_t length : received) {
    if (length < 0 || length > input.getDim(0))
      return call.fail("the splits do not fit the tensor");
    result.slice(0, start, length).assign(input.slice(0, 0, length));
    start += length;
  }
  return result;
}

void titan::addCollectiveKernels(KernelTable &table) {
  table.add({"c10d.all_gather_into_tensor",
             "c10d.all_gather_into_tensor_coalesced",
             "c10d.all_gather_into_tensor_out"},
            [](Call &call) {
              return exchange(call, [&](const Tensor &input) {
                return FailureOr<Tensor>(gather(input, getGroupSize(call)));
              });
            });
  table.add({"c10d.reduce_scatter_tensor",
             "c10d.reduce_scatter_tensor_coalesced",
             "c10d.reduce_scatter_tensor_out"},
            [](Call &call) {
              return exchange(call, [&](const Tensor &input) {
                return reduceScatter(call, input, getGroupSize(call));
              });
            });
  table.add({"c10d.all_reduce", "c10d.all_reduce_coalesced"}, [](Call &call) {
    return exchange(call, [&](const Tensor &input) {
      return reduceEqual(call, input, getGroupSize(call));
    });
  });
  table.add("c10d.broadcast", [](Call &call) {
    return exchange(call, [](const Tensor &input) {
      return FailureOr<Tensor>(input.clone());
    });
  });
  table.add("c10d.all_to_all_single", [](Call &call) {
    return exchange(
        call, [&](const Tensor &input) { return exchangeParts(call, input); });
  });
  table.add({"c10d.wait_tensor", "c10d.wait_tensors"}, [](Call &call) {
    return exchange(
        call, [](const Tensor &input) { return FailureOr<Tensor>(input); });
  });
}
