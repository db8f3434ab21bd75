// Philox4x32-10, a counter-based random number generator: the n-th draw of a seed is a pure function of both.
#pragma once

#include <array>
#include <cstdint>

namespace weft::models {

/// Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011); ten rounds.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// Draw number `index` of stream `seed`: a multiple of 2^-53 in [0, 1).
[[nodiscard]] double uniform(std::uint64_t seed, std::uint64_t index);

}  // namespace weft::models
