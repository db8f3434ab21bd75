// Layout of q6_k blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 256 elements in 210 bytes, 6.5625 bits each. Sub-blocks of 16 have a signed 8-bit scale:
///   y[i] = (d * scales[i div 16]) * (q - 32).
/// With h = i div 128, g = i mod 128 div 32 and l = i mod 32: bits 0 to 3 of q are a nibble of ql[64 h + 32 (g mod 2) +
/// l] (low for g < 2, high for g >= 2), bits 4 and 5 are bits 2g and 2g + 1 of qh[32 h + l].
struct BlockQ6_K {
  static constexpr int elements = 256;
  std::uint8_t ql[128];    ///< bits 0 to 3, two codes a byte
  std::uint8_t qh[64];     ///< bits 4 and 5, four codes a byte
  std::int8_t scales[16];  ///< of sub-blocks
  std::uint16_t d;         ///< f16 scale of the scales
};
static_assert(sizeof(BlockQ6_K) == 210 && alignof(BlockQ6_K) <= 2, "the layout has no padding");

}  // namespace weft
