// Layout of q5_0 blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 32 elements in 22 bytes, 5.5 bits each: y[i] = d * (q - 16).
/// q of element i is a nibble of qs[i mod 16] (low for i < 16, high for i >= 16) plus 16 times bit i of qh.
struct BlockQ5_0 {
  static constexpr int elements = 32;
  std::uint16_t d;      ///< f16 scale
  std::uint8_t qh[4];   ///< bit 4 of the codes, a little-endian u32
  std::uint8_t qs[16];  ///< bits 0 to 3, two codes a byte
};
static_assert(sizeof(BlockQ5_0) == 22 && alignof(BlockQ5_0) <= 2, "the layout has no padding");

}  // namespace weft
