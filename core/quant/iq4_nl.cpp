// Decoder of iq4_nl. 32 elements: y = d values[q], nibbles as in q4_0.
#include <array>

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 18 bytes, little-endian, packed in this order.
struct BlockIQ4_NL {
  std::uint16_t d;  ///< f16 scale
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18, "the layout has no padding");

constexpr std::array<float, 16> values{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockIQ4_NL>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 32; ++i) out[i] = d * values[(b.qs[i % 16] >> (4 * (i / 16))) & 15];
}

}  // namespace

BlockFormat iq4_nl_format() { return {DType::iq4_nl, {{0}}, 1, decode}; }

}  // namespace weft
