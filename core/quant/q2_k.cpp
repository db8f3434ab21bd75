// Decoder of q2_k. 256 elements: y = d (s & 15) q - dmin (s >> 4), s = scales[i div 16].
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 84 bytes, little-endian, packed in this order.
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  std::uint16_t d;     ///< f16 scale
  std::uint16_t dmin;  ///< f16 scale of minima
};
static_assert(sizeof(BlockQ2_K) == 84, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ2_K>(block);
  const float d = f16_to_f32(b.d);
  const float dmin = f16_to_f32(b.dmin);
  for (int i = 0; i < 256; ++i) {
    const int q = (b.qs[32 * (i / 128) + i % 32] >> (2 * (i / 32 % 4))) & 3;
    const int s = b.scales[i / 16];
    const float scale = d * static_cast<float>(s & 15);
    const float minimum = dmin * static_cast<float>(s >> 4);
    out[i] = scale * static_cast<float>(q) - minimum;
  }
}

}  // namespace

BlockFormat q2_k_format() { return {DType::q2_k, {{80, 82}}, 2, decode}; }

}  // namespace weft
