// A decoder written as FX text through a tape: every forward op is printed when
// it is called and leaves behind what prints its backward.
#include "SyntheticGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <functional>
#include <vector>

using namespace mlir::titan;
using llvm::formatv;
using llvm::StringRef;

namespace {

using Shape = std::vector<int64_t>;

/// A named value of the graph.
struct Tensor {
  std::string name;
  Shape shape;
  const char *dtype;
};

/// Prints ops, and their gradients in reverse.
class Tape {
public:
  Tensor argument(StringRef prefix, const Shape &shape, const char *dtype);
  /// Prints `torch.ops.NAME(ARGUMENTS)`; \p name is `aten.mm.default`.
  Tensor call(StringRef name, const std::string &arguments, Shape shape,
              const char *dtype);

  Tensor cast(const Tensor &x, const char *dtype);
  Tensor view(const Tensor &x, const Shape &shape);
  Tensor permute(const Tensor &x, const std::vector<int64_t> &order);
  Tensor add(const Tensor &x, const Tensor &y);
  Tensor mul(const Tensor &x, const Tensor &y);
  Tensor scale(const Tensor &x, double factor);
  Tensor silu(const Tensor &x);
  Tensor softmax(const Tensor &x);
  Tensor matmul(const Tensor &x, const Tensor &y);
  Tensor normalize(const Tensor &x);

  /// Prints the backward of \p output and returns the gradients of
  /// \p parameters.
  std::vector<Tensor> backward(const Tensor &output,
                               const std::vector<Tensor> &parameters);
  std::string finish(const std::vector<Tensor> &results);

private:
  Tensor unary(StringRef name, const Tensor &x) {
    return call(name, x.name, x.shape, x.dtype);
  }
  Tensor binary(StringRef name, const Tensor &x, const Tensor &y) {
    return call(name, x.name + ", " + y.name, x.shape, x.dtype);
  }
  Tensor product(const Tensor &x, const Tensor &y);
  Tensor transpose(const Tensor &x);
  void accumulate(const Tensor &x, const Tensor &grad);
  /// Registers what prints the backward of \p result, given its gradient.
  Tensor record(Tensor result, std::function<void(const Tensor &)> grad) {
    steps.push_back({result.name, std::move(grad)});
    return result;
  }

  struct Step {
    std::string result;
    std::function<void(const Tensor &)> backward;
  };
  llvm::StringMap<unsigned> counts;
  std::vector<Tensor> arguments;
  std::string body;
  std::vector<Step> steps;
  llvm::StringMap<Tensor> grads;
};

} // namespace

static std::string annotate(const Tensor &x) {
  return formatv(
      "{0}[{1}]", x.dtype,
      llvm::join(
          llvm::map_range(x.shape, [](int64_t d) { return std::to_string(d); }),
          ", "));
}

static std::string list(const std::vector<int64_t> &values) {
  return formatv("[{0:$[, ]}]", llvm::make_range(values.begin(), values.end()));
}

Tensor Tape::argument(StringRef prefix, const Shape &shape, const char *dtype) {
  Tensor result{formatv("{0}_{1}", prefix, ++counts[prefix]), shape, dtype};
  arguments.push_back(result);
  return result;
}

Tensor Tape::call(StringRef name, const std::string &args, Shape shape,
                  const char *dtype) {
  StringRef base = name.split('.').second.split('.').first;
  // PyTorch numbers even the first value that would hide a Python builtin.
  bool isBuiltin = base == "pow" || base == "sum";
  unsigned number = counts.try_emplace(base, isBuiltin).first->second++;
  Tensor result{number ? formatv("{0}_{1}", base, number).str() : base.str(),
                std::move(shape), dtype};
  body += formatv("        {0}: \"{1}\" = torch.ops.{2}({3})\n", result.name,
                  annotate(result), name, args);
  return result;
}

Tensor Tape::cast(const Tensor &x, const char *dtype) {
  auto convert = [this](const Tensor &x, StringRef dtype) {
    return call("prims.convert_element_type.default",
                formatv("{0}, torch.{1}", x.name,
                        dtype == "f32" ? "float32" : "bfloat16"),
                x.shape, dtype == "f32" ? "f32" : "bf16");
  };
  return record(convert(x, dtype), [=, this](const Tensor &grad) {
    accumulate(x, convert(grad, x.dtype));
  });
}

