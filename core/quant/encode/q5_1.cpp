// Encoder of q5_1.
#include "core/quant/q5_1.hpp"

#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/codes.hpp"

namespace weft {

void encode_q5_1(const float* x, std::byte* block) {
  std::array<float, BlockQ5_1::elements> weight{};
  importances({x, weight.size()}, weight.data());
  const AffineFit fit = fit_affine({x, weight.size()}, weight.data(), 31, OffsetRange::any);
  BlockQ5_1 b;
  b.d = f32_to_f16(fit.scale);
  b.m = f32_to_f16(fit.offset);
  const auto codes = codes_of(x, inverse_of(f16_to_f32(b.d)), f16_to_f32(b.m), 31);
  const std::uint32_t bits = fifth_bits(codes);
  std::memcpy(b.qh, &bits, sizeof bits);
  pack_nibbles(codes, b.qs);
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
