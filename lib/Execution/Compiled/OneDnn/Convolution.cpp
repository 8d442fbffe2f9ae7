// Each convolution chooses the layouts it is fastest with; tensors are brought
// there and back. oneDNN keeps the code of convolutions it has seen.
#include "Convolution.h"

#include <dnnl.hpp>

#include <unordered_map>

using namespace mlir::titan;
using dnnl::memory;

namespace {

/// What oneDNN is told of a convolution.
struct Description {
  memory::desc input, weight, output, bias;
  memory::dims stride, dilation, before, behind;

  /// In no layout yet.
  memory::desc inAny(const memory::desc &plain) const {
    return {plain.dims(), memory::data_type::f32, memory::format_tag::any};
  }
};

/// A tensor of the caller's, and oneDNN's own copy where layouts differ.
class Operand {
public:
  Operand(const dnnl::engine &engine, const memory::desc &plain,
          const float *data)
      : engine(engine), given(plain, engine, const_cast<float *>(data)) {}

  memory bring(dnnl::stream &stream, const memory::desc &wanted) {
    if (wanted == given.get_desc())
      return given;
    memory copy(wanted, engine);
    dnnl::reorder(given, copy).execute(stream, given, copy);
    return copy;
  }
  memory place(const memory::desc &wanted) {
    return wanted == given.get_desc() ? given : memory(wanted, engine);
  }
  void takeBack(dnnl::stream &stream, memory &result) {
    if (result.get_desc() != given.get_desc())
      dnnl::reorder(result, given).execute(stream, result, given);
  }

private:
  const dnnl::engine &engine;
  memory given;
};

} // namespace

static memory::format_tag getPlainTag(size_t rank) {
  switch (rank) {
  case 3:
    return memory::format_tag::abc;
  case 4:
    return memory::format_tag::abcd;
  case 5:
    return memory::format_tag::abcde;
  case 6:
    return memory::format_tag::abcdef;
  default:
    return memory::format_tag::undef;
  }
}

static memory::desc getPlain(const memory::dims &dims) {
  return {dims, memory::data_type::f32, getPlainTag(dims.size())};
}

static Description describe(const ConvolutionSizes &sizes) {
  Description result;
  memory::dims weight = sizes.weight;
  if (sizes.groups > 1) {
    weight[0] /= sizes.groups;
    weight.insert(weight.begin(), sizes.groups);
  }
  result.input = getPlain(sizes.input);
  result.weight = getPlain(weight);
  result.output = getPlain(sizes.output);
  result.bias = {
      {sizes.weight[0]}, memory::data_type::f32, memory::format_tag::a};
  result.stride = sizes.stride;
  for (size_t i = 0; i < sizes.stride.size(); ++i) {
    // oneDNN counts what a dilation leaves out, and wants both paddings.
    result.dilation.push_back(sizes.dilation[i] - 1);
    result.before.push_back(sizes.padding[i]);
    int64_t reach = (sizes.weight[i + 2] - 1) * sizes.dilation[i] + 1;
    result.behind.push_back((sizes.output[i + 2] - 1) * sizes.stride[i] +
                            reach - sizes.input[i + 2] - sizes.padding[i]);
  }
  return result;
}

static dnnl::convolution_forward::primitive_desc
describeForward(const Description &d, const dnnl::engine &engine,
                bool hasBias) {
  constexpr auto kKind = dnnl::prop_kind::forward_training;
  constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
  if (hasBias)
    return {{kKind, kAlgorithm, d.inAny(d.input), d.inAny(d.weight), d.bias,
             d.inAny(d.output), d.stride, d.dilation, d.before, d.behind},
            engine};
  return {{kKind, kAlgorithm, d.inAny(d.input), d.inAny(d.weight),
           d.inAny(d.output), d.stride, d.dilation, d.before, d.behind},
          engine};
}

// Runs \p body; false where oneDNN refuses.
template <typename Body>
static bool attempt(const ConvolutionSizes &sizes, Body body) {
  try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    body(describe(sizes), engine, stream);
    stream.wait();
    return true;
  } catch (const dnnl::error &) {
    return false;
  }
}

bool mlir::titan::convolve(const ConvolutionSizes &sizes, const float *input,
                           const float *weight, const float *bias,
                           float *output) {
  return attempt(sizes, [&](const Description &d, const dnnl::engine &engine,
                            dnnl::stream &stream) {
    auto chosen = describeForward(d, engine, bias != nullptr);
    Operand from(engine, d.input, input), by(engine, d.weight, weight);
    Operand to(engine, d.output, output);
    memory result = to.place(chosen.dst_desc());
    std::unordered_map<int, memory> arguments = {
        {DNNL_ARG_SRC, from.bring(stream, chosen.src_desc())},
        {DNNL_ARG_WEIGHTS, by.bring(stream, chosen.weights_desc())},
        {DNNL_ARG_DST, result}};
    if (bias)
      arguments.insert(
          {DNNL_ARG_BIAS, memory(d.bias, engine, const_cast<float *>(bias))});
    dnnl::convolution_forward(chosen).execute(stream, arguments);
    to.takeBack(stream, result);
  });
}

bool mlir::titan::convolveBackwardInput(const ConvolutionSizes &sizes,
                                        const float *grad, const float *weight,
                                        float *gradInput) {
  return attempt(sizes, [&](const Description &d, const dnnl::engine &engine,
                            dnnl::stream &stream) {
    dnnl::convolution_backward_data::primitive_desc chosen(
        {dnnl::algorithm::convolution_direct, d.inAny(d.input),
         d.inAny(d.weight), d.inAny(d.output), d.stride, d.dilation, d.before,
         d.behind},
        engine, describeForward(d, engine, /*hasBias=*/false));
    Operand from(engine, d.output, grad), by(engine, d.weight, weight);
    Operand to(engine, d.input, gradInput);
    memory result = to.place(chosen.diff_src_desc());
    dnnl::convolution_backward_data(chosen).execute(
        stream,
        {{DNNL_ARG_DIFF_DST, from.bring(stream, chosen.diff_dst_desc())},
         {DNNL_ARG_WEIGHTS, by.bring(stream, chosen.weights_desc())},
         {DNNL_ARG_DIFF_SRC, result}});
    to.takeBack(stream, result);
  });
}

bool mlir::titan::convolveBackwardWeight(const ConvolutionSizes &sizes,
                                         const float *grad, const float *input,
                                         float *gradWeight) {
  return attempt(sizes, [&](const Description &d, const dnnl::engine &engine,
                            dnnl::stream &stream) {
    dnnl::convolution_backward_weights::primitive_desc chosen(
        {dnnl::algorithm::convolution_direct, d.inAny(d.input),
         d.inAny(d.weight), d.inAny(d.output), d.stride, d.dilation, d.before,
         d.behind},
        engine, describeForward(d, engine, /*hasBias=*/false));
    Operand from(engine, d.output, grad), by(engine, d.input, input);
    Operand to(engine, d.weight, gradWeight);
    memory result = to.place(chosen.diff_weights_desc());
    dnnl::convolution_backward_weights(chosen).execute(
        stream,
        {{DNNL_ARG_DIFF_DST, from.bring(stream, chosen.diff_dst_desc())},
         {DNNL_ARG_SRC, by.bring(stream, chosen.src_desc())},
         {DNNL_ARG_DIFF_WEIGHTS, result}});
    to.takeBack(stream, result);
  });
}
