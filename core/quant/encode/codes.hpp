// Packing of codes that several formats share.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/quant/encode/fit.hpp"

namespace weft {

/// Codes of 32 elements: nearest of 0 … highest to (x - offset) * inverse.
[[nodiscard]] inline std::array<std::uint8_t, 32> codes_of(const float* x, float inverse, float offset, int highest) {
  std::array<std::uint8_t, 32> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(nearest_code((x[i] - offset) * inverse, 0, static_cast<float>(highest)));
  }
  return codes;
}

/// Low 4 bits: elements 0 to 15 in the low halves of 16 bytes, 16 to 31 in the high ones.
inline void pack_nibbles(std::span<const std::uint8_t, 32> codes, std::uint8_t* qs) {
  for (std::size_t j = 0; j < 16; ++j) {
    qs[j] = static_cast<std::uint8_t>((codes[j] & 15) | ((codes[j + 16] & 15) << 4));
  }
}

/// Fifth bits: that of element i is bit i.
[[nodiscard]] inline std::uint32_t fifth_bits(std::span<const std::uint8_t, 32> codes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) bits |= static_cast<std::uint32_t>(codes[i] >> 4) << i;
  return bits;
}

}  // namespace weft
