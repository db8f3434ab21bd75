// Layout of q4_0 blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 32 elements in 18 bytes, 4.5 bits each: y[i] = d * (q - 8).
/// q of element i is a nibble of qs[i mod 16]: the low one for i < 16, the high one for i >= 16.
struct BlockQ4_0 {
  static constexpr int elements = 32;
  std::uint16_t d;      ///< f16 scale
  std::uint8_t qs[16];  ///< two 4-bit codes a byte
};
static_assert(sizeof(BlockQ4_0) == 18 && alignof(BlockQ4_0) <= 2, "the layout has no padding");

}  // namespace weft
