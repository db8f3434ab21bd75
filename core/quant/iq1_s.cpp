// Decoder of iq1_s. 256 elements; a sub-block of 32: 4 x 3 high index bits, a 3-bit scale and the sign of delta.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 50 bytes, little-endian, packed in this order.
struct BlockIQ1_S {
  std::uint16_t d;  ///< f16 scale
  std::uint8_t qs[32];
  std::uint16_t qh[8];
};
static_assert(sizeof(BlockIQ1_S) == 50, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ1_S>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 8; ++k) {
    const unsigned high = b.qh[k];
    const float scale = d * static_cast<float>(2 * ((high >> 12) & 7) + 1);
    const float delta = (high & 0x8000U) != 0 ? -0.125F : 0.125F;
    for (int l = 0; l < 4; ++l) {
      const unsigned index = b.qs[4 * k + l] | ((high >> (3 * l)) & 7) << 8;
      iq1_decode8(iq1_grid[index], delta, scale, out + 32 * k + 8 * l);
    }
  }
}

}  // namespace

BlockFormat iq1_s_format() { return {DType::iq1_s, {{0}}, 1, decode}; }

}  // namespace weft
