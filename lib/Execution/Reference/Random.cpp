// Ops that draw random numbers. Each takes one offset of the program's
// generator; element i of its result has the numbers of that offset's stream
// at i (Random.h), so the bits do not depend on anything else.
#include "titan/Execution/Kernel.h"

#include "titan/Execution/Interpreter.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

using Values = std::vector<double>;

static Shape getShapeArgument(Call &call) {
  if (call.has("size"))
    return call.integers("size");
  return Shape(call.tensor("self").getShape());
}

// One number an element, made by \p draw from the stream and the element.
template <typename Draw>
static LogicalResult fillRandomly(Call &call, RandomStream stream, Draw draw) {
  Shape shape = getShapeArgument(call);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return call.fail("a size is negative");
  std::vector<decltype(draw(stream, uint64_t()))> values(countElements(shape));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = draw(stream, i);
  return call.set(0, shape, values);
}

static RandomStream takeStream(Call &call) {
  return RandomStream(call.getInterpreter().takeRandomState());
}

static double drawUniform(const RandomStream &stream, uint64_t i) {
  return stream.getUniform(i);
}
static double drawNormal(const RandomStream &stream, uint64_t i) {
  return stream.getNormal(i);
}

static LogicalResult drawIntegers(Call &call, RandomStream stream) {
  int64_t low = call.integer("low"), high = call.integer("high");
  if (low >= high)
    return call.fail("there is no integer from " + Twine(low) + " to " +
                     Twine(high));
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return fillRandomly(call, stream, [=](const RandomStream &bits, uint64_t i) {
    return low + static_cast<int64_t>(bits.getLongBits(i) % span);
  });
}

static LogicalResult computeBernoulli(Call &call) {
  RandomStream stream = takeStream(call);
  Tensor self = call.tensor("self");
  Values chances = call.has("p")
                       ? Values(self.getNumElements(), call.number("p"))
                       : self.getValues<double>();
  for (size_t i = 0; i < chances.size(); ++i)
    chances[i] = stream.getUniform(i) < chances[i];
  return call.set(0, self.getShape(), chances);
}

// Elements are kept with the chance 1 - p, and grow by as much.
static LogicalResult computeDropout(Call &call) {
  Tensor input = call.tensor("input");
  double p = call.number("p");
  bool trains = call.flag("train", true);
  Values values = input.getValues<double>();
  std::vector<int64_t> mask(values.size(), 1);
  if (trains) {
    RandomStream stream = takeStream(call);
    double scale = p == 1 ? 0 : 1 / (1 - p);
    for (size_t i = 0; i < values.size(); ++i) {
      mask[i] = stream.getUniform(i) >= p;
      values[i] = mask[i] ? values[i] * scale : 0;
    }
  }
  if (failed(call.set(0, input.getShape(), values)))
    return failure();
  return call.set(1, input.getShape(), mask);
}

static LogicalResult computeExponential(Call &call) {
  double rate = call.number("lambd", 1);
  return fillRandomly(call, takeStream(call),
                      [=](const RandomStream &stream, uint64_t i) {
                        return -std::log1p(-stream.getUniform(i)) / rate;
                      });
}

// Negative elements shrink by a random slope, which is handed on.
static LogicalResult computeRrelu(Call &call) {
  Tensor self = call.tensor("self");
  double low = call.number("lower", 0.125),
         high = call.number("upper", 1.0 / 3);
  Values values = self.getValues<double>();
  Values noise = call.tensor("noise").getValues<double>();
  noise.resize(values.size());
  bool trains = call.flag("training");
  RandomStream stream = takeStream(call);
  for (size_t i = 0; i < values.size(); ++i) {
    double slope =
        trains ? low + (high - low) * stream.getUniform(i) : (low + high) / 2;
    if (trains)
      noise[i] = values[i] <= 0 ? slope : 1;
    values[i] *= values[i] <= 0 ? slope : 1;
  }
  if (failed(call.set(0, self.getShape(), values)))
    return failure();
  return call.set(1, self.getShape(), noise);
}

//===----------------------------------------------------------------------===//
// Seeds as tensors
//===----------------------------------------------------------------------===//

static LogicalResult computeSeeds(Call &call) {
  int64_t count = std::max<int64_t>(call.integer("count", 1), 0);
  RandomStream stream = takeStream(call);
  std::vector<int64_t> seeds(count);
  for (auto [i, seed] : llvm::enumerate(seeds))
    seed = static_cast<int64_t>(stream.getLongBits(i));
  Shape shape;
  if (call.has("count"))
    shape.push_back(count);
  return call.set(0, shape, seeds);
}

static LogicalResult computeLookupSeed(Call &call) {
  Tensor seeds = call.tensor("seeds");
  FailureOr<int64_t> index =
      call.wrapIndex(call.integer("index"), seeds.getNumElements());
  if (failed(index))
    return failure();
  return call.set(0, seeds.reshape({seeds.getNumElements()}).select(0, *index));
}

static RandomStream getSeededStream(Call &call) {
  return RandomStream({static_cast<uint64_t>(call.integer("seed")), 0});
}

static LogicalResult computeSeededNumbers(Call &call) {
  return fillRandomly(call, getSeededStream(call),
                      call.text("mode") == "randn" ? drawNormal : drawUniform);
}

void titan::addRandomKernels(KernelTable &table) {
  table.add({"aten.rand", "aten.rand_like"}, [](Call &call) {
    return fillRandomly(call, takeStream(call), drawUniform);
  });
  table.add({"aten.randn", "aten.randn_like"}, [](Call &call) {
    return fillRandomly(call, takeStream(call), drawNormal);
  });
  table.add("aten.randint",
            [](Call &call) { return drawIntegers(call, takeStream(call)); });
  table.add("aten.bernoulli", computeBernoulli);
  table.add("aten.native_dropout", computeDropout);
  table.add("aten.exponential", computeExponential);
  table.add("aten.rrelu_with_noise_functional", computeRrelu);
  table.add({"prims.inductor_seeds", "prims.inductor_seed"}, computeSeeds);
  table.add("prims.inductor_lookup_seed", computeLookupSeed);
  table.add("prims.inductor_random", computeSeededNumbers);
  table.add("prims.inductor_randint", [](Call &call) {
    return drawIntegers(call, getSeededStream(call));
  });
}
