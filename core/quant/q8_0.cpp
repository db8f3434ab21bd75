// Decoder of q8_0; core/quant/q8_0.hpp has the layout.
#include "core/quant/q8_0.hpp"

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ8_0>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(b.qs[i]);
}

}  // namespace

BlockFormat q8_0_format() { return {DType::q8_0, {{0}}, 1, decode}; }

}  // namespace weft
