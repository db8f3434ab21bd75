// Decoder of q3_k. 256 elements: y = d (S - 32) (q - 4), bit 2 of q in hmask, 6-bit S.
#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 110 bytes, little-endian, packed in this order.
struct BlockQ3_K {
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  std::uint16_t d;  ///< f16 scale
};
static_assert(sizeof(BlockQ3_K) == 110, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ3_K>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 256; ++i) {
    const int low = (b.qs[32 * (i / 128) + i % 32] >> (2 * (i / 32 % 4))) & 3;
    const int q = low + 4 * ((b.hmask[i % 32] >> (i / 32)) & 1) - 4;
    const int k = i / 16;
    const int s = ((b.scales[k % 8] >> (4 * (k / 8))) & 15) | ((b.scales[8 + k % 4] >> (2 * (k / 4))) & 3) << 4;
    out[i] = d * static_cast<float>(s - 32) * static_cast<float>(q);
  }
}

}  // namespace

BlockFormat q3_k_format() { return {DType::q3_k, {{108}}, 1, decode}; }

}  // namespace weft
