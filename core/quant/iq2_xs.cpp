// Decoder of iq2_xs. 256 elements; eight of them: a 9-bit grid index and 7 sign bits; a 4-bit scale for 16.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 74 bytes, little-endian, packed in this order.
struct BlockIQ2_XS {
  std::uint16_t d;  ///< f16 scale
  std::uint16_t qs[32];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ2_XS>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 32; ++k) {
    const int s = (b.scales[k / 4] >> (4 * (k / 2 % 2))) & 15;
    const float scale = d * (0.5F + static_cast<float>(s)) * 0.25F;
    iq2_decode8(iq2_xs_grid[b.qs[k] & 511U], iq_signs(b.qs[k] >> 9), scale, out + 8 * k);
  }
}

}  // namespace

BlockFormat iq2_xs_format() { return {DType::iq2_xs, {{0}}, 1, decode}; }

}  // namespace weft
