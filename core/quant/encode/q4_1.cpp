// Encoder of q4_1.
#include "core/quant/q4_1.hpp"

#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/codes.hpp"

namespace weft {

void encode_q4_1(const float* x, std::byte* block) {
  std::array<float, BlockQ4_1::elements> weight{};
  importances({x, weight.size()}, weight.data());
  const AffineFit fit = fit_affine({x, weight.size()}, weight.data(), 15, OffsetRange::any);
  BlockQ4_1 b;
  b.d = f32_to_f16(fit.scale);
  b.m = f32_to_f16(fit.offset);
  pack_nibbles(codes_of(x, inverse_of(f16_to_f32(b.d)), f16_to_f32(b.m), 15), b.qs);
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
