// Decoder of iq4_xs. 256 elements: y = d (S - 32) values[q], 6-bit S a sub-block of 32.
#include <array>

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 136 bytes, little-endian, packed in this order.
struct BlockIQ4_XS {
  std::uint16_t d;  ///< f16 scale
  std::uint16_t scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136, "the layout has no padding");

constexpr std::array<float, 16> values{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ4_XS>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 256; ++i) {
    const int k = i / 32;
    const int s = ((b.scales_l[k / 2] >> (4 * (k % 2))) & 15) | ((b.scales_h >> (2 * k)) & 3) << 4;
    out[i] = d * static_cast<float>(s - 32) * values[(b.qs[16 * k + i % 16] >> (4 * (i % 32 / 16))) & 15];
  }
}

}  // namespace

BlockFormat iq4_xs_format() { return {DType::iq4_xs, {{0}}, 1, decode}; }

}  // namespace weft
