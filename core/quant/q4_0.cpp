// Decoder of q4_0; core/quant/q4_0.hpp has the layout.
#include "core/quant/q4_0.hpp"

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ4_0>(block);
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 16; ++j) {
    out[j] = d * static_cast<float>((b.qs[j] & 15) - 8);
    out[j + 16] = d * static_cast<float>((b.qs[j] >> 4) - 8);
  }
}

}  // namespace

BlockFormat q4_0_format() { return {DType::q4_0, {{0}}, 1, decode}; }

}  // namespace weft
