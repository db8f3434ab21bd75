// Layout of q5_1 blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 32 elements in 24 bytes, 6 bits each: y[i] = d * q + m.
/// q of element i is a nibble of qs[i mod 16] (low for i < 16, high for i >= 16) plus 16 times bit i of qh.
struct BlockQ5_1 {
  static constexpr int elements = 32;
  std::uint16_t d;      ///< f16 scale
  std::uint16_t m;      ///< f16 minimum
  std::uint8_t qh[4];   ///< bit 4 of the codes, a little-endian u32
  std::uint8_t qs[16];  ///< bits 0 to 3, two codes a byte
};
static_assert(sizeof(BlockQ5_1) == 24 && alignof(BlockQ5_1) <= 2, "the layout has no padding");

}  // namespace weft
