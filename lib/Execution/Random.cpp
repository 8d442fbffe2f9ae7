#include "titan/Execution/Random.h"

#include <cmath>
#include <numbers>

using namespace mlir::titan;

std::array<uint32_t, 4> mlir::titan::philox4x32(std::array<uint32_t, 4> counter,
                                                std::array<uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::array<uint32_t, 4> RandomStream::getWords(uint64_t element) const {
  return philox4x32({static_cast<uint32_t>(element),
                     static_cast<uint32_t>(element >> 32),
                     static_cast<uint32_t>(state.offset),
                     static_cast<uint32_t>(state.offset >> 32)},
                    {static_cast<uint32_t>(state.seed),
                     static_cast<uint32_t>(state.seed >> 32)});
}

uint64_t RandomStream::getLongBits(uint64_t element) const {
  std::array<uint32_t, 4> words = getWords(element);
  return (static_cast<uint64_t>(words[1]) << 32) | words[0];
}

double RandomStream::getUniform(uint64_t element) const {
  return (getBits(element) >> 8) * 0x1p-24;
}

double RandomStream::getNormal(uint64_t element) const {
  std::array<uint32_t, 4> words = getWords(element);
  // In (0, 1], so that the logarithm is finite.
  double radius = std::sqrt(-2 * std::log((words[0] + 1.0) * 0x1p-32));
  return radius * std::cos(2 * std::numbers::pi * (words[1] * 0x1p-32));
}
