// mm, bmm and the forms with an addend. f32 as it is; bf16 and f16 through f32,
// which holds their products exactly, with one rounding at the end.
#include "Gemm.h"
#include "LibraryKernels.h"

using namespace mlir;
using namespace mlir::titan;

static bool isFloatOf32BitsOrLess(DType dtype) {
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

// The tensor in f32, with contiguous rows or columns.
static Tensor prepare(const Tensor &tensor) {
  Tensor wide = tensor.to(DType::F32);
  return getMatrix(wide) ? wide : wide.contiguous();
}

// The elements between two matrices of a batch that lie evenly apart; none if
// they do not.
static std::optional<int64_t> getBatchStride(const Tensor &tensor) {
  int64_t rank = tensor.getRank();
  if (rank == 2)
    return 0;
  return rank == 3 ? std::optional<int64_t>(tensor.getStrides()[0])
                   : std::nullopt;
}

// alpha a b, plus beta times what \p result holds, in f32.
static bool multiplyBatch(const Tensor &left, const Tensor &right, float alpha,
                          float beta, Tensor &result) {
  Tensor a = prepare(left), b = prepare(right);
  std::optional<int64_t> aStride = getBatchStride(a),
                         bStride = getBatchStride(b);
  if (!aStride || !bStride || a.getRank() != b.getRank() ||
      a.getDim(-1) != b.getDim(-2) ||
      (a.getRank() == 3 && a.getDim(0) != b.getDim(0)))
    return false;
  int64_t batch = a.getRank() == 3 ? a.getDim(0) : 1;
  int64_t rows = a.getDim(-2), columns = b.getDim(-1);
  auto *out = reinterpret_cast<float *>(result.getData());
  for (int64_t i = 0; i < batch; ++i)
    multiply(*getMatrix(a, i * *aStride), *getMatrix(b, i * *bStride), alpha,
             beta, out + i * rows * columns, columns);
  return true;
}

static bool areKnown(Call &call, std::initializer_list<StringRef> names) {
  return llvm::all_of(names, [&](StringRef name) {
    return call.get(name).getIf<Tensor>() &&
           isFloatOf32BitsOrLess(call.get(name).getIf<Tensor>()->getDType());
  });
}

static Shape getProductShape(const Tensor &a, const Tensor &b) {
  Shape shape(a.getShape());
  shape.back() = b.getShape().back();
  return shape;
}

static PartialKernel makeProduct(StringRef second) {
  return [second](Call &call) -> std::optional<LogicalResult> {
    if (!areKnown(call, {"self", second}))
      return std::nullopt;
    Tensor a = call.tensor("self"), b = call.tensor(second);
    if (a.getRank() < 2 || b.getRank() < 2)
      return std::nullopt;
    Tensor result =
        Tensor::makeUninitialized(DType::F32, getProductShape(a, b));
    if (!multiplyBatch(a, b, 1, 0, result))
      return std::nullopt;
    return call.set(0, result);
  };
}

// beta * self + alpha * (a b). A beta of zero reads nothing of self.
static PartialKernel makeSum(StringRef first, StringRef second) {
  return [=](Call &call) -> std::optional<LogicalResult> {
    if (!areKnown(call, {"self", first, second}))
      return std::nullopt;
    Tensor a = call.tensor(first), b = call.tensor(second);
    if (a.getRank() < 2 || b.getRank() < 2)
      return std::nullopt;
    Shape shape = getProductShape(a, b);
    Tensor self = call.tensor("self");
    if (!self.isBroadcastableTo(shape))
      return std::nullopt;
    float beta = call.scalar("beta", 1);
    Tensor result = Tensor::makeUninitialized(DType::F32, shape);
    if (beta != 0)
      result.assign(self.to(DType::F32).expand(shape));
    if (!multiplyBatch(a, b, call.scalar("alpha", 1), beta, result))
      return std::nullopt;
    return call.set(0, result);
  };
}

// input weight^T + bias, over all leading dimensions at once.
static std::optional<LogicalResult> computeLinear(Call &call) {
  if (!areKnown(call, {"input", "weight"}))
    return std::nullopt;
  Tensor input = call.tensor("input"), weight = call.tensor("weight");
  if (input.getRank() < 1 || weight.getRank() != 2)
    return std::nullopt;
  Shape shape(input.getShape());
  int64_t width = shape.back();
  int64_t rows = width == 0 ? 0 : input.getNumElements() / width;
  shape.back() = weight.getDim(0);
  Tensor flat = input.reshape({rows, width});
  Tensor result =
      Tensor::makeUninitialized(DType::F32, {rows, weight.getDim(0)});
  float beta = 0;
  if (call.has("bias")) {
    beta = 1;
    result.assign(call.tensor("bias").to(DType::F32).expand(result.getShape()));
  }
  if (!multiplyBatch(flat, weight.transpose(0, 1), 1, beta, result))
    return std::nullopt;
  return call.set(0, result.reshape(shape));
}

void titan::addLibraryProducts(KernelTable &table) {
  addInFront(table, "aten.mm", makeProduct("mat2"));
  addInFront(table, "aten.bmm", makeProduct("mat2"));
  addInFront(table, "aten.addmm", makeSum("mat1", "mat2"));
  addInFront(table, "aten.baddbmm", makeSum("batch1", "batch2"));
  addInFront(table, "aten.linear", computeLinear);
}
