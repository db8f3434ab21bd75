// Decoder of iq3_s. 256 elements; four of them: a 9-bit grid index and 4 signs; a 4-bit scale for 32.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

/// 110 bytes, little-endian, packed in this order.
struct BlockIQ3_S {
  std::uint16_t d;  ///< f16 scale
  std::uint8_t qs[64];
  std::uint8_t qh[8];
  std::uint8_t signs[32];
  std::uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110, "the layout has no padding");

float element(unsigned code) { return static_cast<float>(2 * code + 1); }

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ3_S>(block);
  const float d = f16_to_f32(b.d);
  for (int k = 0; k < 8; ++k) {
    const int s = (b.scales[k / 2] >> (4 * (k % 2))) & 15;
    const float scale = d * static_cast<float>(1 + 2 * s);
    for (int l = 0; l < 8; ++l) {
      const unsigned signs = b.signs[4 * k + l / 2];
      const unsigned entry = iq3_s_grid[b.qs[8 * k + l] | ((b.qh[k] >> l) & 1U) << 8];
      for (unsigned j = 0; j < 4; ++j) {
        const float y = scale * element((entry >> (3 * j)) & 7);
        out[32 * k + 4 * l + static_cast<int>(j)] = ((signs >> (4 * (l % 2) + j)) & 1) != 0 ? -y : y;
      }
    }
  }
}

}  // namespace

BlockFormat iq3_s_format() { return {DType::iq3_s, {{0}}, 1, decode}; }

}  // namespace weft
