// Rounding of f32 rows to the types that a KV cache may have.
#pragma once

#include <cstddef>
#include <span>

#include "core/dtype.hpp"

namespace weft {

/// Rounds `values` to f32, f16, bf16 (to nearest even), q8_0 or q4_0 blocks; values.size() is a multiple of the block.
/// q8_0: d = max|x| / 127, q = round(x / d), halves away from zero, d stored as f16.
/// q4_0: d = m / -8 where m is the x of largest magnitude, q = min(15, trunc(x / d + 8.5)), d stored as f16.
void encode_row(DType type, std::span<const float> values, std::byte* row);

}  // namespace weft
