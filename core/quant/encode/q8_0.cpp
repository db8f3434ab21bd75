// Encoder of q8_0: with 256 codes the plain scale max|x| / 127 leaves a search nothing to win. Codes are taken against
// the scale as it is stored.
#include "core/quant/q8_0.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/fit.hpp"

namespace weft {

void encode_q8_0(const float* x, std::byte* block) {
  float largest = 0;
  for (int i = 0; i < BlockQ8_0::elements; ++i) largest = std::max(largest, std::abs(x[i]));
  BlockQ8_0 b;
  b.d = f32_to_f16(largest / 127.0F);
  const float inverse = inverse_of(f16_to_f32(b.d));
  for (int i = 0; i < BlockQ8_0::elements; ++i) {
    b.qs[i] = static_cast<std::int8_t>(nearest_code(x[i] * inverse, -127, 127));
  }
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
