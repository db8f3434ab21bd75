// Blocks as signed 8-bit values with f32 scales of 16 elements: one form for the formats with tables, grids and odd
// scales, for backends that serve them all by one kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/dtype.hpp"

namespace weft {

/// One stored block as integers: element i is scales[i / 16] * values[i] + minima[i / 16], in f32 and in this order.
/// Only the first block_elements of the type are set.
struct ValueBlock {
  std::array<std::int8_t, 256> values{};
  std::array<float, 16> scales{};
  std::array<float, 16> minima{};  ///< 0 except for q2_k
};

/// Types that can be taken apart so; those of older formats have layouts of their own in every backend.
[[nodiscard]] constexpr bool is_value_type(DType type) {
  return type == DType::q2_k || type == DType::q3_k || (type >= DType::q8_k && type <= DType::nvfp4);
}

/// Takes a block apart without loss. Only for value types.
void read_value_block(DType type, const std::byte* block, ValueBlock& out);

}  // namespace weft
