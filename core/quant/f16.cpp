// IEEE binary16, little-endian: one number a block.
#include <cstring>

#include "core/half.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, block, sizeof bits);
  *out = f16_to_f32(bits);
}

}  // namespace

BlockFormat f16_format() { return {DType::f16, {}, 0, decode}; }

}  // namespace weft
