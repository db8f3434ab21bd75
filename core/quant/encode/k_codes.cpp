// Fit, round, and code again under the rounded scales.
#include "core/quant/encode/k_codes.hpp"

#include <algorithm>

#include "core/half.hpp"
#include "core/quant/encode/codes.hpp"
#include "core/quant/k_scale.hpp"

namespace weft {
namespace {

constexpr std::size_t sub_blocks = 8;
constexpr std::size_t sub_block = 32;
constexpr float most = 63.0F;  // of 6 bits

std::uint8_t six_bits(float value, float unit) {
  return static_cast<std::uint8_t>(nearest_code(value * inverse_of(unit), 0, most));
}

/// The inverse of k_scale().
void put_k_scale(std::uint8_t* c, std::size_t k, KScale s) {
  if (k < 4) {
    c[k] = static_cast<std::uint8_t>(c[k] | s.scale);
    c[k + 4] = static_cast<std::uint8_t>(c[k + 4] | s.minimum);
    return;
  }
  c[k + 4] = static_cast<std::uint8_t>((s.scale & 15) | ((s.minimum & 15) << 4));
  c[k - 4] = static_cast<std::uint8_t>(c[k - 4] | ((s.scale >> 4) << 6));
  c[k] = static_cast<std::uint8_t>(c[k] | ((s.minimum >> 4) << 6));
}

}  // namespace

KCodes k_codes(std::span<const float, 256> x, int highest) {
  std::array<AffineFit, sub_blocks> fits{};
  float largest_scale = 0, largest_minimum = 0;
  for (std::size_t k = 0; k < sub_blocks; ++k) {
    const auto part = x.subspan(k * sub_block, sub_block);
    std::array<float, sub_block> weight{};
    importances(part, weight.data());
    fits[k] = fit_affine(part, weight.data(), highest, OffsetRange::at_most_zero);
    largest_scale = std::max(largest_scale, fits[k].scale);
    largest_minimum = std::max(largest_minimum, -fits[k].offset);
  }
  KCodes out;
  out.d = f32_to_f16(largest_scale / most);
  out.dmin = f32_to_f16(largest_minimum / most);
  const float d = f16_to_f32(out.d);
  const float dmin = f16_to_f32(out.dmin);
  for (std::size_t k = 0; k < sub_blocks; ++k) {
    const KScale s{six_bits(fits[k].scale, d), six_bits(-fits[k].offset, dmin)};
    put_k_scale(out.scales.data(), k, s);
    const float inverse = inverse_of(d * static_cast<float>(s.scale));
    const auto codes = codes_of(&x[k * sub_block], inverse, -dmin * static_cast<float>(s.minimum), highest);
    std::ranges::copy(codes, out.codes.begin() + static_cast<std::ptrdiff_t>(k * sub_block));
  }
  return out;
}

}  // namespace weft
