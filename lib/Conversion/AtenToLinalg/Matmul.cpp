// Products of matrices, each one generic over rows, columns and the summed
// dimension. Floats are multiplied and summed in f32 (f64 in f64), as tensor
// cores and libraries do, and rounded once after all else has been added.
#include "Nest.h"

using namespace mlir;
using namespace mlir::titan;

// Sums over the last of \p count loops of the product of \p a, read at
// \p aLoops, and \p b, read at \p bLoops.
static Value multiply(Lowering &l, ArrayRef<OpFoldResult> sizes, Value a,
                      ArrayRef<unsigned> aLoops, Value b,
                      ArrayRef<unsigned> bLoops) {
  Type compute = getComputeType(l.resultElementType());
  Nest nest(l, sizes);
  nest.read(a, aLoops);
  nest.read(b, bLoops);
  return nest.fold(
      firstLoops(sizes.size() - 1), compute,
      [](Formula &f) { return f.integer(0); },
      [](Formula &f, Value total, ValueRange in) {
        return f.add(total, f.mul(in[0], in[1]));
      });
}

// Of matrices, or of batches of them.
static Value multiplyMatrices(Lowering &l, Value a, Value b) {
  SmallVector<OpFoldResult> sizes = l.sizesOf(a);
  unsigned rank = sizes.size();
  OpFoldResult inner = sizes.back();
  sizes.back() = l.sizesOf(b).back();
  sizes.push_back(inner);
  SmallVector<unsigned> aLoops = firstLoops(rank - 1), bLoops;
  bLoops = firstLoops(rank - 2);
  aLoops.push_back(rank);
  bLoops.append({rank, rank - 1});
  return multiply(l, sizes, a, aLoops, b, bLoops);
}

static Value multiplyByVector(Lowering &l, Value matrix, Value vector) {
  return multiply(l, l.sizesOf(matrix), matrix, {0, 1}, vector, {1});
}

static Lowered finish(Lowering &l, Value product) {
  return SmallVector<Value>{l.castElements(product, l.resultElementType())};
}

// beta * self + alpha * product. A beta of zero reads nothing of self, not even
// a NaN.
static Lowered addTo(Lowering &l, Value product) {
  double alpha = l.call().getNumber("alpha").value_or(1);
  double beta = l.call().getNumber("beta").value_or(1);
  Type element = l.resultElementType();
  Type wide = isa<FloatType>(element) ? Type(l.builder().getF64Type())
                                      : getComputeType(element);
  SmallVector<Operand> operands = {product};
  if (beta != 0)
    operands.push_back(l.operand("self"));
  auto scale = [&](Formula &f, Value value, double factor) {
    if (factor == 1)
      return value;
    bool isDouble = element.isF64() || !f.isFloat();
    return f.mul(value, f.number(isDouble ? factor : float(factor)));
  };
  return SmallVector<Value>{
      l.map(operands, wide, element, [&](Formula &f, ValueRange in) {
        Value value = scale(f, in[0], alpha);
        return in.size() > 1 ? f.add(value, scale(f, in[1], beta)) : value;
      })};
}

// input times the transpose of weight, for all leading dimensions.
static Lowered lowerLinear(Lowering &l) {
  Value input = l.tensor("input"), weight = l.tensor("weight");
  SmallVector<OpFoldResult> sizes = l.sizesOf(input);
  unsigned rank = sizes.size();
  OpFoldResult inner = sizes.back();
  sizes.back() = l.sizesOf(weight).front();
  sizes.push_back(inner);
  SmallVector<unsigned> loops = firstLoops(rank - 1);
  loops.push_back(rank);
  Value product = multiply(l, sizes, input, loops, weight, {rank - 1, rank});
  Value bias = l.tensor("bias");
  if (!bias)
    return finish(l, product);
  Nest nest(l, product);
  nest.read(product);
  nest.read(bias, {rank - 1});
  return SmallVector<Value>{
      nest.map(getComputeType(l.resultElementType()), l.resultElementType(),
               [](Formula &f, ValueRange in) { return f.add(in[0], in[1]); })};
}

static std::function<bool(Operation *)> hasRanks(StringRef a, int64_t rankA,
                                                 StringRef b, int64_t rankB) {
  return [=](Operation *op) {
    RankedTensorType left = getTensorType(op, a), right = getTensorType(op, b);
    Type element = getElementTypeOrSelf(op->getResult(0));
    return left && right && left.getRank() == rankA &&
           right.getRank() == rankB && !element.isInteger(1);
  };
}

void titan::addMatmulLowerings(LoweringTable &table) {
  auto ofMatrices = [](StringRef a, StringRef b, bool adds) {
    return [=](Lowering &l) {
      Value product = multiplyMatrices(l, l.tensor(a), l.tensor(b));
      return adds ? addTo(l, product) : finish(l, product);
    };
  };
  table.add({"aten.mm"}, ofMatrices("self", "mat2", false),
            hasRanks("self", 2, "mat2", 2));
  table.add({"aten.bmm"}, ofMatrices("self", "mat2", false),
            hasRanks("self", 3, "mat2", 3));
  table.add({"aten.addmm"}, ofMatrices("mat1", "mat2", true),
            hasRanks("mat1", 2, "mat2", 2));
  table.add({"aten.baddbmm"}, ofMatrices("batch1", "batch2", true),
            hasRanks("batch1", 3, "batch2", 3));
  table.add(
      {"aten.mv"},
      [](Lowering &l) {
        return finish(l,
                      multiplyByVector(l, l.tensor("self"), l.tensor("vec")));
      },
      hasRanks("self", 2, "vec", 1));
  table.add(
      {"aten.addmv"},
      [](Lowering &l) {
        return addTo(l, multiplyByVector(l, l.tensor("mat"), l.tensor("vec")));
      },
      hasRanks("mat", 2, "vec", 1));
  table.add(
      {"aten.dot"},
      [](Lowering &l) {
        Value self = l.tensor("self");
        return finish(l, multiply(l, l.sizesOf(self), self, {0},
                                  l.tensor("tensor"), {0}));
      },
      hasRanks("self", 1, "tensor", 1));
  table.add({"aten.linear"}, lowerLinear, [](Operation *op) {
    RankedTensorType input = getTensorType(op, "input");
    RankedTensorType weight = getTensorType(op, "weight");
    return input && weight && input.getRank() >= 1 && weight.getRank() == 2 &&
           isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  });
}
