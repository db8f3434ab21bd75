// Rounding of numbers to the types that weights are stored in.
#pragma once

#include <cstddef>
#include <span>

#include "core/dtype.hpp"

namespace weft {

/// Types that numbers can be rounded to: f32, f16, bf16, and the block formats that have an encoder.
[[nodiscard]] std::span<const DType> encodable_types();
[[nodiscard]] bool can_encode(DType type);

/// Rounds a row to an encodable type; values.size() is a multiple of its block, `row` has room for all blocks.
/// f16 and bf16 round to nearest even. Block formats choose scales (and minima) by a search that minimises the squared
/// error of each block, weighted by `importances` (fit.hpp), and then take the nearest code for each element. The
/// result depends on the values alone. Values must be finite; those that a format's f16 scale can't reach decode to Inf
/// or NaN.
void encode_weights(DType type, std::span<const float> values, std::byte* row);

}  // namespace weft
