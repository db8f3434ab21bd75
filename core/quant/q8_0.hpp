// Layout of q8_0 blocks. Fields are little-endian and packed in this order.
#pragma once

#include <cstdint>

namespace weft {

/// 32 elements in 34 bytes, 8.5 bits each: y[i] = d * qs[i]. -128 is a legal code.
struct BlockQ8_0 {
  static constexpr int elements = 32;
  std::uint16_t d;     ///< f16 scale
  std::int8_t qs[32];  ///< codes
};
static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) <= 2, "the layout has no padding");

}  // namespace weft
