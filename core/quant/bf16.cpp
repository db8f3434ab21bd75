// bfloat16: the upper half of a binary32, little-endian: one number a block.
#include <cstring>

#include "core/half.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block, sizeof bits);
  *out = bf16_to_f32(bits);
}

}  // namespace

BlockFormat bf16_format() { return {DType::bf16, {}, 0, decode}; }

}  // namespace weft
