// Decoder of iq2_s. 256 elements; eight of them: a 10-bit grid index and 8 signs; a 4-bit scale for 16.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 82 bytes, little-endian, packed in this order.
struct BlockIQ2_S {
  std::uint16_t d;  ///< f16 scale
  std::uint8_t qs[32];
  std::uint8_t signs[32];
  std::uint8_t qh[8];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ2_S>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 32; ++k) {
    const int s = (b.scales[k / 4] >> (4 * (k / 2 % 2))) & 15;
    const float scale = d * (0.5F + static_cast<float>(s)) * 0.25F;
    const unsigned index = b.qs[k] | ((b.qh[k / 4] >> (2 * (k % 4))) & 3U) << 8;
    iq2_decode8(iq2_s_grid[index], b.signs[k], scale, out + 8 * k);
  }
}

}  // namespace

BlockFormat iq2_s_format() { return {DType::iq2_s, {{0}}, 1, decode}; }

}  // namespace weft
