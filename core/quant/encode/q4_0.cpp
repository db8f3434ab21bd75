// Encoder of q4_0.
#include "core/quant/q4_0.hpp"

#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/codes.hpp"

namespace weft {

void encode_q4_0(const float* x, std::byte* block) {
  std::array<float, BlockQ4_0::elements> weight{};
  importances({x, weight.size()}, weight.data());
  BlockQ4_0 b;
  b.d = f32_to_f16(fit_scale({x, weight.size()}, weight.data(), 8));
  const float d = f16_to_f32(b.d);
  pack_nibbles(codes_of(x, inverse_of(d), -8.0F * d, 15), b.qs);
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
