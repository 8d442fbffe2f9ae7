// Random numbers by position: any of them is computed from a seed and a place
// in the stream, so a mask can be drawn twice without being kept.
#ifndef TITAN_EXECUTION_RANDOM_H
#define TITAN_EXECUTION_RANDOM_H

#include <array>
#include <cstdint>

namespace mlir::titan {

/// Four words of the generator Philox4x32-10 (Salmon et al., "Parallel random
/// numbers: as easy as 1, 2, 3", 2011) for a counter and a key.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

/// Where a generator stands. Every op that draws random numbers takes one
/// offset and gives each of its elements a number of that offset's own stream.
struct RandomState {
  uint64_t seed = 0;
  uint64_t offset = 0;
  bool operator==(const RandomState &) const = default;
};

/// The stream of one offset. Element i has the words of the counter
/// (low i, high i, low offset, high offset) under the key (low seed, high
/// seed).
class RandomStream {
public:
  explicit RandomStream(RandomState state) : state(state) {}

  /// 32 random bits for \p element.
  uint32_t getBits(uint64_t element) const { return getWords(element)[0]; }
  /// 64 random bits.
  uint64_t getLongBits(uint64_t element) const;
  /// Uniform in [0, 1), a multiple of 2^-24.
  double getUniform(uint64_t element) const;
  /// Normal with mean 0 and deviation 1 (Box and Muller).
  double getNormal(uint64_t element) const;

private:
  std::array<uint32_t, 4> getWords(uint64_t element) const;

  RandomState state;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_RANDOM_H
