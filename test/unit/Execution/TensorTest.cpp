#include "titan/Execution/Tensor.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace mlir::titan;

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;

// 0, 1, 2, ... in \p shape.
static Tensor makeCount(llvm::ArrayRef<int64_t> shape) {
  Integers values(countElements(shape));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(i);
  return Tensor::make(DType::I64, shape, values);
}

TEST_CASE("views read the elements they name", "[tensor]") {
  Tensor x = makeCount({2, 3});
  CHECK(x.transpose(0, 1).getValues<int64_t>() == Integers{0, 3, 1, 4, 2, 5});
  CHECK(x.select(1, 1).getValues<int64_t>() == Integers{1, 4});
  CHECK(x.slice(1, 0, 2, 2).getValues<int64_t>() == Integers{0, 2, 3, 5});
  CHECK(x.select(0, 1).expand({2, 3}).getValues<int64_t>() ==
        Integers{3, 4, 5, 3, 4, 5});
  CHECK(x.unsqueeze(-1).getShape() == llvm::ArrayRef<int64_t>{2, 3, 1});
  CHECK(x.asStrided({2, 2}, {1, 2}, 1).getValues<int64_t>() ==
        Integers{1, 3, 2, 4});
}

TEST_CASE("a view shares its storage, a reshape only where strides allow it",
          "[tensor]") {
  Tensor x = makeCount({2, 3});
  Tensor row = x.select(0, 1);
  row.assign(Tensor::scalar(DType::I64, int64_t(9)));
  CHECK(x.getValues<int64_t>() == Integers{0, 1, 2, 9, 9, 9});
  CHECK(x.reshape({3, 2}).getStorageId() == x.getStorageId());
  CHECK(x.transpose(0, 1).reshape({6}).getStorageId() != x.getStorageId());
  // Dimensions that lie evenly in memory join although others are permuted.
  Tensor y = makeCount({2, 3, 4}).permute({0, 2, 1});
  CHECK(y.reshape({2, 2, 2, 3}).getStorageId() == y.getStorageId());
  CHECK(y.reshape({8, 3}).getValues<int64_t>() == y.getValues<int64_t>());
}

TEST_CASE("a view outside of the storage is known as one", "[tensor]") {
  Tensor x = makeCount({2, 3});
  CHECK(x.isInStorage({2, 3}, {3, 1}, 0));
  CHECK(x.isInStorage({4}, {0}, 5));
  CHECK(x.isInStorage({0, 7}, {100, 100}, 0));
  CHECK_FALSE(x.isInStorage({2, 3}, {3, 1}, 1));
  CHECK_FALSE(x.isInStorage({2}, {std::numeric_limits<int64_t>::max()}, 0));
  CHECK_FALSE(x.isInStorage({1}, {1}, 6));
}

TEST_CASE("floats round to nearest even", "[tensor]") {
  // 1 + 2^-8 lies halfway between two numbers of 8 bits, 1 + 3 * 2^-8 too.
  CHECK(roundTo(DType::BF16, 1 + 0x1p-8) == 1);
  CHECK(roundTo(DType::BF16, 1 + 3 * 0x1p-8) == 1 + 0x1p-6);
  CHECK(roundTo(DType::F16, 1 + 0x1p-11) == 1);
  CHECK(roundTo(DType::F16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
  CHECK(roundTo(DType::F32, 1 + 0x1p-24) == 1);
  CHECK(roundTo(DType::F16, 65519) == 65504);
  CHECK(std::isinf(roundTo(DType::F16, 65520)));
  // The least subnormal, half of it, and a little more than half.
  CHECK(roundTo(DType::F16, 0x1p-24) == 0x1p-24);
  CHECK(roundTo(DType::F16, 0x1p-25) == 0);
  CHECK(roundTo(DType::F16, 0x1.8p-25) == 0x1p-24);
  CHECK(std::isnan(roundTo(DType::BF16, std::nan(""))));
  CHECK(roundTo(DType::F8E4M3, 448) == 448);
  CHECK(roundTo(DType::F8E5M2, 1.125) == 1);
}

TEST_CASE("every half converts to f32 and back", "[tensor]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (std::isnan(fromHalf(half)))
      continue;
    if (toHalf(fromHalf(half)) != half)
      FAIL("half " << bits << " does not come back");
  }
  SUCCEED();
}

TEST_CASE("conversions are those of PyTorch", "[tensor]") {
  Tensor x = Tensor::make(DType::F32, {4}, Doubles{-1.9, 0, 0.5, 300});
  CHECK(x.to(DType::I64).getValues<int64_t>() == Integers{-1, 0, 0, 300});
  CHECK(x.to(DType::Bool).getValues<int64_t>() == Integers{1, 0, 1, 1});
  CHECK(x.to(DType::U8).getValues<int64_t>() == Integers{255, 0, 0, 44});
  Tensor z = Tensor::make(DType::C64, {1},
                          std::vector<std::complex<double>>{{1.5, -2}});
  CHECK(z.to(DType::F32).getItem<double>() == 1.5);
}

TEST_CASE("types promote as torch.promote_types has it", "[tensor]") {
  CHECK(promote(DType::BF16, DType::F16) == DType::F32);
  CHECK(promote(DType::I64, DType::F16) == DType::F16);
  CHECK(promote(DType::U8, DType::I8) == DType::I16);
  CHECK(promote(DType::Bool, DType::U8) == DType::U8);
  CHECK(promote(DType::C64, DType::F64) == DType::C128);
}

TEST_CASE("bytes are seen as another type where strides allow it", "[tensor]") {
  Tensor tensor = Tensor::make(DType::I32, {2, 4},
                               std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  std::optional<Tensor> halves = tensor.viewAs(DType::I16);
  REQUIRE(halves);
  CHECK(halves->getShape() == llvm::ArrayRef<int64_t>({2, 8}));
  CHECK(halves->getStorageId() == tensor.getStorageId());
  CHECK(halves->slice(1, 0, 4, 2).getValues<int64_t>() ==
        std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  // From the third element on: a whole number of eight bytes.
  std::optional<Tensor> wide = tensor.slice(1, 2, 2).viewAs(DType::I64);
  REQUIRE(wide);
  CHECK(wide->getShape() == llvm::ArrayRef<int64_t>({2, 1}));
  CHECK(wide->getValues<int64_t>() ==
        std::vector<int64_t>{2 + (int64_t(3) << 32), 6 + (int64_t(7) << 32)});
  CHECK(tensor.transpose(0, 1).viewAs(DType::F32));
  // Beside a boundary, of an odd size, and not in order.
  CHECK(!tensor.slice(1, 1, 2).viewAs(DType::I64));
  CHECK(!tensor.slice(1, 0, 3).viewAs(DType::I64));
  CHECK(!tensor.transpose(0, 1).viewAs(DType::I16));
  CHECK(!Tensor(DType::F32, {}).viewAs(DType::F64));
}
