// Decoder of q4_1; core/quant/q4_1.hpp has the layout.
#include "core/quant/q4_1.hpp"

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ4_1>(block);
  const float d = f16_to_f32(b.d);
  const float m = f16_to_f32(b.m);
  for (int j = 0; j < 16; ++j) {
    out[j] = d * static_cast<float>(b.qs[j] & 15) + m;
    out[j + 16] = d * static_cast<float>(b.qs[j] >> 4) + m;
  }
}

}  // namespace

BlockFormat q4_1_format() { return {DType::q4_1, {{0, 2}}, 2, decode}; }

}  // namespace weft
