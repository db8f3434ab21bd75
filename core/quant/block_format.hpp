// How elements are packed: one BlockFormat a type, found by DType; rows are decoded through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dtype.hpp"

namespace weft {

/// One storage format. `decode` turns one block into block_elements floats, bit-exactly as the format's definition.
struct BlockFormat {
  DType type = DType::none;
  /// Byte offsets of the block's f16 fields (scales, minima); `half_count` of them are used. Test data is made from
  /// random bytes with these fields replaced by ordinary numbers.
  std::array<std::uint8_t, 2> half_offsets{};
  std::uint8_t half_count = 0;
  void (*decode)(const std::byte* block, float* out) = nullptr;
  /// Where the scale is no f16 field: writes the nearest that the format has into a block, for test data.
  void (*set_scale)(std::byte* block, float scale) = nullptr;
};

/// The format of a float or quantised type. Must not be asked for i32, state or none.
[[nodiscard]] const BlockFormat& block_format(DType type);

/// Decodes a row; out.size() must be a multiple of the block.
void decode_row(DType type, const std::byte* row, std::span<float> out);

}  // namespace weft