Tensor Tape::view(const Tensor &x, const Shape &shape) {
  auto reshape = [this](const Tensor &x, const Shape &shape) {
    return call("aten.view.default", x.name + ", " + list(shape), shape,
                x.dtype);
  };
  return record(reshape(x, shape), [=, this](const Tensor &grad) {
    accumulate(x, reshape(grad, x.shape));
  });
}

Tensor Tape::permute(const Tensor &x, const std::vector<int64_t> &order) {
  auto move = [this](const Tensor &x, const std::vector<int64_t> &order) {
    Shape shape;
    for (int64_t dim : order)
      shape.push_back(x.shape[dim]);
    Tensor moved = call("aten.permute.default", x.name + ", " + list(order),
                        shape, x.dtype);
    return call("aten.clone.default",
                moved.name + ", memory_format = torch.contiguous_format", shape,
                x.dtype);
  };
  std::vector<int64_t> inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  return record(move(x, order), [=, this](const Tensor &grad) {
    accumulate(x, move(grad, inverse));
  });
}

Tensor Tape::add(const Tensor &x, const Tensor &y) {
  return record(binary("aten.add.Tensor", x, y), [=, this](const Tensor &grad) {
    accumulate(x, grad);
    accumulate(y, grad);
  });
}

Tensor Tape::mul(const Tensor &x, const Tensor &y) {
  return record(binary("aten.mul.Tensor", x, y), [=, this](const Tensor &grad) {
    accumulate(x, binary("aten.mul.Tensor", grad, y));
    Tensor gradY = binary("aten.mul.Tensor", grad, x);
    if (y.shape.size() < x.shape.size())
      gradY =
          call("aten.sum.dim_IntList", gradY.name + ", [0]", y.shape, y.dtype);
    accumulate(y, gradY);
  });
}

Tensor Tape::scale(const Tensor &x, double factor) {
  auto times = [this, factor](const Tensor &x) {
    return call("aten.mul.Tensor", formatv("{0}, {1:f6}", x.name, factor),
                x.shape, x.dtype);
  };
  return record(times(x),
                [=, this](const Tensor &grad) { accumulate(x, times(grad)); });
}

Tensor Tape::silu(const Tensor &x) {
  Tensor gate = unary("aten.sigmoid.default", x);
  return record(binary("aten.mul.Tensor", x, gate), [=,
                                                     this](const Tensor &grad) {
    // d(x s) = s (1 + x (1 - s))
    Tensor rest = call("aten.rsub.Scalar", gate.name + ", 1", x.shape, x.dtype);
    Tensor slope =
        call("aten.add.Scalar", binary("aten.mul.Tensor", x, rest).name + ", 1",
             x.shape, x.dtype);
    slope = binary("aten.mul.Tensor", gate, slope);
    accumulate(x, binary("aten.mul.Tensor", grad, slope));
  });
}

Tensor Tape::softmax(const Tensor &x) {
  Tensor y =
      call("aten._softmax.default", x.name + ", -1, False", x.shape, x.dtype);
  return record(y, [=, this](const Tensor &grad) {
    accumulate(x,
               call("aten._softmax_backward_data.default",
                    formatv("{0}, {1}, -1, torch.bfloat16", grad.name, y.name),
                    x.shape, x.dtype));
  });
}

Tensor Tape::product(const Tensor &x, const Tensor &y) {
  Shape shape = x.shape;
  shape.back() = y.shape.back();
  return call(shape.size() == 3 ? "aten.bmm.default" : "aten.mm.default",
              x.name + ", " + y.name, shape, x.dtype);
}

Tensor Tape::transpose(const Tensor &x) {
  Shape shape = x.shape;
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return call("aten.permute.default",
              x.name + (shape.size() == 3 ? ", [0, 2, 1]" : ", [1, 0]"), shape,
              x.dtype);
}

Tensor Tape::matmul(const Tensor &x, const Tensor &y) {
  return record(product(x, y), [=, this](const Tensor &grad) {
    accumulate(x, product(grad, transpose(y)));
    accumulate(y, product(transpose(x), grad));
  });
}

