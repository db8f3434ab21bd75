// Layout of q4_1 blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 32 elements in 20 bytes, 5 bits each: y[i] = d * q + m.
/// q of element i is a nibble of qs[i mod 16]: the low one for i < 16, the high one for i >= 16.
struct BlockQ4_1 {
  static constexpr int elements = 32;
  std::uint16_t d;      ///< f16 scale
  std::uint16_t m;      ///< f16 minimum
  std::uint8_t qs[16];  ///< two 4-bit codes a byte
};
static_assert(sizeof(BlockQ4_1) == 20 && alignof(BlockQ4_1) <= 2, "the layout has no padding");

}  // namespace weft
