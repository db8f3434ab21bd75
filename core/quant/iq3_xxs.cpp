// Decoder of iq3_xxs. 256 elements; a sub-block of 32: eight grid indices, and 4 x 7 sign bits and a 4-bit scale.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 98 bytes, little-endian, packed in this order.
struct BlockIQ3_XXS {
  std::uint16_t d;  ///< f16 scale
  std::uint8_t qs[64];
  std::uint16_t signs[16];  ///< pairs: 28 sign bits, scale
};
static_assert(sizeof(BlockIQ3_XXS) == 98, "the layout has no padding");

float element(unsigned code) { return code == 7 ? 62.0F : static_cast<float>(8 * code + 4); }

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ3_XXS>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 8; ++k) {
    const std::uint32_t high = b.signs[2 * k] | static_cast<std::uint32_t>(b.signs[2 * k + 1]) << 16;
    const float scale = d * (0.5F + static_cast<float>(high >> 28)) * 0.5F;
    for (int l = 0; l < 8; ++l) {
      const unsigned signs = iq_signs((high >> (7 * (l / 2))) & 127);
      const unsigned entry = iq3_xxs_grid[b.qs[8 * k + l]];
      for (unsigned j = 0; j < 4; ++j) {
        const float y = scale * element((entry >> (3 * j)) & 7);
        out[32 * k + 4 * l + static_cast<int>(j)] = ((signs >> (4 * (l % 2) + j)) & 1) != 0 ? -y : y;
      }
    }
  }
}

}  // namespace

BlockFormat iq3_xxs_format() { return {DType::iq3_xxs, {{0}}, 1, decode}; }

}  // namespace weft
