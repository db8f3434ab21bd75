// Decoder of tq2_0. 256 elements: y = d (q - 1), codes as in q2_k.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 66 bytes, little-endian, packed in this order.
struct BlockTQ2_0 {
  std::uint8_t qs[64];
  std::uint16_t d;  ///< f16 scale
};
static_assert(sizeof(BlockTQ2_0) == 66, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockTQ2_0>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 256; ++i) {
    out[i] = d * static_cast<float>(((b.qs[32 * (i / 128) + i % 32] >> (2 * (i / 32 % 4))) & 3) - 1);
  }
}

}  // namespace

BlockFormat tq2_0_format() { return {DType::tq2_0, {{64}}, 1, decode}; }

}  // namespace weft
