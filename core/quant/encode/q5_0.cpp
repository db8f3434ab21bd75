// Encoder of q5_0.
#include "core/quant/q5_0.hpp"

#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/codes.hpp"

namespace weft {

void encode_q5_0(const float* x, std::byte* block) {
  std::array<float, BlockQ5_0::elements> weight{};
  importances({x, weight.size()}, weight.data());
  BlockQ5_0 b;
  b.d = f32_to_f16(fit_scale({x, weight.size()}, weight.data(), 16));
  const float d = f16_to_f32(b.d);
  const auto codes = codes_of(x, inverse_of(d), -16.0F * d, 31);
  const std::uint32_t bits = fifth_bits(codes);
  std::memcpy(b.qh, &bits, sizeof bits);
  pack_nibbles(codes, b.qs);
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
