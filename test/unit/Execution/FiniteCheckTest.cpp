#include "titan/Execution/FiniteCheck.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mlir::titan;

static constexpr double kInf = INFINITY, kNan = NAN;

static SpecialNumbers find(DType dtype, const std::vector<double> &values) {
  return findSpecialNumbers(
      Tensor::make(dtype, {static_cast<int64_t>(values.size())}, values));
}

TEST_CASE("NaNs and infinities are counted apart", "[finite]") {
  for (DType dtype : {DType::F32, DType::F64, DType::BF16, DType::F16}) {
    INFO(getName(dtype).str());
    SpecialNumbers found = find(dtype, {1, -kInf, kNan, 0, kInf, kNan, kNan});
    CHECK(found.nans == 3);
    CHECK(found.infinities == 2);
    CHECK(found.firstNan == 2);
    CHECK(found.firstInfinity == 1);
  }
  CHECK(find(DType::I64, {1, 2}).nans == 0);
}

TEST_CASE("positions are those of the tensor, not of memory", "[finite]") {
  Tensor tensor =
      Tensor::make(DType::F32, {2, 2}, std::vector<double>{0, kNan, 0, 0});
  CHECK(findSpecialNumbers(tensor).firstNan == 1);
  CHECK(findSpecialNumbers(tensor.transpose(0, 1)).firstNan == 2);
}

TEST_CASE("a complex number is one number", "[finite]") {
  using Complex = std::complex<double>;
  SpecialNumbers found = findSpecialNumbers(Tensor::make(
      DType::C128, {4},
      std::vector<Complex>{{0, 1}, {kInf, kInf}, {kInf, kNan}, {0, -kInf}}));
  CHECK(found.nans == 1);
  CHECK(found.firstNan == 2);
  CHECK(found.infinities == 2);
  CHECK(found.firstInfinity == 1);
}
