// What q4_k and q5_k share: scales and minima of eight sub-blocks, fitted and rounded to 6 bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace weft {

/// y[i] = (d * sc[k]) * code - dmin * mn[k] for sub-block k = i div 32, as k_scale.hpp unpacks sc and mn.
struct KCodes {
  std::uint16_t d = 0;     ///< f16
  std::uint16_t dmin = 0;  ///< f16
  std::array<std::uint8_t, 12> scales{};
  std::array<std::uint8_t, 256> codes{};
};

/// Fits each sub-block for codes of 0 … highest, rounds scales and minima to 63 steps of the largest one, and takes the
/// nearest code under the rounded ones.
[[nodiscard]] KCodes k_codes(std::span<const float, 256> x, int highest);

}  // namespace weft
