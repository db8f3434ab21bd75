// Decoder of nvfp4. 64 elements: y = ue4m3(scales[i div 16]) / 2 values[q].
#include <algorithm>
#include <array>
#include <cmath>

#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 36 bytes, little-endian, packed in this order.
struct BlockNVFP4 {
  std::uint8_t scales[4];  ///< unsigned e4m3
  std::uint8_t qs[32];
};
static_assert(sizeof(BlockNVFP4) == 36, "the layout has no padding");

// Codes of sign, exponent and mantissa, doubled; the scale is halved in turn.
constexpr std::array<float, 16> values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Half of an e4m3 number; its sign bit is ignored, and 0x7F stands for 0.
float half_scale(std::uint8_t x) {
  if (x == 0x7F) return 0;
  const int exponent = (x >> 3) & 15;
  const int mantissa = x & 7;
  if (exponent == 0) return std::ldexp(static_cast<float>(mantissa), -10);
  return std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
}

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockNVFP4>(block);
  for (int i = 0; i < 64; ++i) {
    const int g = i / 16;
    out[i] = half_scale(b.scales[g]) * values[(b.qs[8 * g + i % 8] >> (4 * (i % 16 / 8))) & 15];
  }
}

/// All four scales alike.
void set_scale(std::byte* block, float scale) {
  std::uint8_t nearest = 0;
  for (std::uint8_t code = 0; code < 0x7F; ++code) {
    if (std::abs(half_scale(code) - scale) < std::abs(half_scale(nearest) - scale)) nearest = code;
  }
  std::fill(block, block + 4, std::byte{nearest});
}

}  // namespace

BlockFormat nvfp4_format() { return {DType::nvfp4, {}, 0, decode, set_scale}; }

}  // namespace weft
