// Cells of recurrent networks.
#include "Product.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// x times the transpose of a weight, plus a bias: the gates of one operand.
static FailureOr<Values> getGates(Call &call, const Tensor &input,
                                  StringRef weightName, StringRef biasName,
                                  int64_t &size) {
  Tensor weight = call.tensor(weightName);
  if (input.getRank() != 2 || weight.getRank() != 2 ||
      input.getDim(1) != weight.getDim(1))
    return call.fail("'" + weightName + "' does not fit its operand");
  size = weight.getDim(0);
  int64_t batch = input.getDim(0);
  Values gates(batch * size);
  if (call.has(biasName)) {
    Tensor bias = call.tensor(biasName);
    if (!bias.isBroadcastableTo({batch, size}))
      return call.fail("'" + biasName + "' does not fit the gates");
    gates = bias.expand({batch, size}).getValues<double>();
  }
  addProduct(input.getValues<double>().data(),
             weight.transpose(0, 1).getValues<double>().data(), gates.data(),
             batch, input.getDim(1), size);
  return gates;
}

static LogicalResult computeLstmCell(Call &call) {
  std::vector<Tensor> states = call.tensors("hx");
  if (states.size() != 2)
    return call.fail("expected a hidden and a cell state");
  int64_t size = 0;
  auto input = getGates(call, call.tensor("input"), "w_ih", "b_ih", size);
  auto hidden = getGates(call, states[0], "w_hh", "b_hh", size);
  if (failed(input) || failed(hidden) || input->size() != hidden->size())
    return call.fail("the gates differ in size");
  int64_t width = size / 4, batch = states[1].getDim(0);
  Values cell = states[1].getValues<double>(), output(cell.size());
  if (static_cast<int64_t>(cell.size()) != batch * width)
    return call.fail("the cell state does not fit the gates");
  for (int64_t at = 0; at < batch * width; ++at) {
    auto gate = [&](int64_t which) {
      int64_t place = at / width * size + which * width + at % width;
      return (*input)[place] + (*hidden)[place];
    };
    cell[at] =
        sigmoid(gate(1)) * cell[at] + sigmoid(gate(0)) * std::tanh(gate(2));
    output[at] = sigmoid(gate(3)) * std::tanh(cell[at]);
  }
  if (failed(call.set(0, {batch, width}, output)))
    return failure();
  return call.set(1, {batch, width}, cell);
}

static LogicalResult computeGruCell(Call &call) {
  Tensor state = call.tensor("hx");
  int64_t size = 0;
  auto input = getGates(call, call.tensor("input"), "w_ih", "b_ih", size);
  auto hidden = getGates(call, state, "w_hh", "b_hh", size);
  if (failed(input) || failed(hidden) || input->size() != hidden->size())
    return call.fail("the gates differ in size");
  int64_t width = size / 3, batch = state.getDim(0);
  Values values = state.getValues<double>();
  if (static_cast<int64_t>(values.size()) != batch * width)
    return call.fail("the state does not fit the gates");
  for (int64_t at = 0; at < batch * width; ++at) {
    auto place = [&](int64_t which) {
      return at / width * size + which * width + at % width;
    };
    double reset = sigmoid((*input)[place(0)] + (*hidden)[place(0)]);
    double update = sigmoid((*input)[place(1)] + (*hidden)[place(1)]);
    double fresh = std::tanh((*input)[place(2)] + reset * (*hidden)[place(2)]);
    values[at] = (values[at] - fresh) * update + fresh;
  }
  return call.set(0, {batch, width}, values);
}

static Values getOptional(Call &call, StringRef name, size_t size) {
  if (!call.has(name))
    return Values(size);
  Values values = call.tensor(name).getValues<double>();
  return values.size() == size ? values : Values(size);
}

// The cell from finished gates; the activated gates are kept for the backward.
static LogicalResult computeFusedLstmCell(Call &call) {
  Tensor inputGates = call.tensor("input_gates"), state = call.tensor("cx");
  Values gates = inputGates.getValues<double>();
  Values hidden = call.tensor("hidden_gates").getValues<double>();
  int64_t batch = state.getDim(0), width = state.getDim(-1), size = 4 * width;
  if (static_cast<int64_t>(gates.size()) != batch * size ||
      hidden.size() != gates.size())
    return call.fail("the gates do not fit the state");
  Values inputBias = getOptional(call, "input_bias", size);
  Values hiddenBias = getOptional(call, "hidden_bias", size);
  Values cell = state.getValues<double>(), output(cell.size());
  for (int64_t at = 0; at < batch * width; ++at) {
    double activated[4];
    for (int64_t which = 0; which < 4; ++which) {
      int64_t column = which * width + at % width;
      int64_t place = at / width * size + column;
      double sum =
          gates[place] + hidden[place] + inputBias[column] + hiddenBias[column];
      gates[place] = activated[which] =
          which == 2 ? std::tanh(sum) : sigmoid(sum);
    }
    cell[at] = activated[1] * cell[at] + activated[0] * activated[2];
    output[at] = activated[3] * std::tanh(cell[at]);
  }
  if (failed(call.set(0, state.getShape(), output)) ||
      failed(call.set(1, state.getShape(), cell)))
    return failure();
  return call.set(2, inputGates.getShape(), gates);
}

static LogicalResult computeFusedLstmCellBackward(Call &call) {
  Tensor state = call.tensor("cx"), workspace = call.tensor("workspace");
  int64_t batch = state.getDim(0), width = state.getDim(-1), size = 4 * width;
  auto count = static_cast<size_t>(batch * width);
  Values gates = workspace.getValues<double>();
  Values before = state.getValues<double>();
  Values after = call.tensor("cy").getValues<double>();
  if (gates.size() != 4 * count || after.size() != count)
    return call.fail("the gates do not fit the state");
  Values gradOutput = getOptional(call, "grad_hy", count);
  Values gradAfter = getOptional(call, "grad_cy", count);
  Values gradGates(gates.size()), gradBefore(count), gradBias(size);
  for (size_t at = 0; at < count; ++at) {
    auto row = static_cast<int64_t>(at) / width;
    auto column = static_cast<int64_t>(at) % width;
    auto place = [&](int64_t which) {
      return row * size + which * width + column;
    };
    double in = gates[place(0)], forget = gates[place(1)],
           fresh = gates[place(2)], out = gates[place(3)];
    double t = std::tanh(after[at]);
    double grad = gradAfter[at] + gradOutput[at] * out * (1 - t * t);
    gradGates[place(0)] = grad * fresh * in * (1 - in);
    gradGates[place(1)] = grad * before[at] * forget * (1 - forget);
    gradGates[place(2)] = grad * in * (1 - fresh * fresh);
    gradGates[place(3)] = gradOutput[at] * t * out * (1 - out);
    gradBefore[at] = grad * forget;
    for (int64_t which = 0; which < 4; ++which)
      gradBias[which * width + column] += gradGates[place(which)];
  }
  if (failed(call.set(0, workspace.getShape(), gradGates)) ||
      failed(call.set(1, state.getShape(), gradBefore)))
    return failure();
  return call.flag("has_bias") ? call.set(2, {size}, gradBias) : success();
}

void titan::addRecurrentKernels(KernelTable &table) {
  table.add("aten.lstm_cell", computeLstmCell);
  table.add("aten.gru_cell", computeGruCell);
  table.add("aten._thnn_fused_lstm_cell", computeFusedLstmCell);
  table.add("aten._thnn_fused_lstm_cell_backward_impl",
            computeFusedLstmCellBackward);
}
