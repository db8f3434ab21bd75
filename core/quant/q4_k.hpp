// Layout of q4_k blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 256 elements in 144 bytes, 4.5 bits each. Sub-block k = i div 32 of 8 has a 6-bit scale and a 6-bit minimum:
///   y[i] = (d * sc[k]) * q - dmin * mn[k].
/// q of element i is a nibble of qs[32 * (i div 64) + i mod 32]: low for even k, high for odd k.
struct BlockQ4_K {
  static constexpr int elements = 256;
  std::uint16_t d;          ///< f16 scale of the scales
  std::uint16_t dmin;       ///< f16 scale of the minima
  std::uint8_t scales[12];  ///< 8 scales and 8 minima of 6 bits: k_scale()
  std::uint8_t qs[128];     ///< two 4-bit codes a byte
};
static_assert(sizeof(BlockQ4_K) == 144 && alignof(BlockQ4_K) <= 2, "the layout has no padding");

}  // namespace weft
