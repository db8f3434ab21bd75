// Decoder of mxfp4. 32 elements: y = 2^(e - 128) values[q], nibbles as in q4_0.
#include <array>
#include <cmath>
#include <cstring>

#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 17 bytes, little-endian, packed in this order.
struct BlockMXFP4 {
  std::uint8_t e;  ///< biased exponent
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockMXFP4) == 17, "the layout has no padding");

// Codes of sign, exponent and mantissa, doubled; the scale is halved in turn.
constexpr std::array<float, 16> values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockMXFP4>(block);
  // The halved scale's bits; subnormal for e < 2.
  const std::uint32_t bits = b.e < 2 ? 0x00200000U << b.e : (b.e - 1U) << 23;
  float d = 0;
  std::memcpy(&d, &bits, sizeof d);
  for (int i = 0; i < 32; ++i) out[i] = d * values[(b.qs[i % 16] >> (4 * (i / 16))) & 15];
}

void set_scale(std::byte* block, float scale) {
  *block = static_cast<std::byte>(128 + std::lround(std::log2(scale)));  // y = 2^(e - 128) values[q]
}

}  // namespace

BlockFormat mxfp4_format() { return {DType::mxfp4, {}, 0, decode, set_scale}; }

}  // namespace weft
