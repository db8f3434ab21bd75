// Random rows of valid quantised blocks, for tests and conformance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dtype.hpp"

namespace weft {

/// Random numbers from a fixed recipe: the same seed gives the same bytes with every library.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  /// SplitMix64: Steele, Lea and Flood, 2014.
  [[nodiscard]] std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  [[nodiscard]] double uniform();  ///< in [0, 1)
  [[nodiscard]] double normal();   ///< mean 0, deviation 1, magnitude below 6

 private:
  std::uint64_t state_;
};

/// Fills whole blocks of a quantised type: random bytes, with the f16 fields replaced by numbers that give decoded
/// values a standard deviation of about `scale`.
void fill_random_blocks(DType type, SeededRandom& random, float scale, std::span<std::byte> blocks);

}  // namespace weft
