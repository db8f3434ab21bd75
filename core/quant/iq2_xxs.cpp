// Decoder of iq2_xxs. 256 elements; a sub-block of 32: four grid indices, then 4 x 7 sign bits and a 4-bit scale.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 66 bytes, little-endian, packed in this order.
struct BlockIQ2_XXS {
  std::uint16_t d;  ///< f16 scale
  std::uint16_t qs[32];
};
static_assert(sizeof(BlockIQ2_XXS) == 66, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ2_XXS>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 8; ++k) {
    const std::uint16_t* q = b.qs + 4 * k;
    const std::uint32_t high = q[2] | static_cast<std::uint32_t>(q[3]) << 16;
    const float scale = d * (0.5F + static_cast<float>(high >> 28)) * 0.25F;
    for (int l = 0; l < 4; ++l) {
      const unsigned index = (q[l / 2] >> (8 * (l % 2))) & 255U;
      iq2_decode8(iq2_xxs_grid[index], iq_signs((high >> (7 * l)) & 127), scale, out + 32 * k + 8 * l);
    }
  }
}

}  // namespace

BlockFormat iq2_xxs_format() { return {DType::iq2_xxs, {{0}}, 1, decode}; }

}  // namespace weft
