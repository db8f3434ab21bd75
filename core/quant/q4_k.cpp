// Decoder of q4_k; core/quant/q4_k.hpp has the layout.
#include "core/quant/q4_k.hpp"

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/k_scale.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ4_K>(block);
  const float d = f16_to_f32(b.d);
  const float dmin = f16_to_f32(b.dmin);
  for (int k = 0; k < 8; ++k) {
    const KScale s = k_scale(b.scales, k);
    const float scale = d * static_cast<float>(s.scale);
    const float minimum = dmin * static_cast<float>(s.minimum);
    const std::uint8_t* qs = b.qs + 32 * (k / 2);
    const int shift = 4 * (k % 2);
    for (int l = 0; l < 32; ++l) out[32 * k + l] = scale * static_cast<float>((qs[l] >> shift) & 15) - minimum;
  }
}

}  // namespace

BlockFormat q4_k_format() { return {DType::q4_k, {{0, 2}}, 2, decode}; }

}  // namespace weft
