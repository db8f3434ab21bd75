// Decoder of q5_1; core/quant/q5_1.hpp has the layout.
#include "core/quant/q5_1.hpp"

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

int bit(const std::uint8_t* bytes, int i) { return (bytes[i / 8] >> (i % 8)) & 1; }

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ5_1>(block);
  const float d = f16_to_f32(b.d);
  const float m = f16_to_f32(b.m);
  for (int j = 0; j < 16; ++j) {
    const int low = (b.qs[j] & 15) | (bit(b.qh, j) << 4);
    const int high = (b.qs[j] >> 4) | (bit(b.qh, j + 16) << 4);
    out[j] = d * static_cast<float>(low) + m;
    out[j + 16] = d * static_cast<float>(high) + m;
  }
}

}  // namespace

BlockFormat q5_1_format() { return {DType::q5_1, {{0, 2}}, 2, decode}; }

}  // namespace weft
