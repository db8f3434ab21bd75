// Encoder of q6_k: each sub-block of 16 fitted for codes of -32 … 31, scales rounded to 8 bits with a sign, and each
// element coded again under the rounded scale.
#include "core/quant/q6_k.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/fit.hpp"

namespace weft {
namespace {

constexpr std::size_t sub_block = 16;

std::array<float, 16> fitted_scales(const float* x) {
  std::array<float, 16> scales{};
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const std::span part(x + k * sub_block, sub_block);
    std::array<float, sub_block> weight{};
    importances(part, weight.data());
    scales[k] = fit_scale(part, weight.data(), 32);
  }
  return scales;
}

/// Stores the code of 0 … 63 of element i.
void put_code(BlockQ6_K& b, std::size_t i, unsigned code) {
  const std::size_t h = i / 128, g = i % 128 / 32, l = i % 32;
  std::uint8_t& low = b.ql[64 * h + 32 * (g % 2) + l];
  std::uint8_t& high = b.qh[32 * h + l];
  low = static_cast<std::uint8_t>(low | ((code & 15U) << (g < 2 ? 0U : 4U)));
  high = static_cast<std::uint8_t>(high | ((code >> 4U) << (2 * g)));
}

}  // namespace

void encode_q6_k(const float* x, std::byte* block) {
  const std::array<float, 16> scales = fitted_scales(x);
  const float extreme = *std::ranges::max_element(scales, {}, [](float s) { return std::abs(s); });
  BlockQ6_K b{};
  b.d = f32_to_f16(extreme / -128.0F);
  const float d = f16_to_f32(b.d);
  for (std::size_t k = 0; k < scales.size(); ++k) {
    b.scales[k] = static_cast<std::int8_t>(nearest_code(scales[k] * inverse_of(d), -128, 127));
    const float inverse = inverse_of(d * static_cast<float>(b.scales[k]));
    for (std::size_t i = k * sub_block; i < (k + 1) * sub_block; ++i) {
      put_code(b, i, static_cast<unsigned>(nearest_code(x[i] * inverse, -32, 31) + 32.0F));
    }
  }
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
