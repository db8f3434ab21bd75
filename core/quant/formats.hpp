// Each format's entry of the table in block_format.cpp, made beside its decoder.
#pragma once

#include "core/quant/block_format.hpp"

namespace weft {

[[nodiscard]] BlockFormat f32_format();
[[nodiscard]] BlockFormat f16_format();
[[nodiscard]] BlockFormat bf16_format();
[[nodiscard]] BlockFormat q4_0_format();
[[nodiscard]] BlockFormat q4_1_format();
[[nodiscard]] BlockFormat q5_0_format();
[[nodiscard]] BlockFormat q5_1_format();
[[nodiscard]] BlockFormat q8_0_format();
[[nodiscard]] BlockFormat q4_k_format();
[[nodiscard]] BlockFormat q5_k_format();
[[nodiscard]] BlockFormat q6_k_format();

}  // namespace weft
