// Decoder of tq1_0. 256 elements: y = d (trit - 1), five trits a byte of qs, four a byte of qh.
#include <array>

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 54 bytes, little-endian, packed in this order.
struct BlockTQ1_0 {
  std::uint8_t qs[48];
  std::uint8_t qh[4];
  std::uint16_t d;  ///< f16 scale
};
static_assert(sizeof(BlockTQ1_0) == 54, "the layout has no padding");

/// Digit n of a byte as a fraction in base 3, less 1.
float trit(unsigned byte, int n) {
  constexpr std::array<unsigned, 5> powers{1, 3, 9, 27, 81};
  const unsigned rest = byte * powers[static_cast<std::size_t>(n)] & 255U;
  return static_cast<float>(static_cast<int>(rest * 3 >> 8) - 1);
}

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockTQ1_0>(block);
  const float d = f16_to_f32(b.d);
  for (int i = 0; i < 160; ++i) out[i] = d * trit(b.qs[i % 32], i / 32);
  for (int i = 0; i < 80; ++i) out[160 + i] = d * trit(b.qs[32 + i % 16], i / 16);
  for (int i = 0; i < 16; ++i) out[240 + i] = d * trit(b.qh[i % 4], i / 4);
}

}  // namespace

BlockFormat tq1_0_format() { return {DType::tq1_0, {{52}}, 1, decode}; }

}  // namespace weft