Tensor Tape::normalize(const Tensor &x) {
  Shape column{x.shape[0], 1};
  auto mean = [this, column](const Tensor &x) {
    return call("aten.mean.dim", x.name + ", [-1], True", column, "f32");
  };
  Tensor square =
      call("aten.pow.Tensor_Scalar", x.name + ", 2", x.shape, x.dtype);
  Tensor shifted =
      call("aten.add.Scalar", mean(square).name + ", 1e-05", column, "f32");
  Tensor factor = unary("aten.rsqrt.default", shifted);
  Tensor y = binary("aten.mul.Tensor", x, factor);
  return record(y, [=, this](const Tensor &grad) {
    // d(x f) = f (g - y mean(g y))
    Tensor along =
        binary("aten.mul.Tensor", y, mean(binary("aten.mul.Tensor", grad, y)));
    Tensor across = binary("aten.sub.Tensor", grad, along);
    accumulate(x, binary("aten.mul.Tensor", across, factor));
  });
}

void Tape::accumulate(const Tensor &x, const Tensor &grad) {
  auto [entry, isNew] = grads.try_emplace(x.name, grad);
  if (!isNew)
    entry->second = binary("aten.add.Tensor", entry->second, grad);
}

std::vector<Tensor> Tape::backward(const Tensor &output,
                                   const std::vector<Tensor> &parameters) {
  grads[output.name] = argument("tangents", output.shape, output.dtype);
  for (const Step &step : llvm::reverse(steps))
    if (auto grad = grads.find(step.result); grad != grads.end()) {
      Tensor value = grad->second;
      step.backward(value);
    }
  std::vector<Tensor> results;
  for (const Tensor &parameter : parameters)
    results.push_back(grads.at(parameter.name));
  return results;
}

std::string Tape::finish(const std::vector<Tensor> &results) {
  std::string names, text = "class joint_fn(torch.nn.Module):\n"
                            "    def forward(self, primals, tangents):\n"
                            "        ";
  for (const Tensor &argument : arguments) {
    text += formatv("{0}: \"{1}\"; ", argument.name, annotate(argument));
    names += argument.name + ", ";
  }
  text += formatv("\n        {0}= fx_pytree.tree_flatten_spec([primals, "
                  "tangents], self._in_spec)\n",
                  names);
  text += body;
  text += "        return pytree.tree_unflatten([";
  llvm::interleave(
      results, [&](const Tensor &result) { text += result.name; },
      [&] { text += ", "; });
  return text + "], self._out_spec)\n";
}

std::string mlir::titan::makeSyntheticGraph(const SyntheticShape &shape) {
  Tape tape;
  std::vector<Tensor> parameters;
  auto linear = [&](const Tensor &x, int64_t width) {
    parameters.push_back(
        tape.argument("primals", {x.shape.back(), width}, "f32"));
    return tape.matmul(x, tape.cast(parameters.back(), "bf16"));
  };
  auto norm = [&](const Tensor &x) {
    parameters.push_back(tape.argument("primals", {shape.width}, "f32"));
    Tensor unit = tape.normalize(tape.cast(x, "f32"));
    return tape.cast(tape.mul(unit, parameters.back()), "bf16");
  };
  int64_t headWidth = shape.width / shape.heads;
  auto split = [&](const Tensor &x, const std::vector<int64_t> &order) {
    return tape.permute(tape.view(x, {shape.tokens, shape.heads, headWidth}),
                        order);
  };

  Tensor x = tape.argument("primals", {shape.tokens, shape.width}, "bf16");
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    Tensor y = norm(x);
    Tensor q = split(linear(y, shape.width), {1, 0, 2});
    Tensor k = split(linear(y, shape.width), {1, 2, 0});
    Tensor v = split(linear(y, shape.width), {1, 0, 2});
    Tensor scores =
        tape.softmax(tape.scale(tape.matmul(q, k), std::pow(headWidth, -0.5)));
    Tensor mixed = tape.permute(tape.matmul(scores, v), {1, 0, 2});
    x = tape.add(x, linear(tape.view(mixed, x.shape), shape.width));
    y = norm(x);
    for (int64_t expert = 0; expert < shape.experts; ++expert) {
      Tensor gate = tape.silu(linear(y, shape.hidden));
      Tensor up = linear(y, shape.hidden);
      x = tape.add(x, linear(tape.mul(gate, up), shape.width));
    }
  }
  Tensor output = norm(x);
  std::vector<Tensor> results{output};
  llvm::append_range(results, tape.backward(output, parameters));
  return tape.finish(results);
}
