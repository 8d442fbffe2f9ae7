#include "titan/Execution/Random.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace mlir::titan;

using Words = std::array<uint32_t, 4>;

// The known answers of the generator's authors (Random123, kat_vectors).
TEST_CASE("Philox4x32-10 gives the known answers", "[random]") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) ==
        Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream lies where the layout says", "[random]") {
  RandomStream stream({0x299f31d0a4093822, 0x0370734413198a2e});
  CHECK(stream.getBits(0x85a308d3243f6a88) == 0xd16cfe09);
  CHECK(stream.getLongBits(0x85a308d3243f6a88) == 0x94fdccebd16cfe09);
}

TEST_CASE("numbers have the distribution they should", "[random]") {
  RandomStream stream({7, 3});
  constexpr int kCount = 20000;
  double sum = 0, normal = 0, square = 0;
  for (int i = 0; i < kCount; ++i) {
    double uniform = stream.getUniform(i), z = stream.getNormal(i);
    REQUIRE((uniform >= 0 && uniform < 1));
    sum += uniform;
    normal += z;
    square += z * z;
  }
  // Five deviations of the mean: 5 * sqrt(1 / 12 / 20000) and 5 / sqrt(20000).
  CHECK(std::abs(sum / kCount - 0.5) < 0.0103);
  CHECK(std::abs(normal / kCount) < 0.036);
  CHECK(std::abs(square / kCount - 1) < 0.05);
}
