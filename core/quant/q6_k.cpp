// Decoder of q6_k; core/quant/q6_k.hpp has the layout.
#include "core/quant/q6_k.hpp"

#include <array>

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ6_K>(block);
  const float d = f16_to_f32(b.d);
  for (int run = 0; run < 8; ++run) {  // 32 elements each
    const int half = run / 4;
    const int g = run % 4;
    const std::uint8_t* ql = b.ql + 64 * half + 32 * (g % 2);
    const std::uint8_t* qh = b.qh + 32 * half;
    const int shift = 4 * (g / 2);
    const std::array scales{d * static_cast<float>(b.scales[2 * run]), d * static_cast<float>(b.scales[2 * run + 1])};
    for (int l = 0; l < 32; ++l) {
      const int q = ((ql[l] >> shift) & 15) | (((qh[l] >> (2 * g)) & 3) << 4);
      out[32 * run + l] = scales[static_cast<std::size_t>(l / 16)] * static_cast<float>(q - 32);
    }
  }
}

}  // namespace

BlockFormat q6_k_format() { return {DType::q6_k, {{208}}, 1, decode}; }

}  // namespace weft
