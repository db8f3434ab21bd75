// IEEE binary32, little-endian: one number a block.
#include <cstring>

#include "core/quant/formats.hpp"

namespace weft {
namespace {

void decode(const std::byte* block, float* out) { std::memcpy(out, block, sizeof(float)); }

}  // namespace

BlockFormat f32_format() { return {DType::f32, {}, 0, decode}; }

}  // namespace weft
