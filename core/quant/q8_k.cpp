// Decoder of q8_k. 256 elements: y = d q. An activation format; sums serve integer kernels only.
#include <cstring>

#include "core/quant/block_bytes.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

/// 292 bytes, little-endian, packed in this order.
struct BlockQ8_K {
  float d;
  std::int8_t qs[256];
  std::int16_t sums[16];  ///< of 16 codes each
};
static_assert(sizeof(BlockQ8_K) == 292, "the layout has no padding");

void decode(const std::byte* block, float* out) {
  const auto b = read_block<BlockQ8_K>(block);
  for (int i = 0; i < 256; ++i) out[i] = b.d * static_cast<float>(b.qs[i]);
}

void set_scale(std::byte* block, float scale) { std::memcpy(block, &scale, sizeof scale); }

}  // namespace

BlockFormat q8_k_format() { return {DType::q8_k, {}, 0, decode, set_scale}; }

}  // namespace weft
