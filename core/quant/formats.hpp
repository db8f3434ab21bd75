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
[[nodiscard]] BlockFormat q2_k_format();
[[nodiscard]] BlockFormat q3_k_format();
[[nodiscard]] BlockFormat q8_k_format();
[[nodiscard]] BlockFormat iq4_nl_format();
[[nodiscard]] BlockFormat iq4_xs_format();
[[nodiscard]] BlockFormat tq2_0_format();
[[nodiscard]] BlockFormat tq1_0_format();
[[nodiscard]] BlockFormat mxfp4_format();
[[nodiscard]] BlockFormat nvfp4_format();
[[nodiscard]] BlockFormat iq2_xxs_format();
[[nodiscard]] BlockFormat iq2_xs_format();
[[nodiscard]] BlockFormat iq2_s_format();
[[nodiscard]] BlockFormat iq3_xxs_format();
[[nodiscard]] BlockFormat iq3_s_format();
[[nodiscard]] BlockFormat iq1_s_format();
[[nodiscard]] BlockFormat iq1_m_format();

}  // namespace weft
