// Decoder of iq1_m. 256 elements; the f16 scale is in the top nibbles of the four scale words.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 56 bytes, little-endian, packed in this order.
struct BlockIQ1_M {
  std::uint8_t qs[32];
  std::uint8_t qh[16];      ///< nibbles: 3 high index bits, sign of delta
  std::uint16_t scales[4];  ///< 4 x 3-bit scales, a nibble of d
};
static_assert(sizeof(BlockIQ1_M) == 56, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ1_M>(block);
  unsigned bits = 0;
  for (int n = 0; n < 4; ++n) bits |= (b.scales[n] >> 12U) << (4 * n);
  const float d = f16_to_f32(static_cast<std::uint16_t>(bits));
  for (int k = 0; k < 32; ++k) {
    const unsigned high = (b.qh[k / 2] >> (4 * (k % 2))) & 15U;
    const unsigned s = (b.scales[k / 8] >> (3 * (k / 2 % 4))) & 7U;
    const unsigned index = b.qs[k] | (high & 7U) << 8;
    iq1_decode8(iq1_grid[index], (high & 8U) != 0 ? -0.125F : 0.125F, d * static_cast<float>(2 * s + 1), out + 8 * k);
  }
}

void set_scale(std::byte* block, float scale) {
  const unsigned d = f32_to_f16(scale);
  for (int n = 0; n < 4; ++n) {
    std::byte& high = block[49 + 2 * n];
    high = (high & std::byte{0x0F}) | static_cast<std::byte>(((d >> (4 * n)) & 15U) << 4);
  }
}

}  // namespace

BlockFormat iq1_m_format() { return {DType::iq1_m, {}, 0, decode, set_scale}; }

}  // namespace weft
